"""Reads everything but messages from a Zulip export: profiles, groups, emoji, settings."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tertulia.domain.emoji import CUSTOM, UNICODE
from tertulia.domain.organization.linkifiers import LinkifierRule
from tertulia.transfer.importing import archive_reader
from tertulia.transfer.importing.import_counts import (
    ANSWERS,
    AVATARS,
    FIELDS,
    GROUPS,
    MEMBERS,
    SCHEDULED,
    SUBGROUPS,
    ImportCounts,
)
from tertulia.transfer.model import (
    ImportedAvatar,
    ImportedDraft,
    ImportedEmoji,
    ImportedGroup,
    ImportedGroupValue,
    ImportedNavigationView,
    ImportedPlayground,
    ImportedProfileField,
    ImportedReaction,
    ImportedSnippet,
    ImportedStatus,
    ImportedTopicPolicy,
    ProfileData,
)

PERSONAL, CHANNEL = 1, 2  # of recipients
SEND_LATER = 1
MUTED = 1  # the only topic policy of older versions
ORIGINAL = ".original"

Row = dict[str, Any]
Tables = dict[str, list[Row]]


def read_profiles(folder: Path, tables: Tables, translate: Callable[[str], str]) -> ProfileData:
    """Read the tables. `in_our_words` converts a text to one with keys of users and files."""

    def rows(name: str) -> list[Row]:
        return tables.get(name) or []

    return ProfileData(
        emoji=list(_emoji(folder, rows("zerver_realmemoji"))),
        avatars=list(_avatars(folder)),
        groups=list(_groups(rows)),
        profile_fields=list(_profile_fields(rows)),
        topic_policies=[
            ImportedTopicPolicy(
                str(row["user_profile"]),
                str(row["stream"]),
                row["topic_name"],
                row.get("visibility_policy", MUTED),
            )
            for row in rows("zerver_usertopic")
        ],
        muted_people=[
            (str(row["user_profile"]), str(row["muted_user"])) for row in rows("zerver_muteduser")
        ],
        alert_words=[(str(row["user_profile"]), row["word"]) for row in rows("zerver_alertword")],
        statuses=[
            ImportedStatus(
                str(row["user_profile"]),
                row.get("status_text") or "",
                reaction(row) if row.get("emoji_name") else None,
            )
            for row in rows("zerver_userstatus")
        ],
        linkifiers=list(_linkifiers(rows("zerver_realmfilter"))),
        playgrounds=[
            ImportedPlayground(
                str(row.get("name") or ""),
                str(row.get("pygments_language") or ""),
                str(row.get("url_template") or ""),
            )
            for row in rows("zerver_realmplayground")
        ],
        drafts=[_draft(rows, row, translate) for row in rows("zerver_draft")],
        scheduled=[_scheduled(rows, row, translate) for row in _pending(rows)],
        snippets=[_snippet(row, translate) for row in rows("zerver_savedsnippet")],
        views=[_view(row) for row in rows("zerver_navigationview")],
    )


def count(folder: Path, rows: Callable[[str], list[Row]], counts: ImportCounts) -> None:
    """Count the objects that are not one row each."""
    counts.read[AVATARS] += len(list(_avatars(folder)))
    values = {row["id"] for row in rows("zerver_customprofilefield") if "name" in row}
    lost = sum(row["field"] not in values for row in rows("zerver_customprofilefieldvalue"))
    counts.drop(ANSWERS, "to fields that are not in the export", lost)
    nameless = len(rows("zerver_customprofilefield")) - len(values)
    counts.drop(FIELDS, "without a name", nameless)
    _count_groups(rows, counts)
    scheduled = rows("zerver_scheduledmessage")
    counts.read[SCHEDULED] += len(scheduled)
    counts.drop(SCHEDULED, "that were sent, or could not be", len(scheduled) - len(_pending(rows)))


def _count_groups(rows: Callable[[str], list[Row]], counts: ImportCounts) -> None:
    """System groups already exist here, and anonymous groups are part of a permission."""
    own = {
        _group_id(row)
        for row in _named_groups(rows)
        if row.get("name") and not row.get("is_system_group")
    }
    counts.read[GROUPS] += len(own)
    counts.read[MEMBERS] += sum(
        row["user_group"] in own for row in rows("zerver_usergroupmembership")
    )
    counts.read[SUBGROUPS] += sum(
        row["supergroup"] in own for row in rows("zerver_groupgroupmembership")
    )


class NamedPermissions:
    """Permission values. Users who are listed directly are in an anonymous group."""

    def __init__(self, rows: Callable[[str], list[Row]]) -> None:
        self._named: dict[int, str] = {}
        for row in _named_groups(rows):
            if row.get("name"):
                is_system = row.get("is_system_group")
                self._named[_group_id(row)] = row["name"] if is_system else str(_group_id(row))
        self._members, self._inner = _memberships(rows)

    def of(self, row: Row) -> dict[str, ImportedGroupValue]:
        """The permissions of a channel or a group, by name."""
        return {
            name: self._value(value)
            for name, value in row.items()
            if name.startswith("can_") and isinstance(value, int)
        }

    def _value(self, group: int) -> ImportedGroupValue:
        if group in self._named:
            return ImportedGroupValue(groups=(self._named[group],))
        inner = (self._named.get(int(each), each) for each in self._inner.get(group, ()))
        return ImportedGroupValue(tuple(self._members.get(group, ())), tuple(inner))


def reaction(row: Row) -> ImportedReaction:
    kind = row.get("reaction_type") or UNICODE
    return ImportedReaction(
        str(row["user_profile"]),
        row["emoji_name"],
        str(row.get("emoji_code") or "") if kind in (UNICODE, CUSTOM) else "",
        "" if kind == UNICODE else kind,
    )


def _records(folder: Path, kind: str) -> list[Row]:
    file = folder / kind / "records.json"
    return msgspec.json.decode(file.read_bytes()) if file.exists() else []


def _emoji(folder: Path, rows: list[Row]) -> Iterator[ImportedEmoji]:
    paths: dict[str, str] = {}
    for record in sorted(_records(folder, "emoji"), key=lambda r: str(r["path"])):
        name = record.get("file_name") or Path(record["path"]).name
        paths[str(name).removesuffix(ORIGINAL)] = record["path"]
    for row in rows:
        path = paths.get(str(row.get("file_name")), "nowhere")
        yield ImportedEmoji(
            key=str(row["id"]),
            name=row["name"],
            author=str(row.get("author")),
            open=partial(archive_reader.open_in, folder, f"emoji/{path}"),
            is_deactivated=bool(row.get("deactivated")),
        )


def _avatars(folder: Path) -> Iterator[ImportedAvatar]:
    """The newest avatar of each user, the original if it exists."""
    best: dict[str, tuple[bool, int, str]] = {}
    for record in _records(folder, "avatars"):
        key, path = str(record["user_profile_id"]), str(record["path"])
        rank = (path.endswith(ORIGINAL), int(record.get("avatar_version") or 0), path)
        best[key] = max(best.get(key, rank), rank)
    for key, (_, _, path) in best.items():
        yield ImportedAvatar(key, partial(archive_reader.open_in, folder, f"avatars/{path}"))


def _groups(rows: Callable[[str], list[Row]]) -> Iterator[ImportedGroup]:
    """System groups already exist here."""
    members, inner = _memberships(rows)
    values = NamedPermissions(rows)
    for row in _named_groups(rows):
        if not row.get("name") or row.get("is_system_group"):
            continue
        number = _group_id(row)
        yield ImportedGroup(
            key=str(number),
            name=row["name"],
            description=row.get("description") or "",
            members=tuple(members.get(number, ())),
            subgroups=tuple(inner.get(number, ())),
            is_deactivated=bool(row.get("deactivated")),
            creator=str(row.get("creator")),
            permissions=values.of(row),
        )


def _named_groups(rows: Callable[[str], list[Row]]) -> list[Row]:
    return rows("zerver_namedusergroup") or rows("zerver_usergroup")


def _group_id(row: Row) -> int:
    return int(row.get("usergroup_ptr") or row["id"])


def _memberships(
    rows: Callable[[str], list[Row]],
) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """Users by group, and subgroups by group."""
    members: dict[int, list[str]] = defaultdict(list)
    for row in rows("zerver_usergroupmembership"):
        members[row["user_group"]].append(str(row["user_profile"]))
    inner: dict[int, list[str]] = defaultdict(list)
    for row in rows("zerver_groupgroupmembership"):
        inner[row["supergroup"]].append(str(row["subgroup"]))
    return members, inner


def _linkifiers(rows: list[Row]) -> Iterator[LinkifierRule]:
    for row in sorted(rows, key=lambda each: (each.get("order", 0), each.get("id", 0))):
        others = row.get("alternative_url_templates") or ()
        yield LinkifierRule(
            row.get("pattern") or "",
            row.get("url_template") or row.get("url_format_string") or "",
            row.get("example_input"),
            row.get("reverse_template"),
            tuple(others if isinstance(others, list) else ()),
        )


def _draft(
    rows: Callable[[str], list[Row]], row: Row, translate: Callable[[str], str]
) -> ImportedDraft:
    return _draft_content(rows, row, "user_profile", row.get("last_edit_time"), translate)


def _scheduled(
    rows: Callable[[str], list[Row]], row: Row, translate: Callable[[str], str]
) -> ImportedDraft:
    return _draft_content(rows, row, "sender", row.get("scheduled_timestamp"), translate)


def _snippet(row: Row, translate: Callable[[str], str]) -> ImportedSnippet:
    content = translate(row.get("content") or "")
    title, created_at = row.get("title") or "", row.get("date_created")
    return ImportedSnippet(str(row["user_profile"]), title, content, created_at)


def _view(row: Row) -> ImportedNavigationView:
    person = str(row.get("user_profile", row.get("user")))
    return ImportedNavigationView(
        person, row["fragment"], row.get("name"), bool(row.get("is_pinned"))
    )


def _pending(rows: Callable[[str], list[Row]]) -> list[Row]:
    """Unsent scheduled messages; the same table contains reminders."""
    return [
        row
        for row in rows("zerver_scheduledmessage")
        if not row.get("delivered")
        and not row.get("failed")
        and row.get("delivery_type", SEND_LATER) == SEND_LATER
    ]


def _draft_content(
    rows: Callable[[str], list[Row]],
    row: Row,
    author: str,
    at: Any,
    translate: Callable[[str], str],
) -> ImportedDraft:
    channel, people = "", []
    for recipient in rows("zerver_recipient"):
        if recipient["id"] != row.get("recipient"):
            continue
        if recipient["type"] == CHANNEL:
            channel = str(recipient["type_id"])
        elif recipient["type"] == PERSONAL:
            people = [str(recipient["type_id"])]
        else:
            people = [
                str(each["user_profile"])
                for each in rows("zerver_subscription")
                if each["recipient"] == recipient["id"]
            ]
    others = [each for each in people if each != str(row[author])]
    return ImportedDraft(
        person=str(row[author]),
        content=translate(row.get("content") or ""),
        at=float(at or 0),
        channel=channel,
        people=tuple(others or people),
        topic=str(row.get("topic", row.get("subject")) or ""),
    )


def _profile_fields(rows: Callable[[str], list[Row]]) -> Iterator[ImportedProfileField]:
    values: dict[int, dict[str, str]] = defaultdict(dict)
    for row in rows("zerver_customprofilefieldvalue"):
        values[row["field"]][str(row["user_profile"])] = str(row["value"])
    for row in sorted(rows("zerver_customprofilefield"), key=lambda r: r.get("order", 0)):
        if "name" in row:
            yield ImportedProfileField(
                name=row["name"],
                type=row.get("field_type", 1),
                hint=row.get("hint") or "",
                data=row.get("field_data") or "",
                in_summary=bool(row.get("display_in_profile_summary")),
                required=bool(row.get("required")),
                editable_by_user=bool(row.get("editable_by_user", True)),
                values=values[row["id"]],
            )
