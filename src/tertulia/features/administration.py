"""Accounts of others, for administrators: facts about them, their sessions, keys and roles."""

import asyncio
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import msgspec

from tertulia import actions, api, domain, storage
from tertulia.api.call import Call
from tertulia.api.people.accounts import RoleNumber
from tertulia.api.people.sessions import SessionObject
from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import MAX_DETAILS, Act
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.sessions import LIFE_SECONDS, Session
from tertulia.domain.people.user import Role, User
from tertulia.errors.authentication import OwnerRequired
from tertulia.errors.people import UserNotFound
from tertulia.features.notifications import log_reader
from tertulia.http.parameter_rules import AtLeast, AtMost, Example, Id, MaxItems, MaxLength
from tertulia.http.replies import Reply
from tertulia.storage.messages.expired import ExpiredMessages
from tertulia.wire import Doc
from tertulia.wire_fields import (
    BotOwnerId,
    Complete,
    DeliveryEmail,
    EntryCount,
    FullName,
    IsActive,
    IsBot,
    MessageCount,
    NewestTimestamp,
    OldestTimestamp,
    UserId,
    UserRole,
)


class AccountFacts(msgspec.Struct, frozen=True):
    last_active_at: float | None = None  # presence, or the last use of a session
    sessions: int = 0
    has_second_factor: bool = False
    upload_bytes: int = 0


def _facts_of(tx: Tx, user_ids: Collection[int] | None = None) -> dict[int, AccountFacts]:
    """The facts of some users, or of all; users without any of them are left out."""
    ids = None if user_ids is None else list(user_ids)
    active: dict[int, float] = {}
    for row in _rows(tx, "SELECT user_id, active_at, idle_at FROM presence", ids):
        active[row["user_id"]] = max(row["active_at"] or 0, row["idle_at"] or 0)
    counts: dict[int, int] = {}
    sessions = _rows(
        tx,
        "SELECT user_id, count(*) AS number, max(seen_at) AS seen_at FROM session",
        ids,
        " AND seen_at >= :after AND (ends_at IS NULL OR ends_at > :now) GROUP BY user_id",
        after=tx.now - LIFE_SECONDS,
        now=tx.now,
    )
    for row in sessions:
        counts[row["user_id"]] = row["number"]
        active[row["user_id"]] = max(active.get(row["user_id"], 0), row["seen_at"])
    secured = {
        row["user_id"]
        for table in ("totp_secret", "passkey")
        for row in _rows(tx, f"SELECT DISTINCT user_id FROM {table}", ids)
    }
    space = {
        row["user_id"]: row["upload_bytes"]
        for row in tx.all(
            "SELECT id AS user_id, upload_bytes FROM account"
            " WHERE realm_id = :realm AND upload_bytes > 0"
            + ("" if ids is None else " AND id IN :ids"),
            **({} if ids is None else {"ids": ids}),
        )
    }
    return {
        user_id: AccountFacts(
            active.get(user_id) or None,
            counts.get(user_id, 0),
            user_id in secured,
            space.get(user_id, 0),
        )
        for user_id in {*active, *counts, *secured, *space}
    }


def _rows(tx: Tx, select: str, ids: list[int] | None, end: str = "", **params: Any) -> list[Any]:
    """Rows of a table with `user_id`, of some users or of all."""
    if ids is not None:
        end, params = f" AND user_id IN :ids{end}", {**params, "ids": ids}
    return tx.all(f"{select} WHERE realm_id = :realm{end}", **params)


# --- actions ---


class AccountDetails(msgspec.Struct, frozen=True):
    facts: AccountFacts
    sessions: Sequence[Session]
    space_used: int  # with the user's bots, as the quota counts
    sent: ExpiredMessages  # what an erasure with messages would delete


def _read_facts(
    tx: Tx, actor: User, user_ids: Collection[int] | None = None
) -> dict[int, AccountFacts]:
    """The facts about some accounts, or about all."""
    actions.groups.permissions.require_administrator(tx, actor)
    return _facts_of(tx, user_ids)


def details(tx: Tx, actor: User, user_id: int) -> AccountDetails:
    user = _get_account(tx, actor, user_id)
    found = _facts_of(tx, [user.id])
    return AccountDetails(
        found.get(user.id, AccountFacts()),
        actions.people.sessions.of_user(tx, user),
        storage.files.attachments.space_used_by(tx, user.person),
        storage.messages.expired.by_sender(tx, user.id),
    )


def close_sessions(tx: Tx, actor: User, user_id: int) -> None:
    """Log a user out of all browsers."""
    actions.people.sessions.end_all(tx, _changeable(tx, actor, user_id).id)


def replace_key(tx: Tx, actor: User, vault: Vault, user_id: int) -> None:
    """End the access of a user's programs: agents, and those with the API key, which is replaced.

    The user alone can fetch the new key.
    """
    user = _changeable(tx, actor, user_id)
    if user.is_bot or not user.is_active:
        raise UserNotFound()
    actions.people.users.reset_key(tx, vault, user.id)
    actions.people.agent_revocation.end_all_of(tx, user.id)


def set_roles(
    tx: Tx, actor: User, user_ids: Sequence[int], role: Role, portion: Sequence[int]
) -> None:
    """Give a portion of some users a role. Raises if one of them all may not get it."""
    actor = _administrator(tx, actor)
    people = storage.people.users.find_many(tx, list(user_ids))
    if len(people) < len(set(user_ids)) or any(user.is_bot for user in people):
        raise UserNotFound()
    changing = [user for user in people if user.role != role]
    for user in changing:
        actions.people.roles.check(actor, user, role)
    actions.people.roles.require_another_owner(tx, changing)
    actions.people.roles.change_many(tx, [user for user in changing if user.id in portion], role)


def _administrator(tx: Tx, actor: User) -> User:
    actions.groups.permissions.require_administrator(tx, actor)
    return actions.groups.permissions.current_rights(tx, actor)


def _get_account(tx: Tx, actor: User, user_id: int) -> User:
    """Any account of the organization, including bots and deactivated ones."""
    _administrator(tx, actor)
    user = storage.people.users.find(tx, user_id)
    if user is None or user.is_system_bot:
        raise UserNotFound()
    return user


def _changeable(tx: Tx, actor: User, user_id: int) -> User:
    """An account whose access the actor may end: that of an owner only if they are one."""
    user = _get_account(tx, actor, user_id)
    if user.is_owner and not _administrator(tx, actor).is_owner:
        raise OwnerRequired()
    return user


# --- endpoints ---


MAX_ACCOUNTS = 500
MAX_ROLE_CHANGES = 100
ROLE_CHANGES_PER_PORTION = 20
DELETING_SECONDS = 5

Kind = Annotated[
    Literal["people", "bots", "all"], Doc("Which accounts to list: of people, of bots, or all.")
]
SchemaState = Annotated[
    Literal["active", "deactivated", "all"],
    Doc("Which accounts to list: active ones, deactivated ones, or all."),
]
Sort = Annotated[
    Literal["name", "role", "last_active", "sessions", "storage", "joined"],
    Doc("What to sort by: `name`, `role`, `last_active`, `sessions`, `storage` or `joined`."),
]


UserRoleValue = Annotated[
    RoleNumber, Doc("The role: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.")
]


class AccountObject(msgspec.Struct):
    user_id: UserId
    full_name: FullName
    delivery_email: DeliveryEmail | None
    role: UserRole
    is_active: IsActive
    is_bot: IsBot
    bot_owner_id: BotOwnerId | None
    date_joined: Annotated[int, Doc("The time when the account was created, in UNIX seconds.")]
    last_active: Annotated[
        int | None, Doc("The time of the last known activity, in UNIX seconds; null if unknown.")
    ]
    session_count: Annotated[int, Doc("How many browsers are logged in.")]
    has_second_factor: Annotated[bool, Doc("Whether the account has a second factor.")]
    upload_bytes: Annotated[int, Doc("The size of the account's uploaded files, in bytes.")]


class AccountList(Reply):
    accounts: Annotated[list[AccountObject], Doc("The accounts, in the order asked for.")]
    count: EntryCount


class AccountReply(Reply):
    account: Annotated[AccountObject, Doc("The account.")]
    sessions: Annotated[list[SessionObject], Doc("The sessions, most recently used first.")]
    group_ids: Annotated[list[int], Doc("Ids of the groups with the user as a direct member.")]
    bot_ids: Annotated[list[int], Doc("Ids of the user's bots.")]
    space_used: Annotated[
        int, Doc("The size of the files of the user and the user's bots, in bytes.")
    ]
    space_quota: Annotated[
        int | None, Doc("The largest allowed size of these files, in bytes; null without a limit.")
    ]
    message_count: MessageCount
    oldest_timestamp: OldestTimestamp | None
    newest_timestamp: NewestTimestamp | None


class Erased(Reply):
    complete: Complete


async def list_accounts(
    call: Call,
    *,
    query: Annotated[str, MaxLength(200), Doc("A part of the name or email address.")] = "",
    role: UserRoleValue | None = None,
    standing: SchemaState = "all",
    account_kind: Kind = "all",
    without_second_factor: Annotated[bool, Doc("Only people without a second factor.")] = False,
    sort: Sort = "name",
    descending: Annotated[bool, Doc("Whether the largest value comes first.")] = False,
    offset: Annotated[int, AtLeast(0), Doc("How many results to skip.")] = 0,
    limit: Annotated[
        int, AtLeast(1), AtMost(MAX_ACCOUNTS), Doc("The maximum number of entries.")
    ] = 50,
) -> AccountList:
    """List accounts with last use, sessions, second factor and storage, filtered and sorted."""
    wanted = _folded(query)
    found = [
        user
        for user in call.org.users.values()
        if not user.is_system_bot
        and (role is None or user.role == role)
        and (standing == "all" or user.is_active == (standing == "active"))
        and (account_kind == "all" or user.is_bot == (account_kind == "bots"))
        and wanted in _folded(f"{user.full_name} {_address(call, user) or ''}")
    ]
    facts: Mapping[int, AccountFacts] = {}
    needs_all = without_second_factor or sort in ("last_active", "sessions", "storage")
    if needs_all:
        facts = await call.db.read(_read_facts, call.user)
    if without_second_factor:
        found = [
            user
            for user in found
            if not user.is_bot and not facts.get(user.id, _NO_FACTS).has_second_factor
        ]
    found.sort(key=lambda user: _folded(user.full_name))
    found.sort(
        key=lambda user: _SORTS[sort](user, facts.get(user.id, _NO_FACTS)), reverse=descending
    )
    shown = found[offset : offset + limit]
    if not needs_all:
        ids = [user.id for user in shown]
        facts = await call.db.read(_read_facts, call.user, ids)
    return AccountList(
        accounts=[_account_object(call, user, facts.get(user.id, _NO_FACTS)) for user in shown],
        count=len(found),
    )


async def change_roles(
    call: Call,
    *,
    account_ids: Annotated[
        list[Id], MaxItems(MAX_ROLE_CHANGES), Doc("Ids of the accounts."), Example([12, 17])
    ],
    role: Annotated[UserRoleValue, Example(400)],
) -> None:
    """Give several users a role, if all of them may get it."""
    details = {"account_ids": account_ids[:MAX_DETAILS], "role": str(role)}
    api.audit.record_action(
        call, Act("PATCH /realm/accounts", call.user.id, call.request.client_address, details)
    )
    # The rights of the caller are needed up to the last portion.
    ids = sorted(account_ids, key=lambda user_id: user_id == call.user.id)
    for portion in domain.portions.split(ids, ROLE_CHANGES_PER_PORTION) or [[]]:
        await call.db.write(set_roles, call.user, ids, Role(role), portion)


async def one(call: Call, user_id: UserId) -> AccountReply:
    """Get an account with its sessions, groups, bots, storage and number of messages."""
    found = await call.db.read(details, call.user, user_id)
    user = call.org.users[user_id]
    quota = call.config.user_upload_quota_mib
    return AccountReply(
        account=_account_object(call, user, found.facts),
        sessions=[api.people.sessions.session_object(call, each) for each in found.sessions],
        group_ids=[
            group.id
            for group in call.org.groups.values()
            if not group.is_system and not group.deactivated and user_id in group.members
        ],
        bot_ids=[each.id for each in call.org.users.values() if each.bot_owner_id == user_id],
        space_used=found.space_used,
        space_quota=quota << 20 if quota else None,
        message_count=found.sent.count,
        oldest_timestamp=None if found.sent.oldest_at is None else int(found.sent.oldest_at),
        newest_timestamp=None if found.sent.newest_at is None else int(found.sent.newest_at),
    )


async def end_sessions(call: Call, user_id: UserId) -> None:
    """Log a user out of all browsers."""
    await call.db.write(close_sessions, call.user, user_id)


async def renew_key(call: Call, user_id: UserId) -> None:
    """Replace the API key of a user, which only they can fetch, and end their agents."""
    await call.db.write(replace_key, call.user, call.vault, user_id)


async def erase(
    call: Call,
    user_id: UserId,
    *,
    delete_messages: Annotated[
        bool, Doc("Whether the messages are deleted; otherwise they stay without a name.")
    ] = False,
) -> Erased:
    """Deactivate an account and delete its data for good; repeat while `complete` is false.

    All clients of the organization register again. Existing backups still contain the data.
    """
    user = await call.db.write(actions.people.erasure.start_by_owner, call.user, user_id)
    until = call.now + DELETING_SECONDS
    while delete_messages and await call.db.write(actions.people.erasure.delete_messages, user) > 0:
        if call.now > until:
            return Erased(complete=False)
    while await call.db.write(actions.people.erasure.delete_kept_messages, user):
        if call.now > until:
            return Erased(complete=False)
    while await call.db.write(storage.search.removal.remove_some_deleted):
        if call.now > until:
            return Erased(complete=False)
    read_log = partial(log_reader.read_part, sends_mail=call.services.config.sends_mail)
    while not await call.db.write(actions.people.erasure.finish, user, read_log):
        if call.now > until:
            return Erased(complete=False)
    while await call.services.database.of(0).write(actions.files.upload.sweep):
        pass
    # If a reader uses the write-ahead log all the time, it is emptied when the server stops.
    await asyncio.to_thread(call.services.database.blocking.truncate_wal)
    return Erased(complete=True)


_NO_FACTS = AccountFacts()

_SORTS: dict[str, Callable[[User, AccountFacts], Any]] = {
    "name": lambda user, facts: _folded(user.full_name),
    "role": lambda user, facts: (user.is_bot, user.role),
    "last_active": lambda user, facts: facts.last_active_at or 0,
    "sessions": lambda user, facts: facts.sessions,
    "storage": lambda user, facts: facts.upload_bytes,
    "joined": lambda user, facts: user.joined_at,
}


def _account_object(call: Call, user: User, facts: AccountFacts) -> AccountObject:
    return AccountObject(
        user_id=user.id,
        full_name=user.full_name,
        delivery_email=_address(call, user),
        role=int(user.role),
        is_active=user.is_active,
        is_bot=user.is_bot,
        bot_owner_id=user.bot_owner_id,
        date_joined=int(user.joined_at),
        last_active=None if facts.last_active_at is None else int(facts.last_active_at),
        session_count=facts.sessions,
        has_second_factor=facts.has_second_factor,
        upload_bytes=facts.upload_bytes,
    )


def _address(call: Call, user: User) -> str | None:
    return user.email if domain.people.user.may_see_email(call.user, user) else None


def _folded(text: str) -> str:
    """For comparison: without case and accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in parts if not unicodedata.combining(each))
