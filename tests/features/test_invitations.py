"""Invitations: permissions, contents, and that they do not reveal accounts."""

import datetime

import pytest
from tests.support.fake_smtp import link_in, text_in
from tests.support.people import Chat

from tertulia import actions, features, storage
from tertulia.features.invitations import addresses_in
from tertulia.jobs import housekeeping

OWNER_ONLY = {"msg": "Must be an organization owner", "code": "UNAUTHORIZED_PRINCIPAL"}
ADMIN_ONLY = {"msg": "Must be an organization administrator", "code": "UNAUTHORIZED_PRINCIPAL"}


def invites(person, *emails, **params):
    return person.post(
        "/invites", **{"invitee_emails": ",".join(emails), "stream_ids": []} | params
    )


def open_ones(person):
    return person.get("/invites").succeeds()["invites"]


def fresh(chat, name):
    """An address that no other test uses."""
    return f"{name}@{chat.host}.example"


def test_an_invitation_by_mail_is_listed_and_sent(mail_chat, smtp):
    ana = mail_chat.person("ana")
    cleo = fresh(mail_chat, "cleo")

    invites(ana, cleo, invite_as=600, invite_expires_in_minutes=60).succeeds()

    (shown,) = open_ones(ana)
    assert (
        shown.items()
        >= {
            "email": cleo,
            "invited_as": 600,
            "invited_by_user_id": ana.id,
            "is_multiuse": False,
            "notify_referrer_on_join": True,
        }.items()
    )
    assert shown["expiry_date"] - shown["invited"] == 3600
    mail = smtp.last_mail_to(cleo, mail_chat)
    assert mail["Subject"] == f"Ana invites you to {mail_chat.realm.name}"
    assert link_in(mail).startswith("/join/")
    last_day = datetime.datetime.fromtimestamp(shown["expiry_date"], datetime.UTC)
    assert f"It is good until {last_day.day} {last_day:%B %Y}." in text_in(mail)


def test_a_link_can_be_used_by_many(admin):
    made = admin.post("/invites/multiuse", invite_expires_in_minutes="null").succeeds()

    (shown,) = open_ones(admin)
    assert shown["link_url"] == made["invite_link"]
    assert (shown["is_multiuse"], shown["expiry_date"]) == (True, None)
    assert "email" not in shown


def test_users_see_their_own_and_administrators_all(mail_chat):
    ana, ben = mail_chat.people("ana", "ben")
    admin = mail_chat.person("admin", role="admin")
    for each in (ana, ben):
        invites(each, fresh(mail_chat, each.name)).succeeds()

    assert [len(open_ones(each)) for each in (ana, ben, admin)] == [1, 1, 2]
    owner = mail_chat.person("owner", role="owner")
    owner.post("/invites/multiuse", invite_as=100).succeeds()  # its reader could become an owner
    assert [len(open_ones(each)) for each in (admin, owner)] == [2, 3]
    mail_chat.server.clock.move(hours=11 * 24)
    assert open_ones(admin) == []


@pytest.mark.parametrize(
    "who, role, refusal",
    [
        ("member", 400, None),
        ("member", 600, None),
        ("member", 300, ADMIN_ONLY),
        ("moderator", 300, ADMIN_ONLY),
        ("member", 100, OWNER_ONLY),
        ("admin", 200, None),
        ("admin", 100, OWNER_ONLY),
        ("owner", 100, None),
    ],
)
def test_an_invitation_cannot_give_a_higher_role(mail_chat, who, role, refusal):
    response = invites(mail_chat.person("ana", role=who), fresh(mail_chat, "cleo"), invite_as=role)

    if refusal is None:
        response.succeeds()
    else:
        response.fails(refusal["msg"], code=refusal["code"])


def test_inviting_requires_a_permission(mail_chat):
    ana, guest = mail_chat.person("ana"), mail_chat.person("guest", role="guest")
    mail_chat.permit("can_invite_users_group", "administrators")

    invites(ana, fresh(mail_chat, "cleo")).fails("Insufficient permission")
    ana.post("/invites/multiuse").fails("Insufficient permission")
    invites(guest, fresh(mail_chat, "cleo")).fails("Not allowed for guest users")
    mail_chat.permit("create_multiuse_invite_group", "members")
    ana.post("/invites/multiuse").succeeds()


def test_invisible_channels_cannot_be_part_of_an_invitation(mail_chat):
    ana, ben = mail_chat.people("ana", "ben")
    ben.post("/channels/create", name="cellar", subscribers=[ben.id], invite_only=True).succeeds()
    cellar = mail_chat.channel("cellar").id

    for number in (cellar, 999_999):
        invites(ana, fresh(mail_chat, "cleo"), stream_ids=[number]).fails(
            f"Invalid channel ID {number}. No invites were sent."
        )
    assert open_ones(ana) == []


@pytest.mark.parametrize(
    "emails, why",
    [
        ("nonsense", "Invalid address."),
        ("x+y@house.example", "Email addresses containing + are not allowed."),
        ("x@elsewhere.example", "Outside your domain."),
    ],
)
def test_one_invalid_address_fails_the_whole_call(mail_chat, emails, why):
    owner = mail_chat.person("owner", role="owner")
    owner.post("/realm/domains", domain="house.example", allow_subdomains=False).succeeds()
    mail_chat.set("emails_restricted_to_domains", True)

    response = invites(owner, "good@house.example", emails)

    mail_text = response.fails(
        "Some emails did not validate, so we didn't send any invitations.", code="INVITATION_FAILED"
    )
    assert mail_text["errors"] == [[emails, why, False]]
    assert mail_text["sent_invitations"] is False
    assert open_ones(owner) == []


def test_invalid_invitations_are_refused(mail_chat):
    admin = mail_chat.person("admin", role="admin", channels=["kitchen"])
    ana = mail_chat.person("ana", channels=["kitchen"])
    mail_chat.permit("can_add_subscribers_group", "administrators")
    bot = mail_chat.read(actions.messages.notices.bot)
    kitchen, cleo = mail_chat.channel("kitchen").id, fresh(mail_chat, "cleo")
    admin.post("/invites/multiuse").succeeds()
    link = f"/invites/multiuse/{open_ones(admin)[0]['id']}"
    admin.delete(link).succeeds()

    elsewhere = invites(ana, cleo, stream_ids=[kitchen])
    ours = invites(admin, bot.email)
    some = invites(admin, ana.email, cleo)

    elsewhere.fails("You do not have permission to subscribe other users to channels.")
    assert ours.json["errors"] == [[bot.email, "Reserved for system bots.", False]]
    response = some.fails(
        "Some of those addresses are already using Zulip, so we didn't send them an"
        " invitation. We did send invitations to everyone else!",
        code="INVITATION_FAILED",
    )
    assert (response["sent_invitations"], response["errors"][0][1]) == (
        True,
        "Already has an account.",
    )
    assert [each["email"] for each in open_ones(admin)] == [cleo]
    admin.delete(link).fails("Invitation has already been revoked")


def test_disposable_addresses_are_refused(mail_chat):
    ana = mail_chat.person("ana")

    mail_text = invites(ana, "x@mailinator.com", "x@sub.mailinator.com").fails(
        "Some emails did not validate, so we didn't send any invitations.", code="INVITATION_FAILED"
    )

    assert {why for _, why, _ in mail_text["errors"]} == {"Please use your real email address."}
    mail_chat.set("disallow_disposable_email_addresses", False)
    invites(ana, "x@mailinator.com").succeeds()


def test_existing_accounts_are_reported_where_addresses_are_visible(mail_chat):
    admin, ben = mail_chat.person("admin", role="admin"), mail_chat.person("ben")
    gone = mail_chat.person("gone")
    mail_chat.write(actions.people.users.deactivate, gone.id)

    mail_text = invites(admin, ben.email, gone.email).fails(
        "We weren't able to invite anyone.", code="INVITATION_FAILED"
    )
    assert mail_text["errors"] == [
        [ben.email, "Already has an account.", False],
        [gone.email, "Account has been deactivated.", True],
    ]
    some = invites(admin, ben.email, fresh(mail_chat, "cleo"))
    assert some.status == 400
    assert some.json["sent_invitations"] is True
    assert len(open_ones(admin)) == 1


def test_hidden_addresses_are_not_revealed_by_inviting(mail_chat, smtp):
    ana = mail_chat.person("ana")
    ben = mail_chat.person(
        "ben", email=fresh(mail_chat, "ben"), settings={"email_address_visibility": 3}
    )

    known, unknown = invites(ana, ben.email), invites(ana, fresh(mail_chat, "cleo"))

    assert (known.status, known.body) == (unknown.status, unknown.body) == (200, known.body)
    assert len(open_ones(ana)) == 2
    mail = smtp.last_mail_to(ben.email, mail_chat)
    assert "/join/" not in text_in(mail)


def test_revoking_and_resending(mail_chat, smtp):
    ana, ben = mail_chat.people("ana", "ben")
    admin, cleo = mail_chat.person("admin", role="admin"), fresh(mail_chat, "cleo")
    invites(ana, cleo).succeeds()
    link = link_in(smtp.last_mail_to(cleo, mail_chat))
    (number,) = (each["id"] for each in open_ones(ana))
    smtp.received.clear()

    ana.post(f"/invites/{number}/resend").succeeds()
    assert link_in(smtp.last_mail_to(cleo, mail_chat)) == link
    ben.delete(f"/invites/{number}").fails(**_named(ADMIN_ONLY))
    ana.delete(f"/invites/multiuse/{number}").fails("No such invitation")
    far = Chat.found(mail_chat.server).person("far", role="owner")
    far.delete(f"/invites/{number}").fails("No such invitation")
    admin.delete(f"/invites/{number}").succeeds()
    admin.delete(f"/invites/{number}").fails("Invitation already used or deactivated.")
    assert open_ones(ana) == []


def _named(refusal):
    return {"msg": refusal["msg"], "code": refusal["code"]}


def test_invitations_to_one_address_are_limited(mail_chat, monkeypatch):
    ana, admin = mail_chat.person("ana"), mail_chat.person("admin", role="admin")
    cleo, dora = fresh(mail_chat, "cleo"), fresh(mail_chat, "dora")
    for _ in range(4):
        invites(ana, cleo).succeeds()
    number = open_ones(ana)[0]["id"]
    admin.post(f"/invites/{number}/resend").succeeds()

    refused = invites(admin, cleo.upper(), dora)
    again = admin.post(f"/invites/{number}/resend")
    monkeypatch.setattr(features.invitations, "MAX_INVITED_PER_DAY", 6)
    too_many = invites(ana, dora, fresh(mail_chat, "eve"))

    mail_text = refused.fails(
        "Some emails did not validate, so we didn't send any invitations.", code="INVITATION_FAILED"
    )
    assert mail_text["errors"] == [[cleo.upper(), "Has been invited often enough today.", False]]
    assert (again.status, int(again.headers["Retry-After"]) > 86000) == (429, True)
    assert too_many.status == 400
    assert too_many.json["daily_limit_reached"] is True
    invites(ana, dora).succeeds()
    invites(admin, fresh(mail_chat, "eve"), fresh(mail_chat, "finn")).succeeds()
    mail_chat.server.clock.move(hours=25)
    invites(ana, cleo).succeeds()


def test_administrators_and_the_inviter_receive_changes(mail_chat):
    ana, ben = mail_chat.people("ana", "ben")
    admin = mail_chat.person("admin", role="admin")
    queue = {each.name: each.listens_for("invites_changed") for each in (ana, ben, admin)}

    invites(ana, fresh(mail_chat, "cleo")).succeeds()

    for name in ("Ana", "Admin"):
        assert queue[name].next()["type"] == "invites_changed"
    assert queue["Ben"].silent()


def test_invitations_of_a_deactivated_user_are_invalid(mail_chat):
    ana, admin = mail_chat.person("ana"), mail_chat.person("admin", role="admin")
    invites(ana, fresh(mail_chat, "cleo")).succeeds()

    mail_chat.write(actions.people.users.deactivate, ana.id)

    assert open_ones(admin) == []


def test_a_new_user_must_wait_before_inviting_where_anyone_may_join(mail_chat):
    mail_chat.set("invite_required", False)
    ana = mail_chat.person("ana")

    response = invites(ana, fresh(mail_chat, "cleo"))

    assert response.json["code"] == "INVITATION_FAILED"
    assert response.json["msg"].startswith("Your account is too new")
    mail_chat.server.clock.move(hours=73)
    invites(ana, fresh(mail_chat, "cleo")).succeeds()


def test_without_mail_invitations_by_mail_are_refused(chat):
    invites(chat.person("ana"), "cleo@example.com").fails(
        "This server sends no mail. Make an invitation link and hand it over instead.",
        code="MAIL_NOT_CONFIGURED",
    )


@pytest.mark.parametrize(
    "text, found",
    [
        ("a@x.org, b@x.org\nc@x.org", ["a@x.org", "b@x.org", "c@x.org"]),
        ("Ana <a@x.org>, a@X.org,,\n\n", ["a@x.org"]),
        (' "B, C" <b@x.org>', ['"B', "b@x.org"]),
        ("", []),
    ],
)
def test_pasted_addresses_are_parsed(text, found):
    assert addresses_in(text) == found


def test_an_invitation_is_deleted_a_month_after_its_end(chat, admin):
    def lasting(minutes):
        admin.post("/invites/multiuse", invite_expires_in_minutes=minutes).succeeds()
        return max(each["id"] for each in open_ones(admin))

    def known():
        return [each for each in everything if chat.read(storage.people.invitations.find, each)]

    expiring, revoked, good = everything = [lasting(60), lasting("null"), lasting("null")]
    admin.delete(f"/invites/multiuse/{revoked}").succeeds()

    def keeps_house():
        chat.server.do(housekeeping.delete_expired_logins(chat.server.database))

    chat.server.clock.move(hours=30 * 24)
    keeps_house()
    assert known() == [expiring, good]
    chat.server.clock.move(hours=2)
    keeps_house()
    assert known() == [good]
