"""Stock of a small warehouse, kept in one JSON file."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path

log = logging.getLogger(__name__)


class OutOfStock(Exception):
    """Fewer items are there than were asked for."""


@dataclass
class Item:
    sku: str
    name: str
    count: int = 0
    price_cents: int = 0

    @property
    def value_cents(self) -> int:
        return self.count * self.price_cents


class Inventory:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.items: dict[str, Item] = {}

    def load(self) -> None:
        if not self.path.exists():
            log.info("no inventory at %s, starting empty", self.path)
            return
        for record in json.loads(self.path.read_text()):
            item = Item(**record)
            self.items[item.sku] = item

    def save(self) -> None:
        records = [asdict(item) for item in self.items.values()]
        self.path.write_text(json.dumps(records, indent=2))

    def add(self, sku: str, name: str, count: int, price_cents: int) -> Item:
        item = self.items.get(sku)
        if item is None:
            item = Item(sku, name, 0, price_cents)
            self.items[sku] = item
        item.count += count
        return item

    def take(self, sku: str, count: int) -> Item:
        item = self.items[sku]
        if item.count < count:
            raise OutOfStock(sku)
        item.count -= count
        return item

    def total_cents(self) -> int:
        return sum(item.value_cents for item in self.items.values())


def report(inventory: Inventory) -> str:
    lines = []
    for item in sorted(inventory.items.values(), key=lambda item: item.sku):
        lines.append(f"{item.sku:10} {item.name:30} {item.count:6}")
    lines.append(f"total: {inventory.total_cents() / 100:.2f}")
    return "\n".join(lines)
