"""Imports everything but messages: profiles, groups, emoji, settings."""

import secrets
from collections.abc import Callable
from typing import IO, TypeVar

import msgspec

from tertulia import actions, domain, features, markdown, storage
from tertulia.database.tx import Tx
from tertulia.domain.emoji import CUSTOM, UNICODE
from tertulia.domain.files.picture import Avatar, Picture
from tertulia.domain.people.profile_fields import RENDERED, FieldType, FieldValue, ProfileField
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.errors import BadRequest
from tertulia.errors.messages import BadImage
from tertulia.markdown import Resolved, Settings
from tertulia.transfer.importing import permissions
from tertulia.transfer.importing.import_counts import (
    ALERT_WORDS,
    ANSWERS,
    AVATARS,
    DUPLICATES,
    EMOJI,
    FIELDS,
    GROUPS,
    LINKIFIERS,
    MEMBERS,
    MUTED,
    OF_UNKNOWN_PEOPLE,
    PLAYGROUNDS,
    POLICIES,
    STATUSES,
    SUBGROUPS,
)
from tertulia.transfer.importing.import_state import ImportState
from tertulia.transfer.model import (
    ImportedAvatar,
    ImportedChannel,
    ImportedEmoji,
    ImportedProfileField,
    ImportedReaction,
    ProfileData,
)

KNOWN_POLICIES = {int(each) for each in TopicPolicy}
DESCRIPTION_LENGTH = 1024  # of groups
NAME_UNUSABLE = "whose name cannot be used"
OF_OTHER_GROUPS = "of groups that were not imported"
NOT_ACCEPTED = "that are not accepted here"

T = TypeVar("T")

EmojiPictures = list[tuple[ImportedEmoji, Picture | None]]


def read_emoji(emoji: list[ImportedEmoji]) -> EmojiPictures:
    """Convert the pictures before the transaction, because that is slow."""
    draw, limit = domain.files.images.emoji_picture, domain.limits.MAX_EMOJI_BYTES
    return [(each, _read_picture(each.open, draw, limit)) for each in emoji]


def read_avatar(imported: ImportedAvatar) -> Avatar | None:
    return _read_picture(imported.open, domain.files.images.avatar, domain.limits.MAX_AVATAR_BYTES)


def add(
    tx: Tx,
    state: ImportState,
    profiles: ProfileData,
    channels: list[ImportedChannel],
    emoji: EmojiPictures,
    owner: User,
) -> None:
    """Import all but avatars in one transaction. These objects get new ids, because no link refers
    to them."""
    _add_emoji(tx, state, emoji, owner)
    _add_groups(tx, state, profiles)
    permissions.apply_permissions(tx, state, channels, profiles)
    for field in profiles.profile_fields:
        _add_profile_field(tx, state, field)
    _add_policies(tx, state, profiles)
    _add_muted_people(tx, state, profiles)
    for who, word in profiles.alert_words:
        if who not in state.people:
            state.drop(ALERT_WORDS, OF_UNKNOWN_PEOPLE)
            continue
        storage.personal.alert_words.insert(tx, state.people[who], [word])
        state.count(ALERT_WORDS)
    for status in profiles.statuses:
        _set_status(tx, state, status.person, status.text, status.emoji)
    _add_links(tx, state, profiles)
    state.has_profile_data = True
    storage.bulk_import.store_state(tx, state.to_dict())


def put_avatars(tx: Tx, state: ImportState, drawn: list[tuple[str, Avatar | None]]) -> None:
    for key, avatar in drawn:
        state.avatars += 1
        user_id = state.people.get(key)
        if avatar is None or user_id is None:
            state.drop(
                AVATARS, OF_UNKNOWN_PEOPLE if user_id is None else "that are not valid images"
            )
            continue
        actions.people.avatars.set_avatar(tx, user_id, avatar)
        state.count(AVATARS)
    storage.bulk_import.store_state(tx, state.to_dict())


def _read_picture(
    opened: Callable[[], IO[bytes]], draw: Callable[[bytes], T | None], max_bytes: int
) -> T | None:
    try:
        with opened() as file:
            return draw(file.read(max_bytes))
    except (BadImage, OSError):
        return None


def _add_emoji(tx: Tx, state: ImportState, emoji: EmojiPictures, owner: User) -> None:
    names: set[str] = set()
    for imported, picture in emoji:
        is_active = not imported.is_deactivated
        if picture is None or (is_active and imported.name in names):
            state.drop(
                EMOJI, "that are not valid images" if picture is None else "whose name is taken"
            )
            continue
        stem = secrets.token_hex(8)
        still_name = None if picture.still is None else f"{stem}.png"
        number = storage.organization.custom_emoji.insert(
            tx,
            imported.name,
            state.people.get(imported.author, owner.id),
            (f"{stem}.{picture.extension}", picture.data),
            (still_name, picture.still),
        )
        if is_active:
            names.add(imported.name)
        else:
            storage.organization.custom_emoji.deactivate(tx, number)
        state.emoji[imported.key] = number
        state.count(EMOJI)


def _add_groups(tx: Tx, state: ImportState, profiles: ProfileData) -> None:
    for imported in profiles.groups:
        found = actions.groups.synced.find_or_create(tx, [imported.name])
        if not found or found[0].id in state.groups.values():
            state.drop(GROUPS, NAME_UNUSABLE)
            state.drop(MEMBERS, OF_OTHER_GROUPS, len(imported.members))
            continue
        (group,) = found
        state.groups[imported.key] = group.id
        description = imported.description[:DESCRIPTION_LENGTH]
        too_long = len(imported.description) > len(description)
        state.note("descriptions of groups that were shortened", int(too_long))
        storage.groups.update(
            tx,
            group.id,
            name=group.name,
            description=description,
            deactivated=imported.is_deactivated,
        )
        if imported.creator in state.people:
            creator = state.people[imported.creator]
            storage.bulk_import.set_creator(tx, "user_group", group.id, creator)
        members = state.people_of(imported.members)
        known = sum(key in state.people for key in imported.members)
        storage.groups.add_members(tx, group.id, members)
        state.count(GROUPS)
        state.count(MEMBERS, len(members))
        state.drop(MEMBERS, DUPLICATES, known - len(members))
        state.drop(MEMBERS, OF_UNKNOWN_PEOPLE, len(imported.members) - known)
    for imported in profiles.groups:
        inner = sorted({state.groups[key] for key in imported.subgroups if key in state.groups})
        if imported.key not in state.groups:
            inner = []
        for subgroup in inner:
            storage.groups.add_subgroups(tx, state.groups[imported.key], [subgroup])
        state.count(SUBGROUPS, len(inner))
        state.drop(SUBGROUPS, OF_OTHER_GROUPS, len(imported.subgroups) - len(inner))


def _add_policies(tx: Tx, state: ImportState, profiles: ProfileData) -> None:
    known: set[tuple[int, int, str]] = set()
    for policy in profiles.topic_policies:
        user, channel = state.people.get(policy.person), state.channels.get(policy.channel)
        if user is None or channel is None or policy.policy not in KNOWN_POLICIES:
            state.drop(POLICIES, "of people or channels that were not imported")
            continue
        topic = domain.names.cleaned(policy.topic, domain.limits.MAX_TOPIC_LENGTH)
        key = (user, channel, domain.channels.topics.fold(topic))
        if key in known:
            state.drop(POLICIES, DUPLICATES)
            continue
        known.add(key)
        value = TopicPolicy(policy.policy)
        storage.personal.topic_policies.set_policy(tx, user, channel, topic, value)
        state.count(POLICIES)


def _add_muted_people(tx: Tx, state: ImportState, profiles: ProfileData) -> None:
    pairs = [
        (state.people[who], state.people[whom])
        for who, whom in profiles.muted_people
        if who in state.people and whom in state.people
    ]
    state.drop(MUTED, OF_UNKNOWN_PEOPLE, len(profiles.muted_people) - len(pairs))
    state.drop(MUTED, DUPLICATES, len(pairs) - len(set(pairs)))
    for user, muted in sorted(set(pairs)):
        storage.personal.muted_users.insert(tx, user, muted)
        state.count(MUTED)


def _add_links(tx: Tx, state: ImportState, profiles: ProfileData) -> None:
    """Linkifiers and code playgrounds."""
    for rule in profiles.linkifiers:
        if features.linkifiers.add_imported(tx, rule):
            state.count(LINKIFIERS)
        else:
            state.drop(LINKIFIERS, NOT_ACCEPTED)
    for each in profiles.playgrounds:
        if features.playgrounds.add_imported(tx, each.name, each.language, each.url_template):
            state.count(PLAYGROUNDS)
        else:
            state.drop(PLAYGROUNDS, NOT_ACCEPTED)


def _add_profile_field(tx: Tx, state: ImportState, imported: ImportedProfileField) -> None:
    try:
        kind = domain.people.profile_fields.checked_type(imported.type)
        data = msgspec.json.decode(imported.data or "{}")
        stored = domain.people.profile_fields.checked_data(kind, data)
    except (BadRequest, msgspec.DecodeError):
        state.drop(FIELDS, "of an unknown type")
        state.drop(ANSWERS, "to fields that were not imported", len(imported.values))
        return
    field = ProfileField(
        id=0,
        type=kind,
        name=domain.names.cleaned(imported.name, domain.limits.MAX_PROFILE_LABEL_LENGTH),
        hint=domain.names.cleaned(imported.hint, domain.limits.MAX_PROFILE_HINT_LENGTH),
        data=stored,
        in_summary=imported.in_summary,
        required=imported.required,
        editable_by_user=imported.editable_by_user,
    )
    number = features.profile_fields.insert(tx, field)
    state.count(FIELDS)
    for key, text in imported.values.items():
        if key in state.people and text:
            value = _value(state, kind, text)
            storage.people.profile_fields.set_value(tx, state.people[key], number, value)
            state.count(ANSWERS)
        else:
            state.drop(ANSWERS, "that are empty" if key in state.people else OF_UNKNOWN_PEOPLE)


def _value(state: ImportState, kind: FieldType, text: str) -> FieldValue:
    if kind == FieldType.USER:
        keys = [str(each) for each in msgspec.json.decode(text)]
        return FieldValue(msgspec.json.encode(state.people_of(keys)).decode())
    if kind in RENDERED:
        return FieldValue(text, markdown.render_description(text, Resolved(), Settings()))
    return FieldValue(text)


def _set_status(
    tx: Tx, state: ImportState, key: str, text: str, emoji: ImportedReaction | None
) -> None:
    user_id = state.people.get(key)
    if user_id is None:
        state.drop(STATUSES, OF_UNKNOWN_PEOPLE)
        return
    state.note("statuses that were shortened", int(len(text) > domain.limits.MAX_STATUS_LENGTH))
    changes = {"status_text": domain.names.cleaned(text, domain.limits.MAX_STATUS_LENGTH)}
    if emoji is not None:
        code = emoji.code
        if emoji.type == CUSTOM:
            code = str(state.emoji.get(emoji.code, ""))
        if code:
            changes |= {
                "emoji_name": emoji.name,
                "emoji_code": code,
                "reaction_type": emoji.type or UNICODE,
            }
    storage.people.statuses.change(tx, user_id, changes)
    state.count(STATUSES)
