"""LDAP and Active Directory: checks passwords and reads entries.

Everything here blocks and is called on separate threads (`run_in_slot`) with slots per user, so a
directory that does not answer delays only the logins that need it. A certificate is required and
verified unless the settings say `plain`. User input is escaped before it enters a filter.
"""

import re
import secrets
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import ldap3
from ldap3.core.exceptions import (
    LDAPConstraintViolationResult,
    LDAPException,
    LDAPInappropriateAuthenticationResult,
    LDAPInsufficientAccessRightsResult,
    LDAPInvalidCredentialsResult,
    LDAPInvalidFilterError,
    LDAPNoSuchObjectResult,
    LDAPOperationResult,
    LDAPOperationsErrorResult,
    LDAPSASLPrepError,
    LDAPSizeLimitExceededResult,
    LDAPStrongerAuthRequiredResult,
    LDAPUnwillingToPerformResult,
)
from ldap3.utils.conv import escape_filter_chars

from tertulia import domain
from tertulia.config.login_providers import LdapDirectory
from tertulia.external.sso.provider_types import NO_ENTRY, LdapEntry, LdapError, LdapPerson
from tertulia.fair_queue import FairQueue, Person

P = ParamSpec("P")
T = TypeVar("T")

QUEUE = FairQueue("ldap", slots=8, slots_per_person=2, max_waiting=20)

MAX_NAME_LENGTH = 200
MAX_HITS = 2  # two hits are already ambiguous
MAX_GROUPS = 1000
CHUNK_BYTES = 1 << 16  # the library copies its whole buffer for each chunk
MAX_RESPONSE_BYTES = 4 << 20  # for the whole answer to one request
DISABLED_BIT = 2  # of userAccountControl
HEX_PREFIX = "hex:"  # prefix of an id that is not text

# Result codes for a wrong password. A locked account is reported in the same way, so that a guesser
# learns nothing.
WRONG_PASSWORD = (
    LDAPConstraintViolationResult,
    LDAPInappropriateAuthenticationResult,
    LDAPInsufficientAccessRightsResult,
    LDAPInvalidCredentialsResult,
    LDAPNoSuchObjectResult,
    LDAPSASLPrepError,
    LDAPUnwillingToPerformResult,
)

# What the library raises for answers that are not LDAP.
PARSE_ERRORS = (
    AttributeError,
    IndexError,
    KeyError,
    RecursionError,
    TypeError,
    ValueError,
)

# Result codes for missing rights.
_NOT_ALLOWED = (
    LDAPInappropriateAuthenticationResult,
    LDAPInsufficientAccessRightsResult,
    LDAPInvalidCredentialsResult,
    LDAPOperationsErrorResult,
    LDAPStrongerAuthRequiredResult,
    LDAPUnwillingToPerformResult,
)


async def run_in_slot(
    person: Person, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call `function` on a thread, when this user has a slot.

    Raises LdapError, and RateLimited if the user has too many calls waiting.
    """
    return await QUEUE.run(person, lambda: function(*args, **kwargs))


def find_entry(directory: LdapDirectory, typed: str) -> LdapEntry:
    """Find the entry for a name or address. Done before the password is tried, because attempts are
    counted per entry: a directory accepts many spellings of a name."""
    with _connection(directory) as connection:
        entry = _find_raw_entry(connection, directory, typed)
    return NO_ENTRY if entry is None else LdapEntry(entry["dn"], _subject(directory, entry), entry)


def authenticate(directory: LdapDirectory, name: LdapEntry, password: str) -> LdapPerson | None:
    """The user, if the password is right. An unknown name costs as many requests as a known one."""
    if not password:  # LDAP accepts an empty password as an anonymous bind
        return None
    unknown_dn = f"cn={secrets.token_hex(8)},{directory.base}"
    with _convert_errors(directory):
        is_right = _accepts(directory, name.dn or unknown_dn, password)
    if not is_right or name.entry is None:
        return None
    with _connection(directory) as connection:
        return _person(connection, directory, name.entry)


def find(directory: LdapDirectory, typed: str) -> LdapPerson | None:
    with _connection(directory) as connection:
        entry = _find_raw_entry(connection, directory, typed)
        return None if entry is None else _person(connection, directory, entry)


def find_all(directory: LdapDirectory, subjects: list[str]) -> dict[str, LdapPerson]:
    """Users by their ids; users that are no longer in the directory are missing."""
    found = {}
    with _connection(directory) as connection:
        for subject in subjects:
            entry = _find_one(connection, directory, _subject_filter(directory, subject))
            if entry is not None:
                found[subject] = _person(connection, directory, entry)
        if len(found) < len(subjects):
            _check_id_attribute(connection, directory)
    return found


def check(directory: LdapDirectory) -> None:
    """Raises LdapError unless the directory can be reached and searched, and entries have
    the id attribute."""
    with _connection(directory) as connection:
        connection.search(directory.base, "(objectClass=*)", ldap3.BASE, attributes=["1.1"])
        _check_id_attribute(connection, directory)


# --- connecting ---


@contextmanager
def _connection(directory: LdapDirectory) -> Iterator[ldap3.Connection]:
    with _convert_errors(directory):
        connection = _bind(directory, directory.bind_dn, directory.bind_password)
        try:
            yield connection
        finally:
            connection.unbind()


@contextmanager
def _convert_errors(directory: LdapDirectory) -> Iterator[None]:
    """Raises LdapError for every exception of the library."""
    try:
        yield
    except (LDAPException, OSError, ssl.SSLError) as error:
        setting = _setting_to_check(directory, error)
        raise LdapError(f"{type(error).__name__}: {error} (look at {setting})") from error


def _setting_to_check(directory: LdapDirectory, error: Exception) -> str:
    """The setting in the `[[ldap]]` table that an error is about."""
    text = str(error)
    if directory.ca_file and not Path(directory.ca_file).is_file():
        return f"ca_file: {directory.ca_file} does not exist"
    if "mismatch" in text:  # the certificate is for another host name
        return "the host in url"
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return "ca_file"
    if isinstance(error, _NOT_ALLOWED):
        return "bind_dn and bind_password"
    if isinstance(error, LDAPNoSuchObjectResult):
        return "base and group_base"
    if isinstance(error, LDAPInvalidFilterError):
        return "filter, email_filter and group_filter"
    if "timed out" in text or "within" in text:
        return "url and timeout_seconds"
    if "ssl" in text.lower() or "tls" in text.lower():
        return "url and plain"
    return "url"


@contextmanager
def _convert_parse_errors() -> Iterator[None]:
    """Raises LdapError for answers that the library cannot parse. Only used around calls of
    the library, so that bugs of ours are not reported as bugs of the directory."""
    try:
        yield
    except (LDAPException, OSError):  # some of these are also ValueErrors
        raise
    except PARSE_ERRORS as error:
        raise LdapError(f"its answer is malformed: {type(error).__name__}") from error


def _bind(directory: LdapDirectory, dn: str, password: str) -> ldap3.Connection:
    connection = ldap3.Connection(
        _server(directory),
        user=dn or None,
        password=password or None,
        authentication=ldap3.SIMPLE if dn else ldap3.ANONYMOUS,
        receive_timeout=directory.timeout_seconds,
        auto_referrals=False,  # referrals could send passwords to any host
        raise_exceptions=True,
        check_names=False,
        read_only=True,
    )
    with _convert_parse_errors():
        connection.open(read_server_info=False)
        connection.socket = _BoundedSocket(connection.socket, directory.timeout_seconds)
        if not directory.is_ldaps and not directory.plain:
            try:
                connection.start_tls(read_server_info=False)
            except LDAPOperationResult as error:
                raise LdapError(
                    f"it refuses StartTLS: {error.description} (look at url and plain)"
                ) from error
        connection.bind(read_server_info=False)
    return connection


def _server(directory: LdapDirectory) -> ldap3.Server:
    tls = None if directory.plain else _CheckedTls(ca_certs_file=directory.ca_file or None)
    return ldap3.Server(
        directory.host,
        directory.port,
        use_ssl=directory.is_ldaps,
        tls=tls,
        get_info=ldap3.NONE,
        connect_timeout=directory.timeout_seconds,
    )


class _CheckedTls(ldap3.Tls):  # type: ignore[misc]  # the library has no types
    """Verifies the certificate and its host name as Python does; the library is less strict."""

    def wrap_socket(self, connection: ldap3.Connection, do_handshake: bool = False) -> None:
        context = ssl.create_default_context(cafile=self.ca_certs_file)
        name, bounded = connection.server.host, connection.socket
        if not isinstance(bounded, _BoundedSocket):
            connection.socket = context.wrap_socket(bounded, server_hostname=name)
            return
        bounded.inner.settimeout(bounded.seconds)
        encrypted = context.wrap_socket(bounded.inner, server_hostname=name)
        connection.socket = _BoundedSocket(encrypted, bounded.seconds)


class _BoundedSocket:
    """Limits the time and the size of the whole answer to a request. The library limits single
    reads only, so a directory that sends slowly could hold a thread forever."""

    def __init__(self, inner: Any, seconds: float) -> None:
        self.inner = inner
        self.seconds = seconds
        self._begin()

    def sendall(self, data: bytes) -> None:
        self._begin()
        self.inner.settimeout(self.seconds)
        self.inner.sendall(data)

    def recv(self, size: int) -> bytes:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"no whole answer within {self.seconds} seconds")
        self.inner.settimeout(left)
        data: bytes = self.inner.recv(max(size, CHUNK_BYTES))
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            raise OSError(f"the answer is larger than {MAX_RESPONSE_BYTES} bytes")
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def _begin(self) -> None:
        self._deadline = time.monotonic() + self.seconds
        self._bytes_left = MAX_RESPONSE_BYTES


def _accepts(directory: LdapDirectory, dn: str, password: str) -> bool:
    try:
        _bind(directory, dn, password).unbind()
    except WRONG_PASSWORD:
        return False
    return True


# --- searching ---


def _find_raw_entry(
    connection: ldap3.Connection, directory: LdapDirectory, typed: str
) -> dict[str, Any] | None:
    name = _login_name(connection, directory, typed.strip())
    if not name or len(name) > MAX_NAME_LENGTH:
        return None
    wanted = _filled(directory.filter, name=name)
    return _find_one(connection, directory, wanted)


def _login_name(connection: ldap3.Connection, directory: LdapDirectory, typed: str) -> str:
    """The login name that belongs to an address, or what was typed if it is not an address; may be
    empty."""
    if "@" not in typed or len(typed) > MAX_NAME_LENGTH:
        return typed
    if directory.email_domain:
        local, _, host = typed.rpartition("@")
        wanted, given = map(domain.people.user.email_key, (directory.email_domain, host))
        return local if given == wanted else ""
    if not directory.email_filter:
        return typed
    wanted = _filled(directory.email_filter, email=typed)
    entry = _find_one(connection, directory, wanted)
    return typed if entry is None else _first(entry, directory.username_attribute) or typed


def _subject_filter(directory: LdapDirectory, subject: str) -> str:
    if not directory.id_attribute:
        return _filled(directory.filter, name=subject)
    if subject.startswith(HEX_PREFIX):
        raw = bytes.fromhex(subject.removeprefix(HEX_PREFIX))
        value = "".join(f"\\{byte:02x}" for byte in raw)
    else:
        value = escape_filter_chars(subject)
    return f"({directory.id_attribute}={value})"


def _filled(template: str, **values: str) -> str:
    """A filter with escaped values in place of `{name}` and so on, in one pass: a value that itself
    contains `{name}` stays as it is."""

    def value(found: re.Match[str]) -> str:
        escaped: str = escape_filter_chars(values[found[1]])
        return escaped

    return re.sub("{(" + "|".join(values) + ")}", value, template)


def _check_id_attribute(connection: ldap3.Connection, directory: LdapDirectory) -> None:
    """Raises LdapError if there are entries and none has the id attribute."""
    if not directory.id_attribute:
        return
    any_entry = directory.filter.replace("{name}", "*")
    with_id = f"(&{any_entry}({directory.id_attribute}=*))"
    if _has_entries(connection, directory, any_entry) and not _has_entries(
        connection, directory, with_id
    ):
        raise LdapError(_no_id(directory, "no entry"))


def _no_id(directory: LdapDirectory, who: str) -> str:
    return (
        f"{who} has the attribute {directory.id_attribute} (look at id_attribute: objectGUID in"
        ' Active Directory, "" to remember people by their login name)'
    )


def _has_entries(connection: ldap3.Connection, directory: LdapDirectory, wanted: str) -> bool:
    try:
        return bool(_search(connection, directory, directory.base, wanted, ["1.1"], 1))
    except LDAPSizeLimitExceededResult:
        return True


def _find_one(
    connection: ldap3.Connection, directory: LdapDirectory, wanted: str
) -> dict[str, Any] | None:
    """The only matching entry; None if there is none or several."""
    base, attributes = directory.base, _attributes(directory)
    try:
        entries = _search(connection, directory, base, wanted, attributes, MAX_HITS)
    except LDAPSizeLimitExceededResult:
        return None
    except LDAPInvalidFilterError as error:
        raise LdapError(f"the filter is not valid: {wanted}") from error
    return entries[0] if len(entries) == 1 else None


def _search(
    connection: ldap3.Connection,
    directory: LdapDirectory,
    base: str,
    wanted: str,
    attributes: list[str],
    limit: int,
) -> list[dict[str, Any]]:
    with _convert_parse_errors():
        connection.search(
            base,
            wanted,
            ldap3.SUBTREE,
            attributes=attributes,
            size_limit=limit,
            time_limit=directory.timeout_seconds,
        )
        return [each for each in connection.response if each["type"] == "searchResEntry"]


def _attributes(directory: LdapDirectory) -> list[str]:
    """The attributes to request by name: directories return some only on request."""
    names = [
        directory.username_attribute,
        directory.email_attribute,
        directory.id_attribute,
        directory.name_attribute,
        directory.first_name_attribute,
        directory.last_name_attribute,
        directory.picture_attribute,
        directory.disabled_attribute,
        directory.organization_attribute,
        *(name for table in directory.required_attributes for name, _ in table),
        *(attribute for _, attribute in directory.profile_fields),
    ]
    return list(dict.fromkeys(filter(None, names)))


# --- entries ---


def _person(
    connection: ldap3.Connection, directory: LdapDirectory, entry: dict[str, Any]
) -> LdapPerson:
    login_name = _first(entry, directory.username_attribute)
    organizations = None
    if directory.organization_attribute:
        organizations = tuple(_texts(entry, directory.organization_attribute))
    pictures = _values(entry, directory.picture_attribute)
    return LdapPerson(
        dn=entry["dn"],
        login_name=login_name,
        email=_email(directory, entry, login_name),
        subject=_subject(directory, entry),
        full_name=_full_name(directory, entry),
        is_disabled=_is_disabled(directory, entry),
        attributes={name: _first(entry, name) for name in _attributes(directory)},
        organizations=organizations,
        has_required=_has_required(directory, entry),
        groups=_groups(connection, directory, entry["dn"], login_name),
        picture=pictures[0] if pictures else b"",
    )


def _email(directory: LdapDirectory, entry: dict[str, Any], login_name: str) -> str:
    if directory.email_domain:
        return f"{login_name}@{directory.email_domain}"
    if directory.email_attribute:
        return _first(entry, directory.email_attribute)
    return login_name


def _subject(directory: LdapDirectory, entry: dict[str, Any]) -> str:
    """The stable id of an entry. Raises LdapError if it has none."""
    values = _values(entry, directory.id_attribute)
    if directory.id_attribute and not values:
        raise LdapError(_no_id(directory, f"not every entry ({entry['dn']} for one)"))
    if not values:
        return domain.people.user.email_key(_first(entry, directory.username_attribute))
    try:
        text = values[0].decode()
    except UnicodeDecodeError:
        text = ""
    return text if text.isprintable() and text else f"{HEX_PREFIX}{values[0].hex()}"


def _full_name(directory: LdapDirectory, entry: dict[str, Any]) -> str:
    if directory.first_name_attribute:
        parts = (directory.first_name_attribute, directory.last_name_attribute)
        return " ".join(filter(None, (_first(entry, name) for name in parts)))
    return _first(entry, directory.name_attribute)


def _is_disabled(directory: LdapDirectory, entry: dict[str, Any]) -> bool:
    """A missing attribute means that the account is enabled."""
    value = _first(entry, directory.disabled_attribute)
    if directory.disabled_attribute.casefold() == "useraccountcontrol":
        return value.isdecimal() and bool(int(value) & DISABLED_BIT)
    return value.upper() in ("TRUE", "YES")


def _has_required(directory: LdapDirectory, entry: dict[str, Any]) -> bool:
    tables = directory.required_attributes
    return not tables or any(
        all(
            value.casefold() in (each.casefold() for each in _texts(entry, name))
            for name, value in table
        )
        for table in tables
    )


def _groups(
    connection: ldap3.Connection, directory: LdapDirectory, dn: str, login_name: str
) -> tuple[str, ...]:
    if not directory.asks_for_groups:
        return ()
    wanted = _filled(directory.group_filter, dn=dn, name=login_name)
    base, name = directory.group_base or directory.base, directory.group_name_attribute
    entries = _search(connection, directory, base, wanted, [name], MAX_GROUPS)
    names = [_first(each, name) for each in entries]
    return tuple(sorted(filter(None, names)))


def _first(entry: dict[str, Any], name: str) -> str:
    texts = _texts(entry, name)
    return texts[0] if texts else ""


def _texts(entry: dict[str, Any], name: str) -> list[str]:
    return [value.decode(errors="replace").strip() for value in _values(entry, name)]


def _values(entry: dict[str, Any], name: str) -> list[bytes]:
    """An attribute's values, in any case of its name; none if it is missing."""
    for key, values in entry["raw_attributes"].items():
        if name and key.casefold() == name.casefold():
            return list(values)
    return []
