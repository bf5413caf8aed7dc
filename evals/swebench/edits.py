"""What is to be applied to an instance: messages, as an assistant wrote them or would have written them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evals.swebench.instances import Instance, InstancesError, read_json_lines

ID_FIELD = "instance_id"
TEXT_FIELDS = ("message", "edit", "text", "model_patch")  # the first that a row has


@dataclass(frozen=True, slots=True)
class Message:
    """A text with edits in it.

    path: the file that it is for, or None where it names its files itself. written_as: its format and care, for
    statistics; habits: how it was written (names of rows of the synthesis's tables).
    """

    path: str | None
    text: str
    written_as: str
    habits: tuple[str, ...] = ()


def read_answers(path: Path) -> dict[str, str]:
    """An agent's answers by instance, from JSON lines. Raises InstancesError.

    Each row names its `instance_id` and has the text under `message` (or `edit`, `text`, `model_patch`).
    """
    answers: dict[str, str] = {}
    for number, row in enumerate(read_json_lines(path), 1):
        name = row.get(ID_FIELD) if isinstance(row, dict) else None
        text = next((row[field] for field in TEXT_FIELDS if isinstance(row.get(field), str)), None) if name else None
        if not isinstance(name, str) or text is None:
            raise InstancesError(f"{path}, row {number}: needs {ID_FIELD} and one of {', '.join(TEXT_FIELDS)}")
        if name in answers:
            raise InstancesError(f"{path}, row {number}: a second answer for {name}")
        answers[name] = text
    return answers


def answer_of(answers: Mapping[str, str], instance: Instance) -> tuple[Message, ...]:
    """The answer as it stands; none where the agent gave none."""
    text = answers.get(instance.instance_id)
    return (Message(None, text, "answer"),) if text is not None else ()
