"""What people and the organization have in an export of Zulip, beside what was said."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tertulia.domain.messages.emoji import CUSTOM, UNICODE
from tertulia.moving import folders
from tertulia.moving.arrivals import (
    ArrivingAvatar,
    ArrivingEmoji,
    ArrivingGroup,
    ArrivingProfileField,
    ArrivingReaction,
    ArrivingStatus,
    ArrivingTopicPolicy,
    Belongings,
)

MUTED = 1  # what older versions did to topics, without saying it
ORIGINAL = ".original"

Row = dict[str, Any]
Tables = dict[str, list[Row]]


def found_in(folder: Path, tables: Tables) -> Belongings:
    def rows(name: str) -> list[Row]:
        return tables.get(name) or []

    return Belongings(
        emoji=list(_emoji(folder, rows("zerver_realmemoji"))),
        avatars=list(_avatars(folder)),
        groups=list(_groups(rows)),
        profile_fields=list(_profile_fields(rows)),
        topic_policies=[
            ArrivingTopicPolicy(
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
            ArrivingStatus(
                str(row["user_profile"]),
                row.get("status_text") or "",
                reaction(row) if row.get("emoji_name") else None,
            )
            for row in rows("zerver_userstatus")
        ],
    )


def reaction(row: Row) -> ArrivingReaction:
    kind = row.get("reaction_type") or UNICODE
    return ArrivingReaction(
        str(row["user_profile"]),
        row["emoji_name"],
        str(row.get("emoji_code") or "") if kind in (UNICODE, CUSTOM) else "",
        "" if kind == UNICODE else kind,
    )


def _records(folder: Path, kind: str) -> list[Row]:
    file = folder / kind / "records.json"
    return msgspec.json.decode(file.read_bytes()) if file.exists() else []


def _emoji(folder: Path, rows: list[Row]) -> Iterator[ArrivingEmoji]:
    paths: dict[str, str] = {}
    for record in sorted(_records(folder, "emoji"), key=lambda r: str(r["path"])):
        name = record.get("file_name") or Path(record["path"]).name
        paths[str(name).removesuffix(ORIGINAL)] = record["path"]
    for row in rows:
        path = paths.get(str(row.get("file_name")), "nowhere")
        yield ArrivingEmoji(
            key=str(row["id"]),
            name=row["name"],
            author=str(row.get("author")),
            open=partial(folders.open_in, folder, f"emoji/{path}"),
            is_deactivated=bool(row.get("deactivated")),
        )


def _avatars(folder: Path) -> Iterator[ArrivingAvatar]:
    """The original where there is one, and the newest of each."""
    best: dict[str, tuple[bool, int, str]] = {}
    for record in _records(folder, "avatars"):
        key, path = str(record["user_profile_id"]), str(record["path"])
        rank = (path.endswith(ORIGINAL), int(record.get("avatar_version") or 0), path)
        best[key] = max(best.get(key, rank), rank)
    for key, (_, _, path) in best.items():
        yield ArrivingAvatar(key, partial(folders.open_in, folder, f"avatars/{path}"))


def _groups(rows: Callable[[str], list[Row]]) -> Iterator[ArrivingGroup]:
    """Groups of roles are ours already."""
    members: dict[int, list[str]] = defaultdict(list)
    for row in rows("zerver_usergroupmembership"):
        members[row["user_group"]].append(str(row["user_profile"]))
    inner: dict[int, list[str]] = defaultdict(list)
    for row in rows("zerver_groupgroupmembership"):
        inner[row["supergroup"]].append(str(row["subgroup"]))
    for row in rows("zerver_namedusergroup") or rows("zerver_usergroup"):
        if not row.get("name") or row.get("is_system_group"):
            continue
        number = row.get("usergroup_ptr") or row["id"]
        yield ArrivingGroup(
            key=str(number),
            name=row["name"],
            description=row.get("description") or "",
            members=tuple(members[number]),
            subgroups=tuple(inner[number]),
            is_deactivated=bool(row.get("deactivated")),
        )


def _profile_fields(rows: Callable[[str], list[Row]]) -> Iterator[ArrivingProfileField]:
    values: dict[int, dict[str, str]] = defaultdict(dict)
    for row in rows("zerver_customprofilefieldvalue"):
        values[row["field"]][str(row["user_profile"])] = str(row["value"])
    for row in sorted(rows("zerver_customprofilefield"), key=lambda r: r.get("order", 0)):
        if "name" in row:
            yield ArrivingProfileField(
                name=row["name"],
                type=row.get("field_type", 1),
                hint=row.get("hint") or "",
                data=row.get("field_data") or "",
                in_summary=bool(row.get("display_in_profile_summary")),
                required=bool(row.get("required")),
                editable_by_user=bool(row.get("editable_by_user", True)),
                values=values[row["id"]],
            )
