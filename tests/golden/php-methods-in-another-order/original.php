<?php

final class Message
{
    private string $start;

    /**
     * Reads a request.
     */
    public static function request(string $text): Request
    {
        $data = self::parse($text);
        $parts = explode(' ', $data['start'], 3);

        return new Request($parts[0], $parts[1], $data['body']);
    }

    /**
     * Reads a response.
     */
    public static function response(string $text): Response
    {
        $data = self::parse($text);

        return new Response((int) $data['start'], $data['body']);
    }

    private static function parse(string $text): array
    {
        return preg_split('/\r?\n/', $text);
    }
}
