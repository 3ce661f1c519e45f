"""LDAP sync: accounts follow the directory they came from."""

import json

import pytest
from tests.support.cli_runner import Terminal
from tests.support.people import Chat
from tests.support.slapd import DIRECTORY, Slapd

from tertulia import actions, storage
from tertulia.config import Config
from tertulia.config.login_providers import LdapDirectory
from tertulia.data_dir import load_vault
from tertulia.database import BlockingDatabase
from tertulia.domain.people.user import Role, User
from tertulia.external.sso import claims, ldap
from tertulia.jobs import ldap_sync

SESAME = "open sesame"


@pytest.fixture
def org(ldap_chat: Chat, slapd: Slapd) -> "LdapOrganization":
    return LdapOrganization(ldap_chat, slapd)


class LdapOrganization:
    """An organization with an LDAP directory."""

    def __init__(self, chat: Chat, slapd: Slapd) -> None:
        self.chat, self.slapd = chat, slapd
        self.dns: dict[str, str] = {}

    def logs_in(self, name: str, **about: str) -> User:
        """Add an entry to the directory and log in with it."""
        self.dns[name] = self.slapd.add_person(name, **about)
        response = self.chat.stranger.post("/fetch_api_key", username=name, password=SESAME)
        return self.account(response.succeeds()["user_id"])

    def account(self, user_id: int) -> User:
        return self.chat.read(actions.people.users.get, user_id)

    def syncs(self, **settings: object) -> int:
        directory = LdapDirectory(**self.slapd.settings(**DIRECTORY | settings))
        database = self.chat.server.database
        done = self.chat.server.do(ldap_sync.sync(database, self.chat.realm, directory))
        return done.changed


def test_changes_in_the_directory_change_the_account(org):
    org.chat.person("owner", role="owner")
    ana = org.logs_in("ana")
    org.slapd.change(org.dns["ana"], cn="Ana Díaz", mail="diaz@example.com")
    org.slapd.add_group("it", org.dns["ana"])

    changed = org.syncs()

    now = org.account(ana.id)
    assert changed == 1
    assert (now.full_name, now.email, now.role) == (
        "Ana Díaz",
        "diaz@example.com",
        Role.ADMINISTRATOR,
    )
    assert org.syncs() == 0


def test_roles_and_groups_are_revoked_where_the_directory_gave_them(org):
    owner = org.chat.person("owner", role="owner")
    ana, ben = org.logs_in("ana"), org.logs_in("ben")
    for group in ("it", "engineering"):
        org.slapd.add_group(group, org.dns["ana"], org.dns["ben"])
    org.syncs()
    ours = owner.post("/user_groups/create", name="ours", description="", members=[ana.id])
    group_id = ours.succeeds()["group_id"]
    org.chat.write(actions.people.roles.change, org.account(ben.id), Role.MODERATOR)

    for group in ("it", "engineering"):
        org.slapd.change(f"cn={group},ou=groups,dc=example,dc=com", member=[org.dns["ben"]])
    org.slapd.change("cn=it,ou=groups,dc=example,dc=com", member=["cn=nobody"])
    org.syncs()

    assert org.account(ana.id).role == Role.MEMBER
    assert org.account(ben.id).role == Role.MODERATOR
    members = {group.name: group.members for group in org.chat.read(storage.groups.list_all)}
    assert sorted(members["engineering"]) == [ben.id]
    assert list(members["ours"]) == [ana.id]
    assert group_id


def test_disabled_entries_deactivate_and_reactivate_accounts(org):
    org.chat.person("owner", role="owner")
    ana = org.logs_in("ana")
    org.slapd.change(org.dns["ana"], employeeType="TRUE")

    org.syncs()
    gone = org.account(ana.id).is_active
    org.slapd.change(org.dns["ana"], employeeType="FALSE")
    org.syncs()

    assert not gone
    assert org.account(ana.id).is_active


def test_changes_by_a_directory_are_in_the_audit_log(org):
    owner = org.chat.person("owner", role="owner")
    ana, ben = org.logs_in("ana"), org.logs_in("ben")
    org.slapd.change(org.dns["ana"], mail="diaz@example.com")
    org.slapd.add_group("it", org.dns["ana"])
    org.slapd.change(org.dns["ben"], employeeType="TRUE")
    org.syncs()
    org.slapd.change(org.dns["ben"], employeeType="FALSE")
    org.syncs()
    org.syncs()

    entries = owner.get("/realm/audit_log").succeeds()["entries"]
    noted = [each for each in reversed(entries) if each["act"].startswith("provider ")]
    who = {each["act"]: each["details"] for each in noted}
    assert [(each["act"], each["details"]["user_id"]) for each in noted] == [
        ("provider join", ana.id),
        ("provider join", ben.id),
        ("provider address", ana.id),
        ("provider role", ana.id),
        ("provider deactivate", ben.id),
        ("provider reactivate", ben.id),
    ]
    assert who["provider role"] == {
        "user_id": ana.id,
        "role": int(Role.ADMINISTRATOR),
        "changes": {"role": [int(Role.MEMBER), int(Role.ADMINISTRATOR)]},
    }
    assert {(each["actor_id"], each["address"], each["result"]) for each in noted} == {
        (None, noted[0]["address"], "done")
    }
    assert noted[0]["address"].startswith("provider, ldap")


def test_an_account_deactivated_by_hand_is_not_reactivated(org):
    org.chat.person("owner", role="owner")
    ana = org.logs_in("ana")
    org.chat.write(actions.people.users.deactivate, ana.id)

    assert org.syncs() == 0
    assert not org.account(ana.id).is_active


def test_only_accounts_of_the_directory_are_touched(org):
    org.chat.person("owner", role="owner")
    local = org.chat.person("ben")
    org.slapd.add_person("ben", cn="Somebody Else", employeeType="TRUE")
    ana, cid = org.logs_in("ana"), org.logs_in("cid")
    org.slapd.remove(org.dns["ana"])

    kept = org.syncs(deactivate_missing=False), org.account(ana.id).is_active
    ended = org.syncs(), org.account(ana.id).is_active

    assert (kept, ended) == ((0, True), (1, False))
    assert local.record.is_active
    assert local.record.full_name == "Ben"
    assert org.account(cid.id).is_active


@pytest.mark.parametrize("how", ["disabled", "missing", "demoted"])
def test_the_last_owner_is_never_deactivated(org, how):
    ana, ben = org.logs_in("ana"), org.logs_in("ben")
    org.slapd.add_group("chiefs", org.dns["ana"])
    org.syncs()
    assert org.account(ana.id).is_owner
    org.slapd.change(org.dns["ben"], employeeType="YES")

    match how:
        case "disabled":
            org.slapd.change(org.dns["ana"], employeeType="YES")
        case "missing":
            org.slapd.remove(org.dns["ana"])
        case "demoted":
            org.slapd.change("cn=chiefs,ou=groups,dc=example,dc=com", member=["cn=nobody"])
    org.syncs()

    assert org.account(ana.id).is_active
    assert org.account(ana.id).is_owner
    assert org.account(ben.id).is_active is (how != "demoted")


def test_an_empty_directory_is_not_trusted(org):
    org.chat.person("owner", role="owner")
    ana = org.logs_in("ana")

    assert org.syncs(base="ou=groups,dc=example,dc=com") == 0
    assert org.syncs(base="dc=nowhere") == 0
    assert org.account(ana.id).is_active


# --- the commands ---


def test_commands_report_and_sync(tmp_path, slapd):
    dn = slapd.add_person("ana", cn="Ana Díaz", mobile="+34 1")
    slapd.add_group("it", dn)
    terminal = Terminal(tmp_path / "data").creates_organization()
    terminal.adds("owner", "--role", "owner")
    (terminal.data / "tertulia.toml").write_text(
        f"""
        [[ldap]]
        url = "ldap://127.0.0.1:{slapd.port}"
        plain = true
        base = "ou=people,dc=example,dc=com"
        group_base = "ou=groups,dc=example,dc=com"
        disabled_attribute = "employeeType"
        roles = {{ admin = "it" }}
        profile_fields = {{ "Phone" = "mobile" }}
        """
    )

    checked = terminal.runs("ldap", "check", "ana@example.com")
    unknown = terminal.runs("ldap", "check", "ben")
    before_imports = terminal.runs("ldap", "sync")

    assert "ana@example.com, created at the first login" in checked.out
    assert "administrator" in checked.out
    assert "Ana Díaz" in checked.out
    assert "+34 1 (no such profile field)" in checked.out
    assert (unknown.code, unknown.out) == (1, "ldap: no entry for ben, or several.\n")
    shown = terminal.runs("ldap", "check", "ana@example.com", "--json")
    assert (shown.code, json.loads(shown.out)["ldap"]["entry"]) == (0, dn)
    shown = terminal.runs("ldap", "check", "ben", "--json")
    assert (shown.code, json.loads(shown.out)) == (1, {"ldap": None})
    assert before_imports.err == "ldap: 0 of 0 accounts changed.\n"
    assert "ana" not in terminal.runs("user", "list").out, "to look makes no account"
    assert "No problems found." in terminal.runs("check").out


def test_a_dry_run_reports_changes_and_makes_none(tmp_path, slapd):
    dn = slapd.add_person("ana")
    terminal = Terminal(tmp_path / "data").creates_organization()
    terminal.adds("owner", "--role", "owner")
    terminal.adds("ana")
    config = LdapDirectory(**slapd.settings(disabled_attribute="employeeType"))
    lines = "\n".join(
        f'{name} = "{value}"' for name, value in slapd.settings().items() if name != "plain"
    )
    (terminal.data / "tertulia.toml").write_text(
        f'[[ldap]]\nplain = true\ndisabled_attribute = "employeeType"\n{lines}\n'
    )
    _link(terminal, config, "ana")
    slapd.change(dn, employeeType="TRUE", cn="Anna")

    rehearsed = terminal.runs("ldap", "sync", "--dry-run")
    done = terminal.runs("ldap", "sync")
    slapd.change(dn, employeeType="FALSE")
    back = terminal.runs("ldap", "sync")

    assert rehearsed.out == done.out
    assert done.out == "ana@example.com is deactivated, since Ana is disabled there.\n"
    assert rehearsed.err == "ldap: 1 of 1 accounts would change.\n"
    assert back.out == "ana@example.com is active again, is called Anna now.\n"
    for word in ("link", "password"):
        result = terminal.runs("user", word, "ana@example.com")
        assert result.err == "Error: The password of Anna is kept in LDAP, and changed there.\n"


def _link(terminal: Terminal, directory: LdapDirectory, name: str) -> None:
    """As a login does it."""
    config = Config(data=terminal.data)
    vault = load_vault(config)
    person = ldap.find(directory, name)
    assert vault is not None
    assert person is not None
    profile = claims.from_directory(directory, "", person, None)
    database = BlockingDatabase.at(config.database_url)
    database.of(1).write(actions.people.external_identities.match_or_create, vault, profile)
