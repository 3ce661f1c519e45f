"""Zulip's phone app as a reader: every answer and event that it would read must decode there.

`tests/contract/phone_app.txt` has the rules. The app stops at the first value that it cannot
decode, and one such value in `POST /register` locks a whole organization out. Requests of the tests
need not have the app's options, so what those options change is left out (`_as_asked`).
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

TABLE = Path(__file__).parents[1] / "contract" / "phone_app.txt"
CAPABILITIES = {
    "notification_settings_null": True,
    "bulk_message_deletion": True,
    "user_avatar_url_field_optional": True,
    "stream_typing_notifications": True,
    "user_settings_object": True,
    "include_deactivated_groups": True,
    "empty_topic_name": True,
    "individual_emoji_changes": True,
}
OPTIONS = {
    "idle_queue_timeout": "mobile",
    "apply_markdown": True,
    "client_gravatar": False,
    "slim_presence": True,
    "client_capabilities": CAPABILITIES,
}
USER_AGENT = {"User-Agent": "ZulipFlutter/30.0.274 (Android 15)"}

Check = Callable[[Any], str]  # the first problem, or ""
Options = Mapping[str, Any]

_INDENT = "    "
_INTEGER = re.compile(r"[+-]?[0-9]+")
_WHEN = re.compile(r"(\w+) (null|set|filled|is .+)")
_OTHER_EMOJI_WORD = "service_extra_emoji"  # for clients that are not Zulip's
_queues: dict[str, Options] = {}  # the options of the queues that tests registered


def check(
    method: str,
    path: str,
    status: int,
    answer: dict[str, Any],
    *,
    headers: Mapping[str, str],
    body: bytes | None = None,
) -> None:
    """Raises AssertionError if the app could not decode this answer."""
    path, _, query = path.partition("?")
    model = _model(headers.get("User-Agent", "").startswith("Zulip"))
    kind = model.answer_to(method, path)
    if kind is None or not (kind in _FOR_STRANGERS or "Authorization" in headers):
        return
    if kind == "GetServerSettingsResult" and "realm_url" not in answer:
        return  # at the root of several organizations there is nothing that the app could open
    if status != 200:
        kind = "ErrorAnswer"
    if path == "/messages" and "message_ids=" in query:
        return  # the app never asks for messages by id
    problem = model.problem(kind, _as_asked(kind, answer, body))
    assert not problem, f"the phone app cannot read {method} {path}: {problem}"


def problem(kind: str, value: Any) -> str:
    """What the app would stop at, or an empty string."""
    return _model(True).problem(kind, value)


def summary(met: set[str]) -> str:
    classes = {name for name, entry in _entries(TABLE).items() if entry[0] == "class"}
    return f"Phone app: {len(met & classes)} of {len(classes)} classes decoded"


def met() -> set[str]:
    """The classes that were decoded."""
    return _model(True).met | _model(False).met


# --- What the options of a request change ---------------------------------------------------------

_FOR_STRANGERS = ("FetchApiKeyResult", "GetServerSettingsResult")


def _as_asked(kind: str, answer: dict[str, Any], body: bytes | None) -> dict[str, Any]:
    if kind == "PartialSnapshot":
        return _snapshot(answer, _form(body or b""))
    if kind == "GetEventsResult":
        options = _queues.get(str(answer.get("queue_id")), {})
        return answer | {"events": list(filter(_is_for_app(options), answer["events"]))}
    if kind == "UpdatePresenceResult" and not _form(body or b"").get("slim_presence"):
        return {name: value for name, value in answer.items() if name != "presences"}
    return answer


def _snapshot(answer: dict[str, Any], options: Options) -> dict[str, Any]:
    if answer.get("queue_id"):
        _queues[answer["queue_id"]] = options
    if not options.get("slim_presence"):
        answer = {name: value for name, value in answer.items() if name != "presences"}
    return answer


def _is_for_app(options: Options) -> Callable[[dict[str, Any]], bool]:
    capabilities = options.get("client_capabilities") or {}
    unlike = set()
    if not options.get("slim_presence"):
        unlike.add("presence")
    if not capabilities.get("bulk_message_deletion"):
        unlike.add("delete_message")
    return lambda event: event["type"] not in unlike


def _form(body: bytes) -> Options:
    if body.startswith(b"{"):
        return dict(json.loads(body))
    return {name: _parsed(values[-1]) for name, values in parse_qs(body.decode()).items()}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


# --- The table ------------------------------------------------------------------------------------

Entry = tuple[str, str, list[str]]  # its word, what stands behind its name, the lines below it


@cache
def _model(is_app: bool) -> "Model":
    return Model(_entries(TABLE), () if is_app else (_OTHER_EMOJI_WORD,))


def _entries(file: Path) -> dict[str, Entry]:
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line]
    found = {}
    for header, below in _indented([line for line in lines if not line.startswith("#")]):
        word, _, rest = header.partition(" ")
        name, _, detail = rest.partition(": ")
        found[name] = (word, detail, below)
    return found


def _indented(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Each line of the outermost level, with the lines below it."""
    starts = [n for n, line in enumerate(lines) if not line.startswith(_INDENT)]
    for start, end in pairwise([*starts, len(lines)]):
        yield lines[start], [line.removeprefix(_INDENT) for line in lines[start + 1 : end]]


class Model:
    """The table, compiled to checks; `met` are the classes that were used."""

    def __init__(self, entries: Mapping[str, Entry], reaction_types: tuple[str, ...] = ()) -> None:
        self.met: set[str] = set()
        self._entries = entries
        self._reaction_types = reaction_types
        self._checks: dict[str, Check] = {}
        self._answers = [
            (re.compile(_pattern(name)), entry[1])
            for name, entry in entries.items()
            if entry[0] == "answer"
        ]

    def answer_to(self, method: str, path: str) -> str | None:
        """The class of the answer, or None if the app never sends this request."""
        requested = f"{method} {path}"
        return next((kind for name, kind in self._answers if name.fullmatch(requested)), None)

    def problem(self, kind: str, value: Any) -> str:
        return self._check(kind)(value)

    def _check(self, kind: str) -> Check:
        if kind not in self._checks:
            self._checks[kind] = lambda value: self._checks[kind](
                value
            )  # a class may contain itself
            self._checks[kind] = self._compiled(kind)
        return self._checks[kind]

    def _compiled(self, kind: str) -> Check:
        if kind.endswith("?"):
            return _or_null(self._check(kind[:-1]))
        if kind.startswith("json "):
            return _json_of(self._check(kind[5:]))
        if kind.startswith("ascending "):
            return _ascending(self._check(kind[10:]))
        if kind.startswith("["):
            return _list_of(self._check(kind[1:-1]))
        if kind.startswith("{int:"):
            return _object_of(self._check(kind[5:-1]), by_number=True)
        if kind.startswith("{"):
            return _object_of(self._check(kind[1:-1]))
        if kind in _PLAIN:
            return _plain(kind)
        word, detail, lines = self._entries[kind.removesuffix("*")]
        compiled: Callable[[], Check] = {
            "enum": lambda: self._enum(kind, detail),
            "pattern": lambda: _matching(kind, re.compile(detail)),
            "either": lambda: self._either(*detail.split()),
            "switch": lambda: self._switch(detail, lines),
            "class": lambda: self._class(kind),
        }[word]
        return compiled()

    def _enum(self, kind: str, detail: str) -> Check:
        values = json.loads(f"[{detail.replace(' ', ',')}]")
        if kind == "ReactionType":
            values.extend(self._reaction_types)

        def check(value: Any) -> str:
            if kind.endswith("*") and value is not None:
                return ""
            known = not isinstance(value, bool | list | dict) and value in values
            return "" if known else f": {_shown(value)} is not a {kind}"

        return check

    def _either(self, plain: str, named: str) -> Check:
        first, second = self._check(plain), self._check(named)
        return lambda value: (second if isinstance(value, dict) else first)(value)

    def _switch(self, key: str, lines: list[str]) -> Check:
        cases = dict(line.split(": ") for line in lines)

        def check(value: Any) -> str:
            if not isinstance(value, dict) or not isinstance(value.get(key), str):
                return f".{key}: a string is needed in {_shown(value)}"
            kind = cases.get(value[key], cases.get("*"))
            return self.problem(kind, value) if kind else f".{key}: {_shown(value[key])} is unknown"

        return check

    def _class(self, kind: str) -> Check:
        needed, optional, conditions = self._members(kind)

        def check(value: Any) -> str:
            if not isinstance(value, dict):
                return f": {_shown(value)}, but a {kind} is needed"
            self.met.add(kind)
            for name, test in needed.items():
                if found := test(value.get(name)):
                    return f".{name}{found}"
            for name, test in optional.items():
                if name in value and (found := test(value[name])):
                    return f".{name}{found}"
            return next(filter(None, (each(value) for each in conditions)), "")

        return check

    def _members(self, kind: str) -> tuple[dict[str, Check], dict[str, Check], list[Check]]:
        _, like, lines = self._entries[kind]
        needed, optional, conditions = self._members(like) if like else ({}, {}, [])
        for line, below in _indented(lines):
            if line.startswith("when "):
                conditions.append(self._when(line.removeprefix("when "), below))
            elif line.startswith("rule "):
                conditions.append(getattr(self, "_" + line.removeprefix("rule ")))
            else:
                name, _, type_ = line.partition(": ")
                needed.pop(name, None)
                (optional if type_.startswith("?") else needed)[name] = self._check(
                    type_.removeprefix("?")
                )
        if kind == "PartialSnapshot":  # a test may ask for some parts only
            first = {name: needed.pop(name) for name in ("queue_id", "last_event_id")}
            needed, optional = first, optional | needed
        return needed, optional, conditions

    def _when(self, text: str, lines: list[str]) -> Check:
        wanted = [_wanted(part) for part in text.split(" and ")]
        types = dict(line.split(": ") for line in lines)
        checks = {name: self._check(kind) for name, kind in types.items()}

        def check(value: Any) -> str:
            if all(test(value.get(name)) for name, test in wanted):
                for name, test in checks.items():
                    if found := test(value.get(name)):
                        return f".{name}{found}"
            return ""

        return check

    # --- Rules about several keys ---

    def _message_move(self, event: dict[str, Any]) -> str:
        moved = {"stream_id": event.get("new_stream_id"), "orig_subject": event.get("subject")}
        is_moved = any(new not in (None, event.get(old)) for old, new in moved.items())
        mode = event.get("propagate_mode")
        if not is_moved:
            return ".propagate_mode: nothing was moved" if mode is not None else ""
        for name in ("stream_id", "orig_subject", "propagate_mode"):
            if event.get(name) is None:
                return f".{name}: a move needs it"
        return ""

    def _edit_history_not_empty(self, message: dict[str, Any]) -> str:
        return ".edit_history: is empty" if message.get("edit_history") == [] else ""

    def _poll(self, message: dict[str, Any]) -> str:
        """The app decodes the parts of a poll with its message; other widgets are not decoded."""
        first, *others = message.get("submessages") or [None]
        if first is None:
            return ""
        if first["sender_id"] != message["sender_id"]:
            return ".submessages[0].sender_id: is not the sender of the message"
        if found := self.problem("json WidgetData", first["content"]):
            return f".submessages[0].content{found}"
        kind = json.loads(first["content"])["widget_type"]
        part = {"poll": "json PollEventSubmessage", "todo": "json TodoEventSubmessage"}.get(kind)
        for location, each in enumerate(others, start=1):
            if part and (found := self.problem(part, each["content"])):
                return f".submessages[{location}].content{found}"
        return ""


def _pattern(answer: str) -> str:
    return re.sub(r"{(\w+)}", lambda name: ".+" if name[1] == "filename" else "[0-9]+", answer)


def _wanted(text: str) -> tuple[str, Callable[[Any], bool]]:
    match = _WHEN.fullmatch(text)
    assert match, text
    tests: dict[str, Callable[[Any], bool]] = {
        "null": lambda value: value is None,
        "set": lambda value: value is not None,
        "filled": lambda value: value not in (None, ""),
    }
    if match[2] in tests:
        return match[1], tests[match[2]]
    values = json.loads(f"[{match[2].removeprefix('is ').replace(' ', ',')}]")
    return match[1], lambda value: value in values


# --- Types ----------------------------------------------------------------------------------------


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_PLAIN: dict[str, Callable[[Any], bool]] = {
    "any": lambda value: True,
    "bool": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "int": _is_number,
    "exact_int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "url": lambda value: isinstance(value, str) and _is_url(value),
}


def _is_url(text: str) -> bool:
    try:
        return urlsplit(text).port is None or True
    except ValueError:
        return False


def _plain(kind: str) -> Check:
    fits = _PLAIN[kind]
    return lambda value: "" if fits(value) else f": {_shown(value)}, but {kind} is needed"


def _matching(kind: str, pattern: re.Pattern[str]) -> Check:
    def check(value: Any) -> str:
        fits = isinstance(value, str) and pattern.fullmatch(value)
        return "" if fits else f": {_shown(value)}, but {kind} is needed"

    return check


def _or_null(test: Check) -> Check:
    return lambda value: "" if value is None else test(value)


def _list_of(test: Check) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, list):
            return f": {_shown(value)}, but a list is needed"
        for location, each in enumerate(value):
            if found := test(each):
                return f"[{location}]{found}"
        return ""

    return check


def _object_of(test: Check, *, by_number: bool = False) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, dict):
            return f": {_shown(value)}, but an object is needed"
        for name, each in value.items():
            if by_number and not _INTEGER.fullmatch(name):
                return f": the key {name!r} is not a whole number"
            if found := test(each):
                return f".{name}{found}"
        return ""

    return check


def _ascending(test: Check) -> Check:
    def check(value: Any) -> str:
        found = test(value)
        return found or ("" if value == sorted(set(value)) else ": is not ascending")

    return check


def _json_of(test: Check) -> Check:
    def check(value: Any) -> str:
        try:
            inner = json.loads(value)
        except (TypeError, ValueError):
            return f": {_shown(value)}, but JSON in a string is needed"
        return test(inner)

    return check


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return json.dumps(value)[:60]
