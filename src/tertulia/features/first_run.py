"""The first owner of a server, created with the setup code that the server prints at its start.

The code is stored as plain text: it is valid only while there is no owner. Other accounts may
exist, which the operator has added at the command line. All servers of a database share the code.
Creating the owner deletes it, so that only one of two concurrent requests succeeds, on one server
or on two.
"""

import hmac
import secrets
from urllib.parse import urlencode

import msgspec

from tertulia import actions, storage
from tertulia.actions.people.signup import NewAccount
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.errors.authentication import AlreadySetUp, WrongSetupCode
from tertulia.storage.server_values import SETUP_CODE

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"  # no characters that look alike
GROUPS, GROUP_LENGTH = 2, 4  # 39 bits; the number of attempts is limited


def _new_code() -> str:
    """A random code, such as `k7f4-9tqm`."""
    groups = ("".join(secrets.choice(ALPHABET) for _ in range(GROUP_LENGTH)) for _ in range(GROUPS))
    return "-".join(groups)


def _matches(code: str, given: str) -> bool:
    """Whether a code was given, ignoring case, spaces and hyphens."""
    return hmac.compare_digest(_compact(code), _compact(given))


def _compact(code: str) -> bytes:
    return "".join(code.lower().replace("-", " ").split()).encode()


PATH = "/setup/"


class FirstRun(msgspec.Struct, frozen=True):
    """What the operator enters."""

    code: str
    organization: str
    email: str
    owner: NewAccount


def is_needed(tx: Tx) -> bool:
    """Whether the server has no owner yet."""
    return not storage.data_check.has_owner(tx)


def is_waiting(tx: Tx) -> bool:
    """Whether the server was started and waits for its first account."""
    if storage.data_check.has_people(tx):
        return False
    return storage.server_values.find(tx, SETUP_CODE) is not None


def setup_code(tx: Tx) -> str:
    """The setup code; the first call creates it. Raises AlreadySetUp if there is an owner."""
    if not is_needed(tx):
        raise AlreadySetUp()
    storage.server_values.put_new(tx, SETUP_CODE, _new_code())
    code = storage.server_values.find(tx, SETUP_CODE)
    if code is None:  # another server has just created the owner
        raise AlreadySetUp()
    return code


def count_attempt(tx: Tx, vault: Vault, address: str) -> None:
    """Count an attempt before its code is checked. Raises RateLimited if there were too many."""
    name_hash = actions.people.password_attempts.name_hash(vault, "setup code")
    actions.people.password_attempts.count(tx, name_hash, address)


def create_owner(tx: Tx, vault: Vault, wanted: FirstRun) -> User:
    """Name the organization and create its owner. Raises AlreadySetUp or WrongSetupCode."""
    if not is_needed(tx):
        raise AlreadySetUp()
    code = storage.server_values.find(tx, SETUP_CODE)
    if code is None or not _matches(code, wanted.code):
        raise WrongSetupCode()
    if not storage.server_values.delete(tx, SETUP_CODE):
        raise AlreadySetUp()

    actions.organization.settings.edit(tx, None, {"name": wanted.organization})
    return actions.people.signup.join(tx, vault, wanted.email, wanted.owner, None, None)


def address(site: str, code: str) -> str:
    """The URL of the first-run page with the code filled in."""
    return f"{site}{PATH}?{urlencode({'code': code})}"
