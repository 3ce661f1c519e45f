"""Texts of Notification Bot: what a user did, as source and HTML at once.

Notices are written inside a transaction, where nothing may be slow, so they are built from parts in
both forms instead of being rendered.
"""

from collections.abc import Sequence
from html import escape

import msgspec

from tertulia.domain.channels.channel import FOREVER, Channel
from tertulia.domain.groups.group import Group, GroupValue, Members
from tertulia.domain.messages import links
from tertulia.domain.people.user import User


class NoticeText(msgspec.Struct, frozen=True):
    """A text in both forms."""

    source: str
    html: str

    def __add__(self, other: "NoticeText | str") -> "NoticeText":
        more = plain(other) if isinstance(other, str) else other
        return NoticeText(self.source + more.source, self.html + more.html)

    def __radd__(self, before: str) -> "NoticeText":
        return plain(before) + self


class WelcomeMessage(msgspec.Struct, frozen=True):
    """A welcome by Notification Bot, and by mail if mail is configured."""

    words: NoticeText
    site: str = ""  # our URL for the mail; empty if no mail is sent


def plain(text: str) -> NoticeText:
    return NoticeText(text, escape(text, quote=False))


def strong(text: str) -> NoticeText:
    return NoticeText(f"**{text}**", f"<strong>{escape(text, quote=False)}</strong>")


def link(text: str, address: str) -> NoticeText:
    return NoticeText(f"[{text}]({address})", f'<a href="{escape(address)}">{escape(text)}</a>')


def person(user: User) -> NoticeText:
    name = escape(user.full_name, quote=False)
    return NoticeText(
        f"@_**{user.full_name}|{user.id}**",
        f'<span class="user-mention silent" data-user-id="{user.id}">{name}</span>',
    )


def group_name(group: Group) -> NoticeText:
    name = escape(group.description if group.is_system else group.name, quote=False)
    return NoticeText(
        f"@_*{group.name}*",
        f'<span class="user-group-mention silent" data-user-group-id="{group.id}">{name}</span>',
    )


def channel_link(channel: Channel) -> NoticeText:
    address = f"/{links.channel_link(channel.id, channel.name)}"
    return NoticeText(
        f"#**{channel.name}**",
        f'<a class="stream" data-stream-id="{channel.id}" href="{escape(address)}">'
        f"#{escape(channel.name, quote=False)}</a>",
    )


def several(parts: Sequence[NoticeText]) -> NoticeText:
    joined = NoticeText("", "")
    for index, part in enumerate(parts):
        joined = joined + (", " if index else "") + part
    return joined


def paragraph(text: NoticeText) -> NoticeText:
    return NoticeText(text.source, f"<p>{text.html}</p>")


def bullets(items: Sequence[NoticeText]) -> NoticeText:
    return NoticeText(
        "\n".join(f"* {item.source}" for item in items),
        "<ul>\n" + "\n".join(f"<li>{item.html}</li>" for item in items) + "\n</ul>",
    )


def quote(source: str, rendered: str) -> NoticeText:
    return NoticeText(f"```` quote\n{source}\n````", f"<blockquote>\n{rendered}\n</blockquote>")


def description_quote(source: str, rendered: str) -> NoticeText:
    if source:
        return quote(source, rendered)
    return quote("*No description.*", "<p><em>No description.</em></p>")


def blocks(*parts: NoticeText, apart: str = "\n\n") -> NoticeText:
    """Blocks one below the other, separated by `apart` in the source."""
    return NoticeText(
        apart.join(part.source for part in parts), "\n".join(part.html for part in parts)
    )


# --- notices ---


def subscribed_you(by: User, channels: Sequence[Channel]) -> NoticeText:
    if len(channels) == 1:
        return paragraph(person(by) + " subscribed you to " + channel_link(channels[0]) + ".")
    opening = paragraph(person(by) + " subscribed you to the following channels:")
    return blocks(opening, bullets([channel_link(channel) for channel in channels]))


def joined(user: User) -> NoticeText:
    return paragraph(person(user) + " joined this organization.")


def accepted(user: User, organization: str) -> NoticeText:
    return paragraph(person(user) + f" accepted your invitation to join {organization}!")


def moved_you(by: User, did: str, group: Group) -> NoticeText:
    """A user was added to a group or removed from it: `did` is "added you to", for example."""
    return paragraph(person(by) + f" {did} the group " + group_name(group) + ".")


def new_channels(by: User, channels: Sequence[Channel]) -> NoticeText:
    named = several([channel_link(channel) for channel in channels])
    if len(channels) == 1:
        return paragraph(person(by) + " created a new channel " + named + ".")
    return paragraph(person(by) + " created the following channels: " + named + ".")


def channel_created(by: User, channel: Channel) -> NoticeText:
    opening = strong(channel.openness) + " channel created by " + person(by) + ". "
    described = description_quote(channel.description, channel.rendered_description)
    return blocks(paragraph(opening + strong("Description:")), described, apart="\n")


def channel_renamed(by: User, old: str, new: str) -> NoticeText:
    return paragraph(person(by) + " renamed channel " + strong(old) + " to " + strong(new) + ".")


def description_changed(by: User, before: Channel, after: Channel) -> NoticeText:
    old = description_quote(before.description, before.rendered_description)
    new = description_quote(after.description, after.rendered_description)
    return blocks(
        paragraph(person(by) + " changed the description for this channel."),
        blocks(
            bullets([strong("Old description:")]),
            old,
            bullets([strong("New description:")]),
            new,
            apart="\n",
        ),
    )


def openness_changed(by: User, before: Channel, after: Channel) -> NoticeText:
    subject = link("access permissions", "/help/channel-permissions")
    return paragraph(
        person(by)
        + " changed the "
        + subject
        + " for this channel from "
        + strong(before.openness)
        + " to "
        + strong(after.openness)
        + "."
    )


def posting_changed(by: User, old: NoticeText, new: NoticeText) -> NoticeText:
    subject = link("posting permissions", "/help/channel-posting-policy")
    return blocks(
        paragraph(person(by) + " changed the " + subject + " for this channel:"),
        bullets([strong("Old") + ": " + old, strong("New") + ": " + new]),
    )


def retention_changed(by: User, old: int, new: int) -> NoticeText:
    """Both are effective days: the organization's policy if the channel has none."""
    subject = link("message retention period", "/help/message-retention-policy")
    if new == FOREVER:
        closing = "Messages in this channel will now be retained forever."
    else:
        closing = (
            f"Messages in this channel will now be automatically deleted {_days(new)}"
            " after they are sent."
        )
    return blocks(
        paragraph(person(by) + " has changed the " + subject + " for this channel:"),
        bullets(
            [
                strong("Old retention period") + ": " + _period(old),
                strong("New retention period") + ": " + _period(new),
            ]
        ),
        paragraph(plain(closing)),
    )


def webhook_problem(bot: User, service: str, trouble: str) -> NoticeText:
    """A webhook received a payload that it could not convert."""
    return blocks(
        paragraph("Your bot " + person(bot) + f" was called by {service}, and could not say it:"),
        quote(trouble, f"<p>{escape(trouble, quote=False)}</p>"),
    )


def disk_nearly_full(folder: str, free_bytes: int, total_bytes: int) -> NoticeText:
    percent = free_bytes * 100 // total_bytes
    facts = f"{free_bytes >> 20:,} MiB, {percent} % of its disk"
    return paragraph(
        plain("The server will soon have no room left to store messages: only ")
        + strong(facts)
        + f" is free at {folder}. Please make room, or ask the operator of the server to."
    )


def channel_archived(channel: Channel) -> NoticeText:
    return paragraph("Channel " + channel_link(channel) + " has been archived.")


def channel_unarchived(channel: Channel) -> NoticeText:
    return paragraph("Channel " + channel_link(channel) + " has been unarchived.")


def named_people(value: GroupValue, groups: dict[int, Group], users: dict[int, User]) -> NoticeText:
    """The groups and users that a permission names, groups first."""
    if not isinstance(value, Members):
        return group_name(groups[value])
    listed = [group_name(groups[group_id]) for group_id in value.direct_subgroups]
    listed += [person(users[user_id]) for user_id in value.direct_members if user_id in users]
    return several(listed)


def _days(number: int) -> str:
    return "1 day" if number == 1 else f"{number} days"


def _period(days: int) -> str:
    return "Forever" if days == FOREVER else _days(days)
