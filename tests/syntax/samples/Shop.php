<?php

namespace App\Shop;

use App\Base;
use function App\helper;

const LIMIT = 10;

/**
 * A shop.
 */
#[Entity]
final class Shop extends Base implements Countable
{
    use Loggable;

    public const SIZE = 1;
    private array $items = [];

    public function __construct(
        private string $name,
        protected int $size = 0,
    ) {
        parent::__construct();
    }

    #[Route('/x')]
    public static function make(): static
    {
        $f = function ($x) { return $x; };
        return new static('x');
    }

    abstract protected function area(): float;
}

interface HasArea
{
    public function area(): float;
}

trait Loggable
{
    public function log(string $x): void
    {
        echo $x;
    }
}

enum Suit: string
{
    case Hearts = 'H';
}

function helper(int $x): int
{
    return $x;
}

$handler = function ($event) {
    return $event;
};
