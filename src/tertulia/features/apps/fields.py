"""Fields: what a command or a form asks for. The page and the server check values by the same
description.

    checked_fields(fields, of_command=True)        # when a bot describes them
    checked_values(tx, user, fields, {"server": "live"})       # when a user has filled them in
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Literal

import msgspec

from tertulia import actions, domain
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.channels import ChannelNotAccessible
from tertulia.errors.files import FileAccessDenied, NoSuchFile
from tertulia.http.parameter_rules import MaxItems, MaxLength, NoNul, NotBlank
from tertulia.wire import Doc

MAX_FIELDS = 20
MAX_CHOICES = 100
MAX_NAME_LENGTH = 32
MAX_LABEL_LENGTH = 100
MAX_HELP_LENGTH = 300
MAX_LINE_LENGTH = 1000
MAX_TEXT_LENGTH = 10_000

FieldType = Literal[
    "text",
    "long_text",
    "number",
    "choice",
    "choices",
    "person",
    "channel",
    "topic",
    "date",
    "file",
]
OF_COMMANDS = frozenset({"text", "number", "choice", "person", "channel", "topic", "date"})

Label = Annotated[str, NoNul, MaxLength(MAX_LABEL_LENGTH)]


class FieldChoice(msgspec.Struct, frozen=True, omit_defaults=True):
    value: Annotated[str, NotBlank, NoNul, MaxLength(MAX_LABEL_LENGTH), Doc("What the bot gets.")]
    label: Annotated[Label, Doc("What people read; by default the value.")] = ""


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    name: Annotated[
        str, NotBlank, NoNul, MaxLength(MAX_NAME_LENGTH), Doc("The name, by which the bot gets it.")
    ]
    type: Annotated[FieldType, Doc("What it holds. A command has no long texts and no files.")]
    label: Annotated[Label, Doc("What people read; by default the name.")] = ""
    help: Annotated[
        str, NoNul, MaxLength(MAX_HELP_LENGTH), Doc("One sentence that explains it.")
    ] = ""
    required: Annotated[bool, Doc("Whether it must be filled in.")] = True
    choices: Annotated[
        list[FieldChoice], MaxItems(MAX_CHOICES), Doc("What can be chosen, of a choice.")
    ] = []
    min: Annotated[int | None, Doc("The smallest number.")] = None
    max: Annotated[int | None, Doc("The largest number.")] = None
    max_length: Annotated[int | None, Doc("The largest number of characters.")] = None


Fields = Annotated[list[Field], MaxItems(MAX_FIELDS)]
Values = dict[str, Any]


class InvalidValues(ClientError):
    """`errors` has the problem of each field."""

    message = "Some values are missing or not allowed."
    problem = "invalid-values"
    keys = ("errors",)

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(errors=dict(errors))


class Refused(Exception):
    """A value that a field does not take. The text is one of the problems that clients know."""


def checked_fields(fields: Sequence[Field], *, of_command: bool = False) -> list[Field]:
    names = [each.name for each in fields]
    if len(set(names)) < len(names):
        raise BadRequest("Two fields have the same name.", problem="field-invalid")
    seen_optional = False
    for each in fields:
        has_choices = each.type in ("choice", "choices")
        if has_choices != bool(each.choices):
            raise BadRequest(
                "'{name}' must have choices exactly if it is a choice.",
                problem="field-invalid",
                name=each.name,
            )
        if of_command and each.type not in OF_COMMANDS:
            raise BadRequest(
                "'{name}' has a type that only forms can ask for.",
                problem="field-invalid",
                name=each.name,
            )
        if of_command and seen_optional and each.required:
            raise BadRequest(
                "'{name}' is required, but follows a parameter that may be left out.",
                problem="field-invalid",
                name=each.name,
            )
        seen_optional |= not each.required
        _refuse_passwords(each)
    return list(fields)


def _refuse_passwords(field: Field) -> None:
    """Users should not learn to type passwords into the form of a bot."""
    words = f"{field.name} {field.label}".lower().replace("_", " ").replace("-", " ").split()
    if PASSWORDS.intersection(words):
        raise BadRequest(
            "'{name}' asks for a password, which a bot may not.",
            problem="field-asks-for-password",
            name=field.name,
        )


_PASSWORDS = (
    "password passwort kennwort contraseña senha palavra-passe pass passcode passphrase"
    " парол пароль parola 密码 パスワード"
)
PASSWORDS = frozenset(_PASSWORDS.split())


def checked_values(
    tx: Tx, user: User, fields: Sequence[Field], given: Mapping[str, Any]
) -> dict[str, Any]:
    """The values as the bot gets them, without those that were left out. Raises InvalidValues."""
    errors = dict.fromkeys(given.keys() - {each.name for each in fields}, "unknown")
    values: dict[str, Any] = {}
    for field in fields:
        value = given.get(field.name)
        if value is None or value in ("", []):
            if field.required:
                errors[field.name] = "missing"
            continue
        try:
            values[field.name] = _CHECKS[field.type](tx, user, field, value)
        except Refused as problem:
            errors[field.name] = str(problem)
    if errors:
        raise InvalidValues(errors)
    return values


def _text(field: Field, value: Any, limit: int) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise Refused("not-a-text")
    if len(value) > min(limit, field.max_length or limit):
        raise Refused("too-long")
    return value


def _line(tx: Tx, user: User, field: Field, value: Any) -> str:
    return " ".join(_text(field, value, MAX_LINE_LENGTH).split("\n")).strip()


def _long_text(tx: Tx, user: User, field: Field, value: Any) -> str:
    return _text(field, value, MAX_TEXT_LENGTH)


def _number(tx: Tx, user: User, field: Field, value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e15:
        raise Refused("not-a-number")
    if field.min is not None and value < field.min:
        raise Refused("too-small")
    if field.max is not None and value > field.max:
        raise Refused("too-large")
    return value


def _choice(tx: Tx, user: User, field: Field, value: Any) -> str:
    if not isinstance(value, str) or value not in [each.value for each in field.choices]:
        raise Refused("not-a-choice")
    return value


def _choices(tx: Tx, user: User, field: Field, value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > MAX_CHOICES:
        raise Refused("not-a-choice")
    return list(dict.fromkeys(_choice(tx, user, field, each) for each in value))


def _person(tx: Tx, user: User, field: Field, value: Any) -> int:
    found = actions.people.visible_users.find(tx, user, value) if _is_id(value) else None
    if found is None or not found.is_active:
        raise Refused("no-person")
    return found.id


def _channel(tx: Tx, user: User, field: Field, value: Any) -> int:
    if not _is_id(value):
        raise Refused("no-channel")
    try:
        return actions.channels.lookups.visible_to(tx, user, value).id
    except ChannelNotAccessible:
        raise Refused("no-channel") from None


def _topic(tx: Tx, user: User, field: Field, value: Any) -> str:
    topic = _text(field, value, domain.limits.MAX_TOPIC_LENGTH).strip()
    if not topic:
        raise Refused("missing")
    return topic


def _date(tx: Tx, user: User, field: Field, value: Any) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        raise Refused("no-date") from None


def _file(tx: Tx, user: User, field: Field, value: Any) -> str:
    """The path of an own uploaded file."""
    path_id = _text(field, value, MAX_LINE_LENGTH).removeprefix("/user_uploads/")
    try:
        found = actions.files.attachments.readable(tx, user, path_id)
    except (NoSuchFile, FileAccessDenied):
        raise Refused("no-file") from None
    if found.owner_id != user.id:
        raise Refused("no-file")
    return f"/user_uploads/{found.path_id}"


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63


_CHECKS: Mapping[FieldType, Callable[[Tx, User, Field, Any], Any]] = {
    "text": _line,
    "long_text": _long_text,
    "number": _number,
    "choice": _choice,
    "choices": _choices,
    "person": _person,
    "channel": _channel,
    "topic": _topic,
    "date": _date,
    "file": _file,
}


class Form(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a bot asks one person for."""

    title: Annotated[str, NotBlank, NoNul, MaxLength(MAX_LABEL_LENGTH), Doc("The title.")]
    fields: Annotated[Fields, Doc("What it asks for, in order.")]
    submit: Annotated[Label, Doc("The word on its button.")] = ""


def checked_form(form: Form) -> Form:
    if not form.fields:
        raise BadRequest("A form must have a field.", problem="field-invalid")
    checked_fields(form.fields)
    return form
