"""OpenLDAP: the distribution's `slapd` on free ports, with our own certificate."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ldap3
from tests.support import certificates
from tests.support.ports import own_port
from tests.support.waiting import eventually

SLAPD = shutil.which("slapd", path="/usr/sbin:/usr/local/sbin:/usr/lib/openldap:/usr/bin")
SCHEMAS = Path("/etc/ldap/schema")
BASE = "dc=example,dc=com"
PEOPLE = f"ou=people,{BASE}"
GROUPS = f"ou=groups,{BASE}"
MANAGER = (f"cn=manager,{BASE}", "hush")

# What the tests' server reads from it.
DIRECTORY: dict[str, Any] = {
    "picture_attribute": "jpegPhoto",
    "disabled_attribute": "employeeType",
    "profile_fields": (("Phone", "mobile"),),
    "groups": ("engineering", "Press (all)"),
    "roles": (("owner", ("chiefs",)), ("admin", ("it",))),
    "only_groups": (),
    "required_attributes": ((("l", "Lima"),), (("l", "Quito"),)),
    "deactivate_missing": True,
    "sync_minutes": 0,
}


class Slapd:
    """A running directory; tests add entries."""

    def __init__(self, folder: Path, port: int, tls_port: int) -> None:
        self.port = port
        self.tls_port = tls_port
        self.ca_file = str(folder / "ca.pem")
        self._connection: ldap3.Connection | None = None

    def settings(self, **others: Any) -> dict[str, Any]:
        """The settings of an `[[ldap]]` table for it, unencrypted by default."""
        return {
            "url": f"ldap://127.0.0.1:{self.port}",
            "plain": True,
            "ca_file": self.ca_file,
            "bind_dn": MANAGER[0],
            "bind_password": MANAGER[1],
            "base": PEOPLE,
            "group_base": GROUPS,
            **others,
        }

    def add_person(self, name: str, password: str = "open sesame", **others: Any) -> str:
        """Add an entry and return its DN; entries of earlier tests are removed."""
        dn = f"uid={name},{PEOPLE}"
        about = {
            "cn": name.title(),
            "sn": name.title(),
            "mail": f"{name}@example.com",
            "l": "Lima",
        } | others
        kept = {key: value for key, value in about.items() if value is not None}
        kinds = ["inetOrgPerson", "user"] if "sAMAccountName" in kept else ["inetOrgPerson"]
        self._add(dn, kinds, {"uid": name, "userPassword": password, **kept})
        return dn

    def add_group(self, name: str, *members: str) -> None:
        self._add(f"cn={name},{GROUPS}", ["groupOfNames"], {"member": list(members)})

    def change(self, dn: str, **attributes: Any) -> None:
        changes = {
            name: [(ldap3.MODIFY_REPLACE, values if isinstance(values, list) else [values])]
            for name, values in attributes.items()
        }
        self._manager().modify(dn, changes)

    def remove(self, dn: str) -> None:
        self._manager().delete(dn)

    def clear(self) -> None:
        manager = self._manager()
        for location in (PEOPLE, GROUPS):
            manager.search(location, "(objectClass=*)", ldap3.LEVEL, attributes=["1.1"])
            for entry in list(manager.response):
                manager.delete(entry["dn"])

    def _add(self, dn: str, kind: list[str], attributes: dict[str, Any]) -> None:
        self._manager().add(dn, kind, attributes)

    def _manager(self) -> ldap3.Connection:
        if self._connection is None:
            server = ldap3.Server("127.0.0.1", self.port, get_info=ldap3.NONE)
            self._connection = ldap3.Connection(
                server, *MANAGER, raise_exceptions=True, auto_bind=True, check_names=False
            )
        return self._connection


@contextmanager
def slapd_running(folder: Path) -> Iterator[Slapd]:
    assert SLAPD is not None
    certificates.write(folder)
    (folder / "data").mkdir()
    (folder / "slapd.conf").write_text(_configuration(folder))
    (folder / "start.ldif").write_text(_tree())
    loading = [SLAPD, "-T", "add", "-f", "slapd.conf", "-l", "start.ldif"]
    subprocess.run(loading, cwd=folder, check=True, capture_output=True)
    port, tls_port = own_port(), own_port()
    addresses = f"ldap://127.0.0.1:{port} ldaps://127.0.0.1:{tls_port}"
    process = subprocess.Popen(
        [SLAPD, "-f", "slapd.conf", "-h", addresses, "-d", "0"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        eventually(lambda: _answers(port, process))
        yield Slapd(folder, port, tls_port)
    finally:
        process.terminate()
        process.wait()


# Further attributes of Active Directory entries.
ACTIVE_DIRECTORY = """
attributetype ( 1.2.840.113556.1.4.221 NAME 'sAMAccountName' EQUALITY caseIgnoreMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.656 NAME 'userPrincipalName' EQUALITY caseIgnoreMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.8 NAME 'userAccountControl' EQUALITY integerMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' EQUALITY octetStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
attributetype ( 2.16.128.113730.3.1.35 NAME 'thumbnailPhoto' EQUALITY octetStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
objectclass ( 1.2.840.113556.1.5.9 NAME 'user' SUP top AUXILIARY
  MAY ( sAMAccountName $ userPrincipalName $ userAccountControl $ objectGUID $ thumbnailPhoto ) )
"""


def _configuration(folder: Path) -> str:
    schemas = "\n".join(
        f"include {SCHEMAS}/{name}.schema" for name in ("core", "cosine", "inetorgperson")
    )
    return f"""
{schemas}{ACTIVE_DIRECTORY}
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCACertificateFile {folder}/ca.pem
TLSCertificateFile {folder}/server.pem
TLSCertificateKeyFile {folder}/server.key
database mdb
suffix "{BASE}"
rootdn "{MANAGER[0]}"
rootpw {MANAGER[1]}
directory {folder}/data
dbnosync
maxsize 10485760
index objectClass,uid,mail,entryUUID,member eq
access to attrs=userPassword by anonymous auth by * none
access to * by * read
"""


def _tree() -> str:
    return f"""\
dn: {BASE}
objectClass: organization
objectClass: dcObject
o: Example
dc: example

dn: {PEOPLE}
objectClass: organizationalUnit
ou: people

dn: {GROUPS}
objectClass: organizationalUnit
ou: groups
"""


def _answers(port: int, process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, "slapd ended by itself"
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
