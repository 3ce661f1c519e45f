"""Code playgrounds: sites where code blocks can be tried out."""

from typing import Annotated

from tertulia import actions
from tertulia.api.call import Call
from tertulia.domain.organization.playgrounds import LANGUAGE_LENGTH, NAME_LENGTH, TEMPLATE_LENGTH
from tertulia.http.parameter_rules import MaxLength, NoNul
from tertulia.http.replies import Reply

Name = Annotated[str, NoNul(), MaxLength(NAME_LENGTH)]
Language = Annotated[str, NoNul(), MaxLength(LANGUAGE_LENGTH)]
Template = Annotated[str, NoNul(), MaxLength(TEMPLATE_LENGTH)]


class AddedPlayground(Reply):
    id: int


async def add(
    call: Call, *, name: Name, pygments_language: Language, url_template: Template
) -> AddedPlayground:
    """Create a code playground."""
    playground_id = await call.db.write(
        actions.organization.playgrounds.add, call.user, name, pygments_language, url_template
    )
    return AddedPlayground(playground_id)


async def remove(call: Call, playground_id: int) -> None:
    """Delete a code playground."""
    await call.db.write(actions.organization.playgrounds.remove, call.user, playground_id)
