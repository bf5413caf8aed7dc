from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from fastedit.edits import parse_message
from fastedit.guard import Original
from fastedit.merged import merge
from fastedit.syntax import outline
from fastedit.targets.templates import PLAIN
from fastedit.verify.windows import cut_windows

TEXT = "def first():\n" + "".join(f"    step({number})\n" for number in range(40)) + "\n\ndef last():\n    pass\n"
MESSAGE = "```python\n# ... existing code ...\n    step(20)\n    new()\n    step(21)\n# ... existing code ...\n```\n"


@pytest.mark.parametrize(("context", "longest", "shown"), [(3, 10, 6), (1, 10, 2), (2, 50, 43)])
def test_a_target_sees_as_much_as_it_is_used_to(context, longest, shown):
    original = Original(TEXT, "python", outline(TEXT, "python"))
    merged = merge(original, parse_message(MESSAGE)[0], MESSAGE, None)
    template = replace(PLAIN, context_lines=context, declaration_lines=longest)
    (window,) = cut_windows(original, merged, "windows", SimpleNamespace(template=template))
    assert window.end - window.start == shown
    (window,) = cut_windows(original, merged, "file", SimpleNamespace(template=template))
    assert window.end - window.start == 45
