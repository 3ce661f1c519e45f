"""Drafts of a user, visible only to them."""

from collections.abc import Sequence

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.domain.personal.drafts import DraftContent, SavedDraft
from tertulia.errors import BadRequest
from tertulia.events.audience import Users
from tertulia.events.types.personal.drafts import DraftDeleted, DraftEdited, DraftsAdded

Words = tuple[str, list[int], str, str, float | None]  # type, to, topic, content, timestamp


def list_all(tx: Tx, user: User) -> list[SavedDraft]:
    """By time of the last edit, oldest first."""
    _check_synchronizes(tx, user)
    return storage.personal.drafts.of_user(tx, user.id)


def add(tx: Tx, user: User, texts: Sequence[Words]) -> list[int]:
    """Store all of them, or none. Returns their ids."""
    _check_synchronizes(tx, user)
    drafts = [_addressed(tx, user, words) for words in texts]
    if storage.personal.drafts.count_of(tx, user.id) + len(drafts) > domain.limits.MAX_DRAFTS:
        raise BadRequest(f"Too many drafts (limit: {domain.limits.MAX_DRAFTS})")
    ids = [storage.personal.drafts.insert(tx, user.id, draft) for draft in drafts]
    events.log.announce(tx, DraftsAdded(ids), to=Users([user.id]))
    return ids


def edit(tx: Tx, user: User, draft_id: int, text: Words) -> None:
    _check_own(tx, user, draft_id)
    storage.personal.drafts.update(tx, draft_id, _addressed(tx, user, text))
    events.log.announce(tx, DraftEdited(draft_id), to=Users([user.id]))


def delete(tx: Tx, user: User, draft_id: int) -> None:
    _check_own(tx, user, draft_id)
    storage.personal.drafts.delete(tx, draft_id)
    events.log.announce(tx, DraftDeleted(draft_id), to=Users([user.id]))


def _check_own(tx: Tx, user: User, draft_id: int) -> None:
    _check_synchronizes(tx, user)
    if not storage.personal.drafts.exists(tx, user.id, draft_id):
        raise BadRequest("Draft does not exist")


def _check_synchronizes(tx: Tx, user: User) -> None:
    found = storage.people.find(tx, user.id)
    if found is None or not found.prefers("enable_drafts_synchronization"):
        raise BadRequest("User has disabled synchronizing drafts.")


def _addressed(tx: Tx, user: User, text: Words) -> DraftContent:
    wording = domain.personal.drafts.worded(*text, now=tx.now).by(user.id)
    if wording.channel_id is not None:
        actions.channels.visible_to(tx, user, wording.channel_id)
    known = {each.id for each in actions.people.visible_users.find_many(tx, user, wording.user_ids)}
    for user_id in wording.user_ids:
        if user_id not in known:
            raise BadRequest(f"Invalid user ID {user_id}")
    return wording
