"""What people and the organization have, beside what was said: written where they live now."""

import secrets
from collections.abc import Callable, Mapping
from typing import IO, TypeVar

import msgspec

from tertulia import actions, domain, markdown, storage
from tertulia.domain.files.drawn_pictures import Avatar, Picture
from tertulia.domain.groups.group import (
    CHANNEL_PERMISSIONS,
    GROUP_PERMISSIONS,
    GroupValue,
    Members,
    Permission,
)
from tertulia.domain.later.scheduled import Destination, ToChannel, ToPeople
from tertulia.domain.messages.emoji import CUSTOM, UNICODE
from tertulia.domain.organization.linkifiers import LinkifierRule
from tertulia.domain.people.profile_fields import RENDERED, FieldType, FieldValue, ProfileField
from tertulia.domain.people.user import User
from tertulia.domain.personal.drafts import Wording
from tertulia.domain.personal.navigation_views import NavigationView
from tertulia.domain.personal.topic_policies import Visibility
from tertulia.errors import BadRequest
from tertulia.errors.messages import BadImage
from tertulia.markdown import Found, Settings
from tertulia.moving.arrivals import (
    ArrivingAvatar,
    ArrivingChannel,
    ArrivingEmoji,
    ArrivingGroupValue,
    ArrivingProfileField,
    ArrivingReaction,
    ArrivingWording,
    Belongings,
)
from tertulia.moving.here import Here
from tertulia.moving.speech import Speech
from tertulia.moving.tally import (
    ALERT_WORDS,
    ANSWERS,
    AVATARS,
    DRAFTS,
    EMOJI,
    FIELDS,
    GROUPS,
    LINKIFIERS,
    MEMBERS,
    MUTED,
    OF_OTHERS,
    PLAYGROUNDS,
    POLICIES,
    SCHEDULED,
    SNIPPETS,
    STATUSES,
    SUBGROUPS,
    TWICE,
    VIEWS,
)
from tertulia.storage.database.tx import Tx

KNOWN_POLICIES = {int(each) for each in Visibility}
DESCRIPTION_LENGTH = 1024  # of groups
NAME_UNUSABLE = "whose name cannot be used"
OF_OTHER_GROUPS = "of groups that were not brought"
NOT_ACCEPTED = "that are not accepted here"

T = TypeVar("T")

DrawnEmoji = list[tuple[ArrivingEmoji, Picture | None]]


def drawn_emoji(emoji: list[ArrivingEmoji]) -> DrawnEmoji:
    """Before the transaction: drawing takes long."""
    draw, most = domain.files.images.emoji_picture, domain.limits.EMOJI_BYTES
    return [(each, _drawn(each.open, draw, most)) for each in emoji]


def drawn_avatar(arriving: ArrivingAvatar) -> Avatar | None:
    return _drawn(arriving.open, domain.files.images.avatar, domain.limits.AVATAR_BYTES)


def settle(
    tx: Tx,
    here: Here,
    belongings: Belongings,
    channels: list[ArrivingChannel],
    emoji: DrawnEmoji,
    keeper: User,
) -> None:
    """All but avatars, at once. Ids may be kept for nothing of this: no link leads there."""
    _add_emoji(tx, here, emoji, keeper)
    _add_groups(tx, here, belongings)
    _permit(tx, here, channels, belongings)
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
    storage.arriving.keep_state(tx, here.state())


def put_avatars(tx: Tx, here: Here, drawn: list[tuple[str, Avatar | None]]) -> None:
    for key, avatar in drawn:
        here.avatars += 1
        user_id = here.people.get(key)
        if avatar is None or user_id is None:
            here.drop(AVATARS, OF_OTHERS if user_id is None else "that cannot be drawn")
            continue
        actions.people.avatars.put(tx, user_id, avatar)
        here.count(AVATARS)
    storage.arriving.keep_state(tx, here.state())


def add_writings(tx: Tx, here: Here, belongings: Belongings, speech: Speech) -> None:
    """Drafts, scheduled messages, snippets and views of the sidebar, when messages are here."""
    for each in belongings.drafts:
        if each.person not in here.people:
            here.drop(DRAFTS, OF_OTHERS)
            continue
        channel_id, user_ids = here.channels.get(each.channel), here.people_of(each.people)
        topic = domain.names.cleaned(each.topic, domain.limits.TOPIC_LENGTH)
        content = speech.with_names(each.content)[: domain.limits.MESSAGE_LENGTH]
        wording = Wording(channel_id, user_ids, topic, content, each.at)
        storage.personal.drafts.insert(tx, here.people[each.person], wording)
        here.count(DRAFTS)
    for each in belongings.scheduled:
        _schedule(tx, here, each, speech)
    for snippet in belongings.snippets:
        if snippet.person not in here.people:
            here.drop(SNIPPETS, OF_OTHERS)
            continue
        title = domain.names.cleaned(snippet.title, domain.limits.SNIPPET_TITLE_LENGTH)
        content = speech.with_names(snippet.content)[: domain.limits.MESSAGE_LENGTH]
        owner = here.people[snippet.person]
        number = storage.personal.snippets.insert(tx, owner, title, content)
        storage.arriving.date_snippet(tx, number, snippet.created_at or tx.now)
        here.count(SNIPPETS)
    known: set[tuple[int, str]] = set()
    for view in belongings.views:
        user_id = here.people.get(view.person)
        if user_id is None or (user_id, view.fragment) in known:
            here.drop(VIEWS, OF_OTHERS if user_id is None else TWICE)
            continue
        known.add((user_id, view.fragment))
        arriving = NavigationView(view.fragment, view.name, view.is_pinned)
        storage.personal.navigation_views.insert(tx, user_id, arriving)
        here.count(VIEWS)


def _drawn(
    opened: Callable[[], IO[bytes]], draw: Callable[[bytes], T | None], most_bytes: int
) -> T | None:
    try:
        with opened() as file:
            return draw(file.read(most_bytes))
    except (BadImage, OSError):
        return None


def _add_emoji(tx: Tx, here: Here, emoji: DrawnEmoji, keeper: User) -> None:
    names: set[str] = set()
    for arriving, picture in emoji:
        is_active = not arriving.is_deactivated
        if picture is None or (is_active and arriving.name in names):
            here.drop(EMOJI, "that cannot be drawn" if picture is None else "whose name is taken")
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


def _add_groups(tx: Tx, here: Here, belongings: Belongings) -> None:
    for arriving in belongings.groups:
        found = actions.groups.brought.find_or_make(tx, [arriving.name])
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
            storage.arriving.set_creator(tx, "user_group", group.id, creator)
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


def _permit(tx: Tx, here: Here, channels: list[ArrivingChannel], belongings: Belongings) -> None:
    """Who may do what in channels and with groups. What cannot be so here stays at its default."""
    values = _GroupValues(tx, here)
    for channel in channels:
        if channel.permissions and channel.key in here.channels:
            found = storage.channels.find(tx, here.channels[channel.key])
            assert found is not None
            changed = values.permitted(CHANNEL_PERMISSIONS, channel.permissions)
            if not found.history_public:  # then all may start topics
                changed.pop("can_create_topic_group", None)
            storage.channels.set_permissions(tx, found.id, found.permissions | changed)
    for arriving in belongings.groups:
        if arriving.permissions and arriving.key in here.groups:
            group = storage.groups.find(tx, here.groups[arriving.key])
            assert group is not None
            changed = values.permitted(GROUP_PERMISSIONS, arriving.permissions)
            storage.groups.set_permissions(tx, group.id, group.permissions | changed)


class _GroupValues:
    """The values of permissions, with the numbers that people and groups have here."""

    def __init__(self, tx: Tx, here: Here) -> None:
        self._tx, self._here = tx, here
        self._system_ids = storage.groups.system_ids(tx)
        self._members = {
            each.id
            for each in storage.people.everyone(tx)
            if each.is_active and not each.is_system_bot
        }

    def permitted(
        self, rules: Mapping[str, Permission], values: Mapping[str, ArrivingGroupValue]
    ) -> dict[str, GroupValue]:
        found: dict[str, GroupValue] = {}
        for name, value in values.items():
            if name not in rules:
                continue
            people = [each for each in self._here.people_of(value.people) if each in self._members]
            groups = [self._group(key) for key in value.groups]
            if value.people and not people and not groups:
                continue
            try:
                members = Members(people, [each for each in groups if each is not None])
                if None in groups:
                    raise BadRequest("A group was not brought")
                checked = actions.groups.permissions.checked_value(self._tx, rules[name], members)
                found[name] = checked
            except BadRequest:
                self._here.note("permissions that stay at their default")
        return found

    def _group(self, key: str) -> int | None:
        return self._system_ids.get(key) or self._here.groups.get(key)


def _add_policies(tx: Tx, here: Here, belongings: Belongings) -> None:
    known: set[tuple[int, int, str]] = set()
    for policy in belongings.topic_policies:
        user, channel = here.people.get(policy.person), here.channels.get(policy.channel)
        if user is None or channel is None or policy.policy not in KNOWN_POLICIES:
            here.drop(POLICIES, "of people or channels that were not brought")
            continue
        topic = domain.names.cleaned(policy.topic, domain.limits.TOPIC_LENGTH)
        place = (user, channel, domain.channels.topics.fold(topic))
        if place in known:
            here.drop(POLICIES, TWICE)
            continue
        known.add(place)
        value = Visibility(policy.policy)
        storage.personal.topic_policies.set_policy(tx, user, channel, topic, value)
        here.count(POLICIES)


def _add_muted_people(tx: Tx, here: Here, belongings: Belongings) -> None:
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


def _add_links(tx: Tx, here: Here, belongings: Belongings) -> None:
    """Linkifiers and code playgrounds."""
    for rule in belongings.linkifiers:
        checked = LinkifierRule(
            rule.pattern,
            rule.url_template,
            rule.example_input,
            rule.reverse_template,
            rule.alternative_url_templates,
        )
        if actions.organization.linkifiers.bring(tx, checked):
            here.count(LINKIFIERS)
        else:
            here.drop(LINKIFIERS, NOT_ACCEPTED)
    for each in belongings.playgrounds:
        if actions.organization.playgrounds.bring(tx, each.name, each.language, each.url_template):
            here.count(PLAYGROUNDS)
        else:
            here.drop(PLAYGROUNDS, NOT_ACCEPTED)


def _schedule(tx: Tx, here: Here, arriving: ArrivingWording, speech: Speech) -> None:
    owner, channel_id = here.people.get(arriving.person), here.channels.get(arriving.channel)
    people = here.people_of(arriving.people)
    to: Destination = ToPeople(tuple(people))
    if channel_id is not None:
        topic = domain.names.cleaned(arriving.topic, domain.limits.TOPIC_LENGTH)
        to = ToChannel(channel_id, topic)
    if owner is None or (channel_id is None and not people):
        here.drop(SCHEDULED, "of people or channels that were not brought")
    elif arriving.at <= tx.now:
        here.drop(SCHEDULED, "whose time has passed")
    else:
        content = speech.with_names(arriving.content)[: domain.limits.MESSAGE_LENGTH]
        deliver_at = int(arriving.at)
        storage.later.scheduled.insert(tx, owner, to, speech.draft(content), None, deliver_at)
        here.count(SCHEDULED)


def _add_profile_field(tx: Tx, here: Here, arriving: ArrivingProfileField) -> None:
    try:
        kind = domain.people.profile_fields.checked_type(arriving.type)
        data = msgspec.json.decode(arriving.data or "{}")
        stored = domain.people.profile_fields.checked_data(kind, data)
    except (BadRequest, msgspec.DecodeError):
        here.drop(FIELDS, "of a kind that is not known here")
        here.drop(ANSWERS, "to fields that were not brought", len(arriving.values))
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


def _value(here: Here, kind: FieldType, text: str) -> FieldValue:
    if kind == FieldType.USER:
        keys = [str(each) for each in msgspec.json.decode(text)]
        return FieldValue(msgspec.json.encode(here.people_of(keys)).decode())
    if kind in RENDERED:
        return FieldValue(text, markdown.render_description(text, Found(), Settings()))
    return FieldValue(text)


def _set_status(tx: Tx, here: Here, key: str, text: str, emoji: ArrivingReaction | None) -> None:
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
