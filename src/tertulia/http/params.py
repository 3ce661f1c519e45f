"""Compiles an endpoint's signature into a parser for its parameters.

Keyword-only arguments are request parameters. A `str` is taken as it is; a union with `str` is read
as JSON if that fits and as text otherwise; everything else is JSON. Parameters are read in the
declared order, and the first problem is reported. A member of a JSON body must have the type of the
parameter; null is absent. Validation libraries do not produce the error
texts that clients know, so the checks are ours; msgspec decodes the JSON.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UnsetType

from tertulia.errors import BadRequest
from tertulia.errors.parameters import MissingParameter
from tertulia.http.forms import Files, Incoming, RawBody
from tertulia.http.json_text import JsonValue, decode_json, is_null
from tertulia.http.json_validation import JSON_KINDS, Shape, shape_of, without
from tertulia.http.parameter_rules import (
    Alias,
    BareOrJson,
    Described,
    Example,
    Json,
    Name,
    NullRefused,
    OnlyWith,
    Problem,
)
from tertulia.wire import NO_DOC, doc_of, markers

Form = Literal["raw", "json", "either"]

NO_FILES = Files()
NO_BODY = RawBody()

# How Python scripts send booleans without JSON encoding.
_AS_PYTHON_SAYS = {"True": True, "False": False}

# Returned by a reader for a value that counts as not sent.
_ABSENT: Any = object()


class Parameter(msgspec.Struct, frozen=True):
    argument: str  # the name in the signature
    name: str  # the name in the API
    aliases: tuple[str, ...]
    only_with: OnlyWith | None
    is_required: bool
    default: Any
    form: Form
    read: Callable[[str], Any]  # raises Problem; _ABSENT counts as not sent
    read_member: Callable[[str], Any]  # the same for a member of a JSON body
    takes_null: bool  # whether null in a JSON body has a meaning of its own
    schema: dict[str, Any]
    doc: msgspec.Meta = NO_DOC
    example: Any = msgspec.UNSET  # in the example call; unset if it is not shown there
    alias_of: str | None = None  # in the API description, an older name of this parameter

    @property
    def is_text(self) -> bool:
        return self.schema.get("type") == "string"


class Contract(msgspec.Struct, frozen=True):
    """The parameters and the result of an endpoint."""

    path_types: Mapping[str, type[int] | type[str]]
    path_docs: Mapping[str, msgspec.Meta]
    parameters: Sequence[Parameter]
    files_argument: str | None
    streams_files: bool  # whether files are streamed to the endpoint
    body_argument: str | None  # the argument for the unparsed body, if there is one
    reply: Any
    names: frozenset[str]  # all parameter names, including aliases

    def parse(
        self,
        given: Mapping[str, str],
        files: Files | Incoming = NO_FILES,
        body: RawBody = NO_BODY,
    ) -> dict[str, Any]:
        """The keyword arguments for the endpoint. Raises a ClientError for the first problem."""
        arguments: dict[str, Any] = {}
        for parameter in self.parameters:
            if parameter.only_with is not None and not parameter.only_with.applies(given):
                continue
            name = parameter.name
            text = given.get(name)
            if parameter.aliases:
                name, text = _choose(parameter, given)
            if text is None or (is_null(text) and not parameter.takes_null):
                if parameter.is_required:
                    raise MissingParameter(name=parameter.name)
                continue
            try:
                value = (parameter.read if type(text) is str else parameter.read_member)(text)
            except Problem as problem:
                raise BadRequest(problem.text(name)) from None
            if value is not _ABSENT:
                arguments[parameter.argument] = value
        if self.files_argument is not None:
            arguments[self.files_argument] = files
        if self.body_argument is not None:
            arguments[self.body_argument] = body
        return arguments

    def unsupported(self, given: Mapping[str, str]) -> list[str]:
        if given.keys() <= self.names:
            return []
        return sorted(name for name in given if name not in self.names and name != "client")


def _choose(parameter: Parameter, given: Mapping[str, str]) -> tuple[str, str | None]:
    known = (parameter.name, *parameter.aliases)
    names = [name for name in known if name in given and not is_null(given[name])]
    if len(names) > 1:
        raise BadRequest(f"Can't decide between '{names[0]}' and '{names[1]}' arguments")
    return (names[0], given[names[0]]) if names else (parameter.name, None)


# --- Compiling ------------------------------------------------------------------------------------


def path_types_of(endpoint: Callable[..., Any]) -> dict[str, type[int] | type[str]]:
    """The types of path parameters, which is all that routing needs."""
    code = inspect.unwrap(endpoint).__code__
    named = code.co_varnames[1 : code.co_argcount]
    return {name: _path_type(endpoint.__annotations__[name]) for name in named}


@cache
def contract_of(endpoint: Callable[..., Any]) -> Contract:
    """Compile the signature. Raises TypeError for a contradictory one."""
    hints = get_type_hints(endpoint, include_extras=True)
    _, *arguments = inspect.signature(endpoint).parameters.values()
    path_types = path_types_of(endpoint)
    parameters: list[Parameter] = []
    files_argument: str | None = None
    body_argument: str | None = None
    for argument in arguments:
        annotation = hints[argument.name]
        if argument.name in path_types:
            continue
        if annotation in (Files, Incoming):
            files_argument = argument.name
        elif annotation is RawBody:
            body_argument = argument.name
        else:
            parameters.append(_parameter(argument, annotation))
    names = {name for each in parameters for name in (each.name, *each.aliases)}
    reply = hints.get("return")
    return Contract(
        path_types,
        {name: doc_of(hints[name]) for name in path_types},
        tuple(parameters),
        files_argument,
        Incoming in hints.values(),
        body_argument,
        reply,
        frozenset(names),
    )


def _path_type(annotation: Any) -> type[int] | type[str]:
    plain = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    if plain is int:
        return int
    if plain is str:
        return str
    raise TypeError(f"a path parameter is an int or a str, not {annotation!r}")


def _parameter(argument: inspect.Parameter, annotation: Any) -> Parameter:
    found = list(markers(annotation))
    is_required = argument.default is inspect.Parameter.empty
    # Compat: clients send `null` for what they leave out. Where the two differ, the signature says
    # `T | None | UnsetType = UNSET`.
    null_is_absent = not is_required and argument.default is not msgspec.UNSET
    shape = shape_of(_wire_type(annotation, null_is_absent))
    form = _form(shape, found)
    described = next((each for each in found if isinstance(each, Described)), None)
    return Parameter(
        argument=argument.name,
        name=next((each.name for each in found if isinstance(each, Name)), argument.name),
        aliases=tuple(each.name for each in found if isinstance(each, Alias)),
        only_with=next((each for each in found if isinstance(each, OnlyWith)), None),
        is_required=is_required,
        default=argument.default,
        form=form,
        read=_reader(form, shape, null_is_absent and NullRefused not in found),
        read_member=partial(_read_member, shape, described is not None),
        takes_null=NoneType in shape.kinds and not null_is_absent,
        schema=shape.schema if described is None else described.schema,
        doc=doc_of(annotation),
        example=_example(found, doc_of(annotation), is_required),
    )


def _example(found: Sequence[Any], doc: msgspec.Meta, is_required: bool) -> Any:
    own = [each.value for each in found if isinstance(each, Example)]
    return next(iter(own or (doc.examples or () if is_required else ())), msgspec.UNSET)


def _wire_type(annotation: Any, null_is_absent: bool) -> Any:
    if get_origin(annotation) is Annotated:
        inner, *own = get_args(annotation)
        return Annotated[(_wire_type(inner, null_is_absent), *own)]
    return without(annotation, UnsetType, *([NoneType] if null_is_absent else []))


def _form(shape: Shape, marked: Sequence[Any]) -> Form:
    if Json in marked:
        return "json"
    if BareOrJson in marked:
        return "either"
    if str not in shape.kinds or shape.kinds == JSON_KINDS:
        return "json"
    return "raw" if shape.kinds <= {str, NoneType} else "either"


def _read_member(shape: Shape, is_parsed_by_endpoint: bool, text: str) -> Any:
    is_encoded = type(text) is JsonValue and not is_parsed_by_endpoint
    return shape.check(decode_json(str(text)) if is_encoded else str(text))


def _reader(form: Form, shape: Shape, null_is_absent: bool) -> Callable[[str], Any]:
    kinds, check = shape.kinds, shape.check

    def read_json(text: str) -> Any:
        value = _AS_PYTHON_SAYS.get(text) if bool in kinds else None
        if value is None:
            value = decode_json(text)
        return _ABSENT if value is None and null_is_absent else check(value)

    def read_either(text: str) -> Any:
        try:
            value = decode_json(text)
        except Problem:
            return check(text)
        if value is None and null_is_absent:
            return _ABSENT
        # `true` and `1.5` may be names.
        return check(value if type(value) in kinds else text)

    return {"raw": check, "json": read_json, "either": read_either}[form]
