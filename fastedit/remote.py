"""Edits merged by a service: `apply_edits` over HTTP, with nothing but the standard library."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fastedit.applied import Applied, Stats
from fastedit.config import is_loopback
from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.edits.model import Edit
from fastedit.errors import Candidate, Code, EditRefused, EngineUnavailable, InputRefused, SettingsError, Warning
from fastedit.lines import body, split_lines
from fastedit.merged import DEFAULT_CHOICE, Choice

if TYPE_CHECKING:
    from fastedit.targets import Target

TIMEOUT_S = 310.0  # a little more than a service lets a request take
MAX_ANSWER_BYTES = 1 << 28
# What a service says of a message about several files: whoever chose the file has said so already.
SELECTION_WARNINGS = frozenset({"OTHER_FILES", "OTHER_PATH"})
# What services say besides `Code`, in its words.
CODES = {"RATE_LIMITED": Code.OVERLOADED, "REQUEST_TIMEOUT": Code.TIMEOUT}

# What a service says that has gone or is busy, or that takes no file of this size.
NOT_ITS_WORK = frozenset({Code.TARGET_UNAVAILABLE, Code.OVERLOADED, Code.TOO_LARGE})


@dataclass(frozen=True, slots=True)
class Remote:
    """A service that merges edits. format: how messages are written, as for `fastedit.apply`."""

    url: str
    key: str | None = field(default=None, repr=False)
    format: str = "auto"

    def apply_edits(
        self,
        original: str,
        edits: Sequence[Edit],
        *,
        path: str | None = None,
        message: str = "",
        instruction: str | None = None,
        mode: str = "auto",
        scope: str = "auto",
        target: Target | None = None,
        choice: Choice | None = None,
    ) -> Applied:
        """Has the service do what `fastedit.apply.apply_edits` does. target: isn't used, the service has its own.

        Raises EditRefused as the service does, EngineUnavailable where none answers, SettingsError for a key that it
        doesn't take.
        """
        if list(edits) != edits_for(parse_message(message, format=self.format), path)[0]:
            raise InputRefused(Code.EDIT_UNPARSABLE, "a service can't apply only some of a message's edits for a file")
        asked = {"original": original, "edit": message, "path": path, "instruction": instruction}
        how = {"format": self.format, "mode": mode, "scope": scope}
        try:
            answer = self._post("/v1/apply", asked | how | _chosen(choice or DEFAULT_CHOICE))
        except EditRefused as refusal:
            raise _with_texts(refusal, original) from None
        try:
            return _applied(answer, original, path)
        except (KeyError, TypeError, ValueError) as error:
            raise _unavailable(f"what answers at {self.url} is no such service") from error

    def _post(self, path: str, asked: Mapping[str, Any]) -> Any:
        request = urllib.request.Request(
            self.url.rstrip("/") + path,
            json.dumps(asked).encode(),
            {"Content-Type": "application/json", "Accept": "application/json"} | self._authorization(),
        )
        try:
            with _opener(self.url).open(request, timeout=TIMEOUT_S) as answer:
                return _read_json(answer, self.url)
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(_read_json(error, self.url), self.url) from None
        except TimeoutError as error:
            raise EngineUnavailable(Code.TIMEOUT, f"{self.url} didn't answer in {TIMEOUT_S:g} s") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise _unavailable(f"no service answers at {self.url}: {reason}") from error

    def _authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}


def own_service(
    target: str | None, key: str | None = None, format: str = "auto", mode: str = "auto"
) -> Callable[..., Applied] | None:
    """Does what `Remote.apply_edits` does by the service that runs for this user with that target loaded; None where
    there is none.

    target: None for the embedded one. mode: in which it is to be asked. Nobody named that service: what it can't do,
    `apply_edits` does here.
    """
    from fastedit.apply import apply_edits
    from fastedit.running import running_service
    from fastedit.targets.default import EMBEDDED

    service = running_service(target or EMBEDDED, has_key=key is not None, mode=mode)
    if service is None:
        return None
    remote = Remote(service.url, key if service.has_keys else None, format)

    def merge(original: str, edits: Sequence[Edit], **named: Any) -> Applied:
        try:
            return remote.apply_edits(original, edits, **named)
        except EditRefused as refusal:
            if refusal.code not in NOT_ITS_WORK:
                raise
        return apply_edits(original, edits, **named)

    return merge


def _chosen(choice: Choice) -> dict[str, float]:
    """The request's fields about doubt; none where they would say nothing new, as older services don't know them."""
    certainty = {"certainty": choice.certainty} if choice.certainty != DEFAULT_CHOICE.certainty else {}
    return certainty if choice.reading is None else {**certainty, "choose": choice.reading}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: a key and a file are for the address that was named, and for no other."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _opener(url: str) -> urllib.request.OpenerDirector:
    handlers: list[urllib.request.BaseHandler] = [_NoRedirect()]
    if is_loopback(urlsplit(url).hostname or ""):
        handlers.append(urllib.request.ProxyHandler({}))  # a proxy's loopback is another machine's
    return urllib.request.build_opener(*handlers)


def _read_json(answer: Any, url: str) -> Any:
    data = answer.read(MAX_ANSWER_BYTES + 1)
    if len(data) > MAX_ANSWER_BYTES:
        raise _unavailable(f"{url} answers with more than {MAX_ANSWER_BYTES:,} bytes")
    try:
        return json.loads(data)
    except ValueError as error:
        raise _unavailable(f"what answers at {url} is no such service") from error


def _applied(answer: Any, original: str, path: str | None) -> Applied:
    usage, known = answer["usage"], {one.name for one in fields(Stats)}
    counts = {name: usage[name] for name in ("prompt_tokens", "completion_tokens")}
    counts |= {name: value for name, value in answer["stats"].items() if name in known}
    warnings = tuple(
        Warning(str(one["code"]), str(one["message"]), one["line"])
        for one in answer["warnings"]
        if one["code"] not in SELECTION_WARNINGS
    )
    text = answer["text"]
    if not isinstance(text, str):
        raise TypeError("text must be a string")
    return Applied(original, text, path, str(answer["strategy"]), warnings, Stats(**counts))


def _refusal(answer: Any, url: str) -> EditRefused | SettingsError:
    try:
        error = answer["error"]
        code, message = str(error["code"]), str(error["message"])
        candidates = tuple(Candidate(**one) for one in error.get("candidates", ()))
        certainty = None if error.get("certainty") is None else float(error["certainty"])
    except (KeyError, TypeError, ValueError):
        return _unavailable(f"what answers at {url} is no such service")
    if code in ("UNAUTHORIZED", "FORBIDDEN_ORIGIN", "BAD_HOST"):
        return SettingsError(f"{url} turns us away: {message} (FASTEDIT_API_KEY)")
    if code in Code.__members__ or code in CODES:
        return EditRefused(CODES.get(code, code), message, candidates, certainty)
    return EngineUnavailable(Code.ENGINE_ERROR, f"{url} doesn't understand us: {message} ({code})")


def _with_texts(refusal: EditRefused, original: str) -> EditRefused:
    """The refusal with what stands at its candidates: a service tells only where they are."""
    lines = split_lines(original)
    candidates = tuple(
        replace(one, text="\n".join(map(body, lines[one.start_line : one.end_line]))) for one in refusal.candidates
    )
    return type(refusal)(refusal.code, refusal.message, candidates, refusal.certainty)


def _unavailable(message: str) -> EngineUnavailable:
    return EngineUnavailable(Code.TARGET_UNAVAILABLE, message)
