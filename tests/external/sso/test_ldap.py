"""Asking an LDAP directory, a real one: who is let through, and who is found."""

import asyncio
import io
import socket
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.support.slapd import PEOPLE, Slapd

from tertulia.checks import logins
from tertulia.config import Config, sources
from tertulia.config.login_providers import LdapDirectory
from tertulia.errors.http import RateLimited
from tertulia.external.sso import ldap
from tertulia.external.sso.provider_types import LdapError, LdapPerson


def ask(slapd: Slapd, typed: str, password: str, **settings: Any) -> LdapPerson | None:
    return authenticate(directory(slapd, **settings), typed, password)


def authenticate(asked: LdapDirectory, typed: str, password: str) -> LdapPerson | None:
    return ldap.authenticate(asked, ldap.find_entry(asked, typed), password)


def directory(slapd: Slapd, **settings: Any) -> LdapDirectory:
    return LdapDirectory(**slapd.settings(**settings))


def test_a_name_and_its_password_are_accepted(slapd):
    slapd.add_person("ana", cn="Ana Díaz", mail="ana.diaz@example.com")

    found = ask(slapd, "ana", "open sesame")

    assert found is not None
    assert (found.login_name, found.email) == ("ana", "ana.diaz@example.com")
    assert found.full_name == "Ana Díaz"
    assert len(found.subject) == 36  # entryUUID is returned only on request
    assert ask(slapd, "ANA", "open sesame") == found
    assert ask(slapd, "ana.diaz@example.com", "open sesame") == found


@pytest.mark.parametrize(
    "typed, password",
    [
        ("ana", ""),
        ("ana", "wrong"),
        ("ana", "open sesame\0"),
        ("ben", "open sesame"),
        ("", "open sesame"),
        ("*", "open sesame"),
        ("an*", "open sesame"),
        ("ana)(uid=*", "open sesame"),
        ("*)(|(uid=*", "open sesame"),
        ("ana\0", "open sesame"),
        ("*@example.com", "open sesame"),
        ("a" * 100_000, "open sesame"),
        (f"uid=ana,{PEOPLE}", "open sesame"),
    ],
)
def test_wrong_names_and_passwords_are_refused(typed, password, slapd):
    slapd.add_person("ana")

    assert ask(slapd, typed, password) is None


@pytest.mark.parametrize("name", ["ana (it)", "ana*", "ana\\28", "ana, the cook"])
def test_filter_characters_in_a_name_are_escaped(name, slapd):
    typed = slapd.add_person("x1", sAMAccountName=name) and name
    settings = {"filter": "(sAMAccountName={name})", "username_attribute": "sAMAccountName"}

    found = ask(slapd, typed, "open sesame", **settings)

    assert found is not None
    assert found.login_name == name


def test_an_ambiguous_name_is_refused(slapd):
    for name in ("ana", "anna"):
        slapd.add_person(name, sn="Díaz", mail="both@example.com")

    assert ask(slapd, "Díaz", "open sesame", filter="(sn={name})") is None
    assert ask(slapd, "both@example.com", "open sesame") is None
    assert ask(slapd, "anna", "open sesame") is not None


def test_a_configured_domain_is_appended_to_the_name(slapd):
    slapd.add_person("ana", mail=None)
    wanted = {"email_domain": "corp.example"}

    found = ask(slapd, "ana@CORP.example", "open sesame", **wanted)

    assert found is not None
    assert found.email == "ana@corp.example"
    assert ask(slapd, "ana", "open sesame", **wanted) == found
    assert ask(slapd, "ana@elsewhere.example", "open sesame", **wanted) is None


def test_a_missing_attribute_is_not_set(slapd):
    slapd.add_person("ana", mail=None)

    found = ask(slapd, "ana", "open sesame", disabled_attribute="nsAccountLock")

    assert found is not None
    assert (found.email, found.is_disabled) == ("", False)


@pytest.mark.parametrize(
    "attribute, value, is_disabled",
    [
        ("employeeType", "TRUE", True),
        ("employeeType", "yes", True),
        ("employeeType", "FALSE", False),
        ("employeeType", "NO", False),
        ("userAccountControl", "514", True),
        ("userAccountControl", "512", False),
        ("userAccountControl", "x", False),
    ],
)
def test_disabled_entries_are_recognized(attribute, value, is_disabled):
    requested = LdapDirectory(url="ldaps://x", base="dc=x", disabled_attribute=attribute)
    entry = {"raw_attributes": {attribute.upper(): [value.encode()]}}

    assert ldap._is_disabled(requested, entry) is is_disabled


def test_the_documented_active_directory_settings_find_users(slapd):
    guid = bytes(range(200, 216))
    names = {"sAMAccountName": "adiaz", "userPrincipalName": "adiaz@corp.example.com"}
    more = {"objectGUID": guid, "displayName": "Ana Díaz", "cn": "DIAZ Ana"}
    ana = slapd.add_person("x1", mail="ana@example.com", userAccountControl=512, **names, **more)
    slapd.add_group("Chat Administrators", ana)
    page = (Path(__file__).parents[3] / "docs" / "logging-in.md").read_text(encoding="utf-8")
    written = next(each for each in page.split("```") if "# Active Directory" in each)
    (table,) = tomllib.loads(written.removeprefix("toml"))["ldap"]
    # OpenLDAP has no rule for groups in groups.
    here = slapd.settings(group_filter="(member={dn})")
    (requested,) = sources.read_tables(LdapDirectory, [table | here], "the docs")

    found = [
        authenticate(requested, typed, "open sesame")
        for typed in ("adiaz", "ADIAZ", "adiaz@corp.example.com", "ana@example.com")
    ]
    slapd.change(ana, userAccountControl=514)
    disabled = authenticate(requested, "adiaz", "open sesame")

    assert found == [found[0]] * 4
    assert found[0] is not None
    assert (found[0].full_name, found[0].email) == ("Ana Díaz", "ana@example.com")
    assert found[0].subject == f"hex:{guid.hex()}"
    assert found[0].groups == ("Chat Administrators",)
    assert not found[0].is_disabled
    assert disabled is not None
    assert disabled.is_disabled
    assert ldap.find_all(requested, [found[0].subject]) == {found[0].subject: disabled}


def test_a_binary_permanent_id_can_be_looked_up(slapd):
    photo = io.BytesIO()
    Image.new("RGB", (2, 2)).save(photo, "JPEG")
    slapd.add_person("ana", jpegPhoto=photo.getvalue())
    requested = directory(slapd, id_attribute="jpegPhoto", picture_attribute="jpegPhoto")

    found = ldap.find(requested, "ana")

    assert found is not None
    assert found.subject.startswith("hex:ffd8")
    assert found.picture == photo.getvalue()
    assert ldap._subject_filter(requested, "hex:00ff") == r"(jpegPhoto=\00\ff)"


def test_groups_conditions_and_profile_fields_are_returned(slapd):
    ana = slapd.add_person("ana", departmentNumber="IT", o=["chess", "go"], mobile="+34 1")
    ben = slapd.add_person("ben", departmentNumber="IT")
    slapd.add_group("staff (all)", ana, ben)
    slapd.add_group("press", ana)
    settings = {
        "groups": ("*",),
        "organization_attribute": "o",
        "required_attributes": ((("departmentNumber", "HR"),), (("departmentNumber", "it"),)),
        "profile_fields": (("Phone", "mobile"),),
    }

    found = ldap.find(directory(slapd, **settings), "ana")

    assert found is not None
    assert found.groups == ("press", "staff (all)")
    assert found.organizations == ("chess", "go")
    assert found.has_required
    assert found.attributes["mobile"] == "+34 1"
    other = ldap.find(directory(slapd, required_attributes=((("departmentNumber", "HR"),),)), "ben")
    assert other is not None
    assert not other.has_required


def test_users_are_found_by_their_permanent_ids(slapd):
    requested = directory(slapd)
    dns = [slapd.add_person(name) for name in ("ana", "ben")]
    subjects = [ldap.find(requested, name).subject for name in ("ana", "ben")]  # type: ignore[union-attr]
    slapd.change(dns[0], mail="new@example.com")
    slapd.remove(dns[1])

    found = ldap.find_all(requested, [*subjects, "*", "nobody"])

    assert [each.email for each in found.values()] == ["new@example.com"]
    assert list(found) == subjects[:1]


@pytest.mark.parametrize("scheme", ["ldaps", "ldap"])
def test_the_certificate_of_the_directory_is_verified(scheme, slapd):
    slapd.add_person("ana")
    port = slapd.tls_port if scheme == "ldaps" else slapd.port
    here = {"url": f"{scheme}://localhost:{port}", "plain": False}
    by_another_name = {"url": f"{scheme}://127.0.0.1:{port}", "plain": False}

    assert ask(slapd, "ana", "open sesame", **here) is not None
    with pytest.raises(LdapError, match="CERTIFICATE_VERIFY_FAILED"):
        ask(slapd, "ana", "open sesame", **here, ca_file="")
    with pytest.raises(LdapError, match="CERTIFICATE_VERIFY_FAILED"):
        ask(slapd, "ana", "open sesame", **by_another_name)


def test_an_outage_is_not_reported_as_a_wrong_password(slapd):
    slapd.add_person("ana")

    with pytest.raises(LdapError):
        ask(slapd, "ana", "open sesame", url="ldap://127.0.0.1:1")
    with pytest.raises(LdapError):
        ask(slapd, "ana", "open sesame", bind_password="wrong")
    with pytest.raises(LdapError):
        ldap.find_all(directory(slapd, base="dc=nowhere"), ["x"])
    ldap.check(directory(slapd))


def test_a_silent_directory_times_out(slapd):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"ldap://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(LdapError):
            ask(slapd, "ana", "x", url=url, timeout_seconds=1)


def test_one_address_cannot_use_all_threads():
    released = threading.Event()

    async def scene() -> str:
        hanging = [
            asyncio.create_task(ldap.run_in_slot("203.0.113.9", released.wait, 60))
            for _ in range(22)
        ]
        await asyncio.sleep(0)
        with pytest.raises(RateLimited):
            await ldap.run_in_slot("203.0.113.9", released.wait, 60)
        response = await ldap.run_in_slot("198.51.100.7", lambda: "answer")
        released.set()
        await asyncio.gather(*hanging)
        return response

    assert asyncio.run(scene()) == "answer"


def test_placeholders_are_filled_in_one_pass(slapd):
    """An entry may be called `cn={name}`: it must not get the groups of another."""
    secret = {"sn": "x", "userPassword": "open sesame"}
    for name, uid in (("boss", "chief"), ("{name}", "boss")):
        about = secret | {"uid": uid, "mail": f"{uid}@example.com"}
        slapd._add(f"cn={name},{PEOPLE}", ["inetOrgPerson"], about)
    slapd.add_group("chiefs", f"cn=boss,{PEOPLE}")
    requested = directory(slapd, groups=("*",), group_filter="(|(member={dn})(cn=of-{name}))")

    chief, boss = (ldap.find(requested, uid) for uid in ("chief", "boss"))

    assert chief is not None
    assert chief.groups == ("chiefs",)
    assert boss is not None
    assert (boss.dn, boss.groups) == (f"cn={{name}},{PEOPLE}", ())


def test_a_missing_id_attribute_is_an_error(slapd):
    slapd.add_person("ana")
    lacking = directory(slapd, id_attribute="employeeNumber")

    for ask_it in (
        lambda: ldap.find_entry(lacking, "ana"),
        lambda: ldap.find_all(lacking, ["7"]),
        lambda: ldap.check(lacking),
    ):
        with pytest.raises(LdapError, match=r"employeeNumber \(look at id_attribute"):
            ask_it()
    unnamed = directory(slapd, id_attribute="")
    ldap.check(unnamed)
    assert ldap.find_entry(unnamed, "ANA").subject == "ana"
    assert ldap.find_all(directory(slapd), ["none-such"]) == {}


@pytest.mark.parametrize(
    "settings, setting",
    [
        ({"url": "ldap://127.0.0.1:9"}, "url"),
        ({"url": "ldap://nowhere.invalid"}, "url"),
        ({"bind_password": "wrong"}, "bind_dn and bind_password"),
        ({"base": "ou=nowhere,dc=example,dc=com"}, "base and group_base"),
        ({"url": "ldaps://localhost:{tls}", "plain": False, "ca_file": ""}, "ca_file"),
        ({"url": "ldaps://127.0.0.1:{tls}", "plain": False}, "the host in url"),
        (
            {"url": "ldaps://localhost:{tls}", "plain": False, "ca_file": "/no/such.pem"},
            "ca_file: /no/such.pem does not exist",
        ),
    ],
    ids=str,
)
def test_errors_name_the_setting(slapd, settings, setting):
    slapd.add_person("ana")
    url = settings.get("url", "").format(tls=slapd.tls_port)
    given = settings | ({"url": url} if url else {})

    with pytest.raises(LdapError, match=rf"\(look at {setting}\)$"):
        ldap.check(directory(slapd, **given))


def test_a_directory_that_refuses_starttls_is_named():
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with listening.accept()[0] as one:
                asked = _message_id(one.recv(4096))
                one.sendall(_ber(0x30, asked + bytes.fromhex("78070a010204000400")))

        thread = threading.Thread(target=serve)
        thread.start()
        url = f"ldap://127.0.0.1:{listening.getsockname()[1]}"

        with pytest.raises(LdapError, match=r"it refuses StartTLS: protocolError \(look at url"):
            ldap.check(LdapDirectory(url=url, base="dc=example,dc=com"))

        thread.join()


def _hostile(answers: Callable[[bytes], Iterator[bytes]]) -> Iterator[LdapDirectory]:
    """A directory that lets us bind, and answers a search as a test wishes."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError), listening.accept()[0] as one:
                bind = _message_id(one.recv(4096))
                one.sendall(_ber(0x30, bind + bytes.fromhex("61070a010004000400")))
                for chunk in answers(_message_id(one.recv(4096))):
                    one.sendall(chunk)

        threading.Thread(target=serve, daemon=True).start()
        port = listening.getsockname()[1]
        seconds = 1 if answers is trickles else 60
        yield LdapDirectory(
            url=f"ldap://127.0.0.1:{port}", plain=True, base="dc=x", timeout_seconds=seconds
        )


def _message_id(request: bytes) -> bytes:
    """The id of a request, encoded: every answer begins with it."""
    start = 2 + (request[1] & 0x7F if request[1] > 0x7F else 0)
    return request[start : start + 2 + request[start + 1]]


def _ber(tag: int, value: bytes) -> bytes:
    return bytes([tag, 0x84]) + len(value).to_bytes(4, "big") + value


def trickles(message_id: bytes) -> Iterator[bytes]:
    """An entry that takes half a minute, none of its bytes late."""
    yield b"\x30\x82\x7f\xff"
    for _ in range(300):
        time.sleep(0.1)
        yield b"\0"


def floods(message_id: bytes) -> Iterator[bytes]:
    """An entry that says it has two gigabytes."""
    yield b"\x30\x84\x7f\xff\xff\xff"
    for _ in range(1000):
        yield bytes(1 << 16)


def nests(message_id: bytes) -> Iterator[bytes]:
    """Sequences in sequences, deeper than the library can follow."""
    inner = b""
    for _ in range(5000):
        inner = _ber(0x30, inner)
    yield _ber(0x30, message_id + _ber(0x64, inner))


def babbles(message_id: bytes) -> Iterator[bytes]:
    """An operation that there is not."""
    yield _ber(0x30, message_id + b"\x7f\x01\x00")


@pytest.mark.parametrize(
    "answers, words",
    [
        (trickles, "within 1 seconds|timed out"),
        (floods, "the answer is larger than"),
        (nests, "malformed"),
        (babbles, "malformed"),
    ],
)
def test_the_size_of_directory_answers_is_limited(answers, words):
    for hostile in _hostile(answers):
        with pytest.raises(LdapError, match=words):
            ldap.find_entry(hostile, "ana")


@pytest.mark.parametrize(
    "settings, words",
    [
        ({}, "keep account, sessions and API key here (deactivate_missing is off)"),
        ({}, "are noticed within 15 minutes"),
        ({"deactivate_missing": True}, "are noticed within 15 minutes (sync_minutes) and deactiv"),
        ({"sync_minutes": 0}, "are noticed only by `tertulia ldap sync`"),
    ],
)
def test_the_check_says_how_deleted_entries_are_handled(slapd, settings, words):
    finding = logins.examine(Config(ldap=(directory(slapd, **settings),)), [""])

    assert words in finding.summary
    assert finding.problems == []
