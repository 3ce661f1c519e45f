"""Imports everything but messages: profiles, groups, emoji, settings."""

import secrets
from collections.abc import Callable
from typing import IO, TypeVar

import msgspec

from tertulia import actions, domain, markdown, storage
from tertulia.database.tx import Tx
from tertulia.domain.emoji import CUSTOM, UNICODE
from tertulia.domain.files.picture import Picture
from tertulia.domain.organization.linkifiers import LinkifierRule
from tertulia.domain.people.avatar import Avatar
from tertulia.domain.people.profile_fields import RENDERED, FieldType, FieldValue, ProfileField
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.errors import BadRequest
from tertulia.errors.messages import BadImage
from tertulia.markdown import Resolved, Settings
from tertulia.transfer.importing import permissions
from tertulia.transfer.importing.import_state import ImportState
from tertulia.transfer.importing.tally import (
    ALERT_WORDS,
    ANSWERS,
    AVATARS,
    EMOJI,
    FIELDS,
    GROUPS,
    LINKIFIERS,
    MEMBERS,
    MUTED,
    OF_OTHERS,
    PLAYGROUNDS,
    POLICIES,
    STATUSES,
    SUBGROUPS,
    TWICE,
)
from tertulia.transfer.model import (
    ArrivingAvatar,
    ArrivingChannel,
    ArrivingEmoji,
    ArrivingProfileField,
    ArrivingReaction,
    ProfileData,
)

KNOWN_POLICIES = {int(each) for each in TopicPolicy}
DESCRIPTION_LENGTH = 1024  # of groups
NAME_UNUSABLE = "whose name cannot be used"
OF_OTHER_GROUPS = "of groups that were not imported"
NOT_ACCEPTED = "that are not accepted here"

T = TypeVar("T")

DrawnEmoji = list[tuple[ArrivingEmoji, Picture | None]]


def drawn_emoji(emoji: list[ArrivingEmoji]) -> DrawnEmoji:
    """Convert the pictures before the transaction, because that is slow."""
    draw, most = domain.files.images.emoji_picture, domain.limits.EMOJI_BYTES
    return [(each, _drawn(each.open, draw, most)) for each in emoji]


def drawn_avatar(arriving: ArrivingAvatar) -> Avatar | None:
    return _drawn(arriving.open, domain.files.images.avatar, domain.limits.AVATAR_BYTES)


def settle(
    tx: Tx,
    here: ImportState,
    belongings: ProfileData,
    channels: list[ArrivingChannel],
    emoji: DrawnEmoji,
    keeper: User,
) -> None:
    """Import all but avatars in one transaction. These objects get new ids, because no link refers
    to them."""
    _add_emoji(tx, here, emoji, keeper)
    _add_groups(tx, here, belongings)
    permissions.permit(tx, here, channels, belongings)
    for field in belongings.profile_fields:
        _add_profile_field(tx, here, field)
    _add_policies(tx, here, belongings)
    _add_muted_people(tx, here, belongings)
    for who, word in belongings.alert_words:
        if who not in here.people:
            here.drop(ALERT_WORDS, OF_OTHERS)
            continue
        storage.personal.alert_words.insert(tx, here.people[who], [word])
        here.count(ALERT_WORDS)
    for status in belongings.statuses:
        _set_status(tx, here, status.person, status.text, status.emoji)
    _add_links(tx, here, belongings)
    here.is_settled = True
    storage.bulk_import.store_state(tx, here.state())


def put_avatars(tx: Tx, here: ImportState, drawn: list[tuple[str, Avatar | None]]) -> None:
    for key, avatar in drawn:
        here.avatars += 1
        user_id = here.people.get(key)
        if avatar is None or user_id is None:
            here.drop(AVATARS, OF_OTHERS if user_id is None else "that are not valid images")
            continue
        actions.people.avatars.set_avatar(tx, user_id, avatar)
        here.count(AVATARS)
    storage.bulk_import.store_state(tx, here.state())


def _drawn(
    opened: Callable[[], IO[bytes]], draw: Callable[[bytes], T | None], max_bytes: int
) -> T | None:
    try:
        with opened() as file:
            return draw(file.read(max_bytes))
    except (BadImage, OSError):
        return None


def _add_emoji(tx: Tx, here: ImportState, emoji: DrawnEmoji, keeper: User) -> None:
    names: set[str] = set()
    for arriving, picture in emoji:
        is_active = not arriving.is_deactivated
        if picture is None or (is_active and arriving.name in names):
            here.drop(
                EMOJI, "that are not valid images" if picture is None else "whose name is taken"
            )
            continue
        stem = secrets.token_hex(8)
        still_name = None if picture.still is None else f"{stem}.png"
        number = storage.organization.custom_emoji.insert(
            tx,
            arriving.name,
            here.people.get(arriving.author, keeper.id),
            (f"{stem}.{picture.extension}", picture.data),
            (still_name, picture.still),
        )
        if is_active:
            names.add(arriving.name)
        else:
            storage.organization.custom_emoji.deactivate(tx, number)
        here.emoji[arriving.key] = number
        here.count(EMOJI)


def _add_groups(tx: Tx, here: ImportState, belongings: ProfileData) -> None:
    for arriving in belongings.groups:
        found = actions.groups.synced.find_or_create(tx, [arriving.name])
        if not found or found[0].id in here.groups.values():
            here.drop(GROUPS, NAME_UNUSABLE)
            here.drop(MEMBERS, OF_OTHER_GROUPS, len(arriving.members))
            continue
        (group,) = found
        here.groups[arriving.key] = group.id
        description = arriving.description[:DESCRIPTION_LENGTH]
        too_long = len(arriving.description) > len(description)
        here.note("descriptions of groups that were shortened", int(too_long))
        storage.groups.update(
            tx,
            group.id,
            name=group.name,
            description=description,
            deactivated=arriving.is_deactivated,
        )
        if arriving.creator in here.people:
            creator = here.people[arriving.creator]
            storage.bulk_import.set_creator(tx, "user_group", group.id, creator)
        members = here.people_of(arriving.members)
        known = sum(key in here.people for key in arriving.members)
        storage.groups.add_members(tx, group.id, members)
        here.count(GROUPS)
        here.count(MEMBERS, len(members))
        here.drop(MEMBERS, TWICE, known - len(members))
        here.drop(MEMBERS, OF_OTHERS, len(arriving.members) - known)
    for arriving in belongings.groups:
        inner = sorted({here.groups[key] for key in arriving.subgroups if key in here.groups})
        if arriving.key not in here.groups:
            inner = []
        for subgroup in inner:
            storage.groups.add_subgroup(tx, here.groups[arriving.key], subgroup)
        here.count(SUBGROUPS, len(inner))
        here.drop(SUBGROUPS, OF_OTHER_GROUPS, len(arriving.subgroups) - len(inner))


def _add_policies(tx: Tx, here: ImportState, belongings: ProfileData) -> None:
    known: set[tuple[int, int, str]] = set()
    for policy in belongings.topic_policies:
        user, channel = here.people.get(policy.person), here.channels.get(policy.channel)
        if user is None or channel is None or policy.policy not in KNOWN_POLICIES:
            here.drop(POLICIES, "of people or channels that were not imported")
            continue
        topic = domain.names.cleaned(policy.topic, domain.limits.TOPIC_LENGTH)
        place = (user, channel, domain.channels.topics.fold(topic))
        if place in known:
            here.drop(POLICIES, TWICE)
            continue
        known.add(place)
        value = TopicPolicy(policy.policy)
        storage.personal.topic_policies.set_policy(tx, user, channel, topic, value)
        here.count(POLICIES)


def _add_muted_people(tx: Tx, here: ImportState, belongings: ProfileData) -> None:
    pairs = [
        (here.people[who], here.people[whom])
        for who, whom in belongings.muted_people
        if who in here.people and whom in here.people
    ]
    here.drop(MUTED, OF_OTHERS, len(belongings.muted_people) - len(pairs))
    here.drop(MUTED, TWICE, len(pairs) - len(set(pairs)))
    for user, muted in sorted(set(pairs)):
        storage.personal.muted_users.insert(tx, user, muted)
        here.count(MUTED)


def _add_links(tx: Tx, here: ImportState, belongings: ProfileData) -> None:
    """Linkifiers and code playgrounds."""
    for rule in belongings.linkifiers:
        checked = LinkifierRule(
            rule.pattern,
            rule.url_template,
            rule.example_input,
            rule.reverse_template,
            rule.alternative_url_templates,
        )
        if actions.organization.linkifiers.add_imported(tx, checked):
            here.count(LINKIFIERS)
        else:
            here.drop(LINKIFIERS, NOT_ACCEPTED)
    for each in belongings.playgrounds:
        if actions.organization.playgrounds.add_imported(
            tx, each.name, each.language, each.url_template
        ):
            here.count(PLAYGROUNDS)
        else:
            here.drop(PLAYGROUNDS, NOT_ACCEPTED)


def _add_profile_field(tx: Tx, here: ImportState, arriving: ArrivingProfileField) -> None:
    try:
        kind = domain.people.profile_fields.checked_type(arriving.type)
        data = msgspec.json.decode(arriving.data or "{}")
        stored = domain.people.profile_fields.checked_data(kind, data)
    except (BadRequest, msgspec.DecodeError):
        here.drop(FIELDS, "of an unknown type")
        here.drop(ANSWERS, "to fields that were not imported", len(arriving.values))
        return
    field = ProfileField(
        id=0,
        type=kind,
        name=domain.names.cleaned(arriving.name, domain.limits.PROFILE_LABEL_LENGTH),
        hint=domain.names.cleaned(arriving.hint, domain.limits.PROFILE_HINT_LENGTH),
        data=stored,
        in_summary=arriving.in_summary,
        required=arriving.required,
        editable_by_user=arriving.editable_by_user,
    )
    number = storage.people.profile_fields.insert(tx, field)
    here.count(FIELDS)
    for key, text in arriving.values.items():
        if key in here.people and text:
            value = _value(here, kind, text)
            storage.people.profile_fields.set_value(tx, here.people[key], number, value)
            here.count(ANSWERS)
        else:
            here.drop(ANSWERS, "that are empty" if key in here.people else OF_OTHERS)


def _value(here: ImportState, kind: FieldType, text: str) -> FieldValue:
    if kind == FieldType.USER:
        keys = [str(each) for each in msgspec.json.decode(text)]
        return FieldValue(msgspec.json.encode(here.people_of(keys)).decode())
    if kind in RENDERED:
        return FieldValue(text, markdown.render_description(text, Resolved(), Settings()))
    return FieldValue(text)


def _set_status(
    tx: Tx, here: ImportState, key: str, text: str, emoji: ArrivingReaction | None
) -> None:
    user_id = here.people.get(key)
    if user_id is None:
        here.drop(STATUSES, OF_OTHERS)
        return
    changes = {"status_text": domain.names.cleaned(text, domain.limits.STATUS_LENGTH)}
    if emoji is not None:
        code = emoji.code
        if emoji.type == CUSTOM:
            code = str(here.emoji.get(emoji.code, ""))
        if code:
            changes |= {
                "emoji_name": emoji.name,
                "emoji_code": code,
                "reaction_type": emoji.type or UNICODE,
            }
    storage.people.statuses.change(tx, user_id, changes)
    here.count(STATUSES)
