"""Which model: the registry, prompt templates, and loading. Importing this costs no torch."""

from fastedit.targets.answer import AnswerStream, extract_answer
from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.registry import REGISTRY
from fastedit.targets.target import Target
from fastedit.targets.templates import TEMPLATES, Message, PromptTemplate, read_template, template_named

__all__ = [
    "REGISTRY",
    "TEMPLATES",
    "AnswerStream",
    "Message",
    "PromptTemplate",
    "Target",
    "TokenizerCodec",
    "extract_answer",
    "read_template",
    "template_named",
]
