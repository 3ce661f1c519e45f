"""Settings as parameters: the wire type of each kind of setting."""

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal

from tertulia.api.permission_values import Change
from tertulia.domain.organization.settings import LoginMethods, PeopleNamed
from tertulia.domain.setting_values import (
    Adjustable,
    ChannelId,
    ChosenFrom,
    DailyHours,
    FreeText,
    Language,
    Limit,
    ServerUrl,
    Switch,
    ValueKind,
    Whole,
)
from tertulia.http.parameter_rules import (
    AtLeast,
    AtMost,
    BareOrJson,
    Json,
    MaxLength,
    NotBlank,
    Rule,
    Stripped,
    value_error,
)
from tertulia.wire import Doc

MAX_WORD_LENGTH = 100

Forms = Mapping[type[ValueKind], Callable[[Any], Any]]


class _WebAddress(Rule):
    def __init__(self, kind: ServerUrl) -> None:
        self.kind = kind

    def check(self, value: str) -> str:
        try:
            self.kind.checked(value)
        except ValueError:
            raise value_error("Not a URL") from None
        return value


def _chosen(kind: ChosenFrom) -> Any:
    words = [BareOrJson] if kind.type is str else [Json]
    return Annotated[(Literal[kind.values], *words)]


def _text(kind: FreeText) -> Any:
    rules = [Stripped, NotBlank] if kind.is_title else []
    return Annotated[(str, *rules, MaxLength(kind.max_length))]


def _limit(kind: Limit) -> Any:
    """Compat: where seconds are counted, the word "unlimited" must come in quotes."""
    return Annotated[int | str, Json if kind.unit == "seconds" else BareOrJson]


FORMS: Forms = {
    Switch: lambda kind: bool,
    ChosenFrom: _chosen,
    Language: lambda kind: Annotated[str, MaxLength(MAX_WORD_LENGTH), BareOrJson],
    Whole: lambda kind: Annotated[int, AtLeast(kind.minimum), AtMost(kind.maximum)],
    Limit: _limit,
    FreeText: _text,
    ServerUrl: lambda kind: Annotated[
        str, MaxLength(kind.max_length), _WebAddress(kind), BareOrJson
    ],
    DailyHours: lambda kind: Annotated[str, MaxLength(MAX_WORD_LENGTH), BareOrJson],
    ChannelId: lambda kind: int,
    LoginMethods: lambda kind: dict[str, bool],
    PeopleNamed: lambda kind: Change,
}


def parameters(settings: Iterable[Adjustable], forms: Forms = FORMS) -> dict[str, Any]:
    """For `takes`: a table of settings as the parameters of an endpoint."""
    return {
        setting.name: Annotated[_form(setting, forms)(setting.kind), Doc(setting.meaning)]
        for setting in settings
    }


# Values with error texts of their own are checked by the action; here only the type counts.
_REFUSED_LATER: Forms = {ChosenFrom: FORMS[Language], Whole: lambda kind: int}


def _form(setting: Adjustable, forms: Forms) -> Callable[[Any], Any]:
    kind = type(setting.kind)
    is_refused_later = setting.refusal is not None and kind in _REFUSED_LATER
    return (_REFUSED_LATER if is_refused_later else forms)[kind]
