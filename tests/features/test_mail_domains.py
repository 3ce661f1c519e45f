"""Mail domains: who may join, by the domain of the address."""

import pytest

INVALID = "Invalid domain: Between its dots there must be letters, digits and inner hyphens."
NEWCOMER = {"full_name": "New", "password": "a long enough password"}


@pytest.fixture
def ana(chat):
    return chat.person("ana", role="owner")


def add(person, domain, allow_subdomains=False):
    response = person.post("/realm/domains", domain=domain, allow_subdomains=allow_subdomains)
    return response.succeeds()["new_domain"]


def listed(person):
    found = person.get("/realm/domains").succeeds()["domains"]
    state = person.registers(fetch_event_types=["realm_domains"])["realm_domains"]
    assert state == found
    return found


def shown(domain, allow_subdomains=False):
    return {"domain": domain, "allow_subdomains": allow_subdomains}


def test_all_users_see_the_domains_and_their_changes(gus, ana):
    queue = gus.listens_for("realm_domains")

    number, name = add(ana, " Boats.Example.com ")
    ana.patch(f"/realm/domains/{name}", allow_subdomains=True).succeeds()
    add(ana, "quay.example.com")
    ana.delete("/realm/domains/quay.example.com").succeeds()

    assert (type(number), name) == (int, "boats.example.com")
    assert listed(gus) == [shown(name, allow_subdomains=True)]
    assert queue.all() == [
        {"type": "realm_domains", "op": "add", "realm_domain": shown(name)},
        {"type": "realm_domains", "op": "change", "realm_domain": shown(name, True)},
        {"type": "realm_domains", "op": "add", "realm_domain": shown("quay.example.com")},
        {"type": "realm_domains", "op": "remove", "domain": "quay.example.com"},
    ]


def test_an_empty_change_causes_no_event(ana):
    add(ana, "boats.example.com")
    queue = ana.listens_for()

    ana.patch("/realm/domains/boats.example.com", allow_subdomains=False).succeeds()

    assert queue.silent()


@pytest.mark.parametrize(
    "domain, words",
    [
        ("", "Invalid domain: Domain can't be empty."),
        ("no_domain", "Invalid domain: Domain must have at least one dot (.)"),
        (".example.com", INVALID),
        ("example..com", INVALID),
        ("-a.example.com", INVALID),
        ("ana@example.com", INVALID),
        ("a." * 130 + "com", "Invalid domain: Domain is too long (limit: 253 characters)"),
        (
            "Taken.example.com",
            "The domain taken.example.com is already a part of your organization.",
        ),
    ],
)
def test_an_invalid_domain_is_refused(ana, domain, words):
    add(ana, "taken.example.com")

    ana.post("/realm/domains", domain=domain, allow_subdomains=True).fails(words)

    assert listed(ana) == [shown("taken.example.com")]


def test_only_owners_change_domains(chat, ana):
    add(ana, "boats.example.com")
    ben = chat.person("ben", role="admin")

    for response in (
        ben.post("/realm/domains", domain="c.example.com", allow_subdomains=True),
        ben.patch("/realm/domains/boats.example.com", allow_subdomains=True),
        ben.delete("/realm/domains/boats.example.com"),
    ):
        response.fails("Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL")
    assert listed(ben) == [shown("boats.example.com")]


def test_a_missing_domain_can_be_neither_changed_nor_removed(ana):
    words = "No entry found for domain none.example.com."

    ana.patch("/realm/domains/none.example.com", allow_subdomains=True).fails(words)
    ana.delete("/realm/domains/none.example.com").fails(words)


@pytest.mark.parametrize(
    "email, is_welcome",
    [
        ("eve@boats.example.com", True),
        ("Eve@BOATS.example.com", True),
        ("eve@sub.boats.example.com", False),
        ("eve@deep.sub.quay.example.com", True),
        ("eve@otherquay.example.com", False),
        ("eve@example.com", False),
    ],
)
def test_a_new_user_needs_an_address_in_an_allowed_domain(ana, email, is_welcome):
    add(ana, "boats.example.com")
    add(ana, "quay.example.com", allow_subdomains=True)
    ana.patch("/realm", emails_restricted_to_domains=True).succeeds()

    response = ana.post("/users", email=email, **NEWCOMER)

    if is_welcome:
        response.succeeds()
    else:
        response.fails(f"Email '{email}' not allowed in this organization")


def test_a_changed_address_must_be_in_an_allowed_domain(ben, ana):
    add(ana, "boats.example.com")
    ana.patch("/realm", emails_restricted_to_domains=True).succeeds()
    words = "Email 'ben@elsewhere.example.net' not allowed in this organization"

    ana.patch("/settings", email="ben@elsewhere.example.net").fails(words)
    ana.patch(f"/users/{ben.id}", new_email="ben@elsewhere.example.net").fails(words)
    ana.patch(f"/users/{ben.id}", new_email="ben@boats.example.com").succeeds()


def test_domains_count_only_while_the_restriction_is_on(ana):
    add(ana, "boats.example.com")

    ana.post("/users", email="eve@elsewhere.example.net", **NEWCOMER).succeeds()


def test_removing_the_last_domain_removes_the_restriction(ana):
    add(ana, "boats.example.com")
    ana.patch("/realm", emails_restricted_to_domains=True).succeeds()
    queue = ana.listens_for("realm")

    ana.delete("/realm/domains/boats.example.com").succeeds()

    (event,) = queue.all()
    assert (event["property"], event["value"]) == ("emails_restricted_to_domains", False)
    ana.post("/users", email="eve@elsewhere.example.net", **NEWCOMER).succeeds()
