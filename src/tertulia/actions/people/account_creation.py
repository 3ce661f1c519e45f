"""Account creation: the account, its API key, its first channels and the announcement.

A new user is subscribed to the default channels, with some recent messages to read. If the
organization has a channel for it, the new user is announced there. An invitation gives what its
inviter may still give.
"""

from msgspec.structs import replace
from pyroaring import BitMap64

from tertulia import domain, events, storage
from tertulia.actions.channels import subscriptions
from tertulia.actions.channels.bulk_access import BulkAccess
from tertulia.actions.groups import edits, permissions
from tertulia.actions.messages import notices
from tertulia.actions.people import known_people, one_time_links, pending_invitations, users
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.invitations import Invitation, Terms
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import NewUser, User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import LinkInvalid
from tertulia.events.audience import BotManagers, Everyone
from tertulia.events.types.groups import SystemMembersAdded
from tertulia.events.types.people.bots import BotsAdded
from tertulia.events.types.people.user import UserAdded

BY_MAIL, BY_LINK = "can_invite_users_group", "create_multiuse_invite_group"
MAX_INITIAL_UNREAD = 20
MAX_INITIAL_MESSAGES = 1000


def create(tx: Tx, actor: User, vault: Vault, new: NewUser) -> int:
    """Create a user as an administrator. Returns their id."""
    permissions.require_administrator(tx, actor)
    users.check_email_allowed(tx, new.email.strip())
    user, _ = add(tx, vault, new)
    return user.id


def add(tx: Tx, vault: Vault, new: NewUser) -> tuple[User, str]:
    """Create a user or bot. Returns the account and its API key."""
    email = new.email.strip()
    users.check_address(tx, email)
    full_name = domain.people.user.checked_full_name(new.full_name)
    users.check_name_is_free(tx, full_name)
    realm = storage.organization.realms.current(tx)
    user = storage.people.users.insert(
        tx,
        email=email,
        full_name=full_name,
        role=new.role,
        bot_type=new.bot_type,
        bot_owner_id=_owner_id(tx, new),
        password_hash=new.password_hash,
        settings=None
        if new.bot_type
        else domain.personal.settings.defaults_for_new_users(realm.settings),
        avatar_source=realm.setting("default_avatar_source"),
    )
    key = users.issue_key(tx, vault, user)
    storage.messages.unread.store(tx, user.id, BitMap64(), storage.messages.table.newest_id(tx))

    events.log.announce(
        tx,
        UserAdded(user.id, known_people.hidden_people(tx, user.id)),
        to=Everyone(),
    )
    event = SystemMembersAdded(permissions.system_group_ids(tx, [user])[user.id], user.id)
    events.log.announce(tx, event, to=known_people.audience_knowing(tx, user.id))
    if user.is_bot:
        events.log.announce(tx, BotsAdded([user.id]), to=BotManagers(user.bot_owner_id))
    else:
        first = _first_channels(tx, user, new)
        if first:
            _subscribe_to_first(tx, user, first)
        _announce(tx, realm, user)
        pending_invitations.end_for_address(tx, email)
    return user, key


def _first_channels(tx: Tx, user: User, new: NewUser) -> list[Channel]:
    """The channels of the invitation, or the default channels."""
    channels = [storage.channels.table.find(tx, each) for each in new.channel_ids or ()]
    named = [channel for channel in channels if channel is not None and not channel.archived]
    wants_defaults = new.with_defaults or not named
    defaults = storage.channels.table.defaults(tx) if wants_defaults and not user.is_guest else []
    known = {channel.id for channel in named}
    return named + [channel for channel in defaults if channel.id not in known]


def _subscribe_to_first(tx: Tx, user: User, first: list[Channel]) -> None:
    """Subscribe a user to their first channels, with a few recent messages unread."""
    subscriptions.join_several(tx, first, [user])
    ids = [channel.id for channel in first if channel.history_public]
    recent = storage.messages.table.newest_in(tx, ids, MAX_INITIAL_MESSAGES) if ids else []
    if recent:
        storage.channels.subscriptions.extend_back(tx, user.id, ids, recent[-1] - 1)
        newest = storage.messages.table.newest_id(tx)
        storage.messages.unread.store(tx, user.id, BitMap64(recent[:MAX_INITIAL_UNREAD]), newest)


def _announce(tx: Tx, realm: Realm, user: User) -> None:
    where = storage.channels.table.find(tx, realm.setting("signup_announcements_stream_id"))
    if where is not None and not where.archived:
        notices.post(
            tx,
            where,
            notices.SIGNUPS,
            domain.messages.notices.joined(user),
            read_by=[user.id],
        )


def _owner_id(tx: Tx, new: NewUser) -> int | None:
    if new.bot_owner_id is not None:
        owner = storage.people.users.find(tx, new.bot_owner_id)
    elif new.bot_owner_email is not None:
        owner = storage.people.users.find_by_email(tx, new.bot_owner_email)
    else:
        return None
    if owner is None or owner.is_bot or not owner.is_active:
        named = new.bot_owner_email or new.bot_owner_id
        raise BadRequest(
            f"The owner of a bot must be an active person: {named}", problem="bad-value"
        )
    return owner.id


# --- invitations ---


def find_invitation(tx: Tx, vault: Vault, key: str) -> Invitation | None:
    """The invitation of a link, if it is valid."""
    found = storage.people.invitations.find_by_key(tx, one_time_links.fingerprint(vault, key))
    return found if found is not None and _inviter_may_still_invite(tx, found) else None


def current_terms(tx: Tx, invitation: Invitation) -> Terms:
    """What a user gets who accepts the invitation now.

    Channels and groups to which its inviter may no longer add users are left out. Raises
    LinkInvalid if they may no longer invite at all.
    """
    terms = invitation.terms
    if not _inviter_may_still_invite(tx, invitation):
        raise LinkInvalid()
    inviter = users.get(tx, invitation.inviter_id)
    if invitation.is_operators or inviter.is_system_bot:
        return terms
    _, addable = usable_channels(tx, inviter, terms)
    channels = (each for each in terms.channel_ids if each in addable)
    allowed = edits.addable(tx, inviter, terms.group_ids)
    groups = (each for each in terms.group_ids if each in allowed)
    return replace(terms, channel_ids=tuple(channels), group_ids=tuple(groups))


def usable_channels(tx: Tx, actor: User | None, terms: Terms) -> tuple[set[int], set[int]]:
    """The channels that the inviter sees, and those of them to which they may add others."""
    found = storage.channels.table.find_many(tx, list(terms.channel_ids))
    found = [channel for channel in found if not channel.archived]
    refused: set[int] = set()
    if actor is not None:
        access = BulkAccess(tx, actor, found)
        found = [channel for channel in found if access.may_see(channel)]
        others = [channel for channel in found if not channel.is_default]
        addable = subscriptions.addable(tx, actor, others, access)
        refused = {channel.id for channel in others} - {channel.id for channel in addable}
    visible = {channel.id for channel in found}
    return visible, visible - refused


def _inviter_may_still_invite(tx: Tx, invitation: Invitation) -> bool:
    """Whether its inviter may still invite with its role."""
    inviter = users.get(tx, invitation.inviter_id)
    if invitation.is_operators or inviter.is_system_bot:
        return True
    try:
        domain.people.invitations.check_role(inviter, invitation.terms.role)
    except ClientError:
        return False
    permission = BY_LINK if invitation.is_for_many else BY_MAIL
    return permissions.has_realm_permission(tx, inviter, permission)
