"""Files of any length that look like code: one numbered unit of a language, over and over."""

from __future__ import annotations

UNITS: dict[str, str] = {
    "python": '''\
class Shelf{n}:
    """Keeps the items of rack {n}."""

    limit = {n}

    def put_{n}(self, item, label=None):
        if item is None:
            raise ValueError("nothing to put on shelf {n}")
        self.items[label or item.name] = item
        return len(self.items) + {n}

    def take_{n}(self, label):
        found = self.items.pop(label, None)
        self.log("taken from shelf {n}", label)
        return found


''',
    "typescript": """\
export class Shelf{n} {
  private items = new Map<string, Item>();
  readonly limit = {n};

  put{n}(item: Item | undefined, label?: string): number {
    if (item === undefined) {
      throw new Error('nothing to put on shelf {n}');
    }
    this.items.set(label ?? item.name, item);
    return this.items.size + {n};
  }

  take{n}(label: string): Item | undefined {
    const found = this.items.get(label);
    this.log('taken from shelf {n}', label);
    return found;
  }
}

""",
    "go": """\
// Shelf{n} keeps the items of rack {n}.
type Shelf{n} struct {
	items map[string]Item
	limit int
}

// Put{n} puts an item onto the shelf.
func (s *Shelf{n}) Put{n}(item *Item, label string) (int, error) {
	if item == nil {
		return 0, errors.New("nothing to put on shelf {n}")
	}
	s.items[label] = *item
	return len(s.items) + {n}, nil
}

""",
    "rust": """\
/// Keeps the items of rack {n}.
pub struct Shelf{n} {
    items: HashMap<String, Item>,
}

impl Shelf{n} {
    pub fn put_{n}(&mut self, item: Item, label: &str) -> usize {
        self.items.insert(label.to_string(), item);
        self.items.len() + {n}
    }

    pub fn take_{n}(&mut self, label: &str) -> Option<Item> {
        log("taken from shelf {n}", label);
        self.items.remove(label)
    }
}

""",
    "java": """\
    /** Puts an item onto shelf {n}. */
    public int put{n}(Item item, String label) {
        if (item == null) {
            throw new IllegalArgumentException("nothing to put on shelf {n}");
        }
        items.put(label, item);
        return items.size() + {n};
    }

    public Item take{n}(String label) {
        log("taken from shelf {n}", label);
        return items.remove(label);
    }

""",
    "c": """\
/* Puts an item onto shelf {n}. */
int shelf_put_{n}(struct shelf *shelf, const struct item *item)
{
    if (item == NULL) {
        report("nothing to put on shelf {n}");
        return -1;
    }
    shelf->items[shelf->count++] = *item;
    return shelf->count + {n};
}

""",
    "yaml": """\
shelf-{n}:
  rack: {n}
  limit: 12{n}
  items:
    - name: hammer-{n}
      size: {n}
    - name: saw-{n}
      size: 4{n}
  open: true

""",
    "json": """\
  "shelf-{n}": {
    "rack": {n},
    "limit": 12{n},
    "items": [
      { "name": "hammer-{n}", "size": {n} },
      { "name": "saw-{n}", "size": 4{n} }
    ],
    "open": true
  },
""",
}
FRAMES: dict[str, tuple[str, str]] = {
    "java": ("public final class Shelves {\n\n", "}\n"),
    "json": ("{\n", '  "end": true\n}\n'),
    "go": ("package shelves\n\n", ""),
}
SUFFIXES = {
    "python": "py",
    "typescript": "ts",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c",
    "yaml": "yaml",
    "json": "json",
}


def long_text(language: str, num_lines: int) -> str:
    """A text of the language with `num_lines` lines, or a unit more."""
    unit = UNITS[language]
    start, end = FRAMES.get(language, ("", ""))
    count = max(1, -(-(num_lines - start.count("\n") - end.count("\n")) // unit.count("\n")))
    return start + "".join(unit.replace("{n}", str(number)) for number in range(1, count + 1)) + end
