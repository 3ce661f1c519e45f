"""Drafts: kept for their owner, who alone knows that they are there."""

from collections.abc import Sequence

from tertulia.actions import channels as channel_actions
from tertulia.actions import people
from tertulia.domain import limits
from tertulia.domain.drafts import SavedDraft, Wording, worded
from tertulia.domain.users import User
from tertulia.errors import BadRequest
from tertulia.events.audience import Users
from tertulia.events.log import announce
from tertulia.events.types.drafts import DraftDeleted, DraftEdited, DraftsAdded
from tertulia.storage import drafts, users
from tertulia.storage.tx import Tx

Words = tuple[str, list[int], str, str, float | None]  # type, to, topic, content, timestamp


def everything(tx: Tx, user: User) -> list[SavedDraft]:
    """Oldest edit first."""
    _check_synchronizes(tx, user)
    return drafts.of_user(tx, user.id)


def add(tx: Tx, user: User, texts: Sequence[Words]) -> list[int]:
    """Keep all of them or none; gives their ids."""
    _check_synchronizes(tx, user)
    wordings = [_addressed(tx, user, words) for words in texts]
    if drafts.count_of(tx, user.id) + len(wordings) > limits.DRAFTS:
        raise BadRequest(f"Too many drafts (limit: {limits.DRAFTS})")
    ids = [drafts.insert(tx, user.id, wording) for wording in wordings]
    announce(tx, DraftsAdded(ids), to=Users([user.id]))
    return ids


def edit(tx: Tx, user: User, draft_id: int, words: Words) -> None:
    _check_own(tx, user, draft_id)
    drafts.update(tx, draft_id, _addressed(tx, user, words))
    announce(tx, DraftEdited(draft_id), to=Users([user.id]))


def delete(tx: Tx, user: User, draft_id: int) -> None:
    _check_own(tx, user, draft_id)
    drafts.delete(tx, draft_id)
    announce(tx, DraftDeleted(draft_id), to=Users([user.id]))


def _check_own(tx: Tx, user: User, draft_id: int) -> None:
    _check_synchronizes(tx, user)
    if not drafts.exists(tx, user.id, draft_id):
        raise BadRequest("Draft does not exist")


def _check_synchronizes(tx: Tx, user: User) -> None:
    found = users.find(tx, user.id)
    if found is None or not found.prefers("enable_drafts_synchronization"):
        raise BadRequest("User has disabled synchronizing drafts.")


def _addressed(tx: Tx, user: User, words: Words) -> Wording:
    wording = worded(*words, now=tx.now).by(user.id)
    if wording.channel_id is not None:
        channel_actions.visible_to(tx, user, wording.channel_id)
    known = {each.id for each in people.find_many(tx, user, wording.user_ids)}
    for user_id in wording.user_ids:
        if user_id not in known:
            raise BadRequest(f"Invalid user ID {user_id}")
    return wording
