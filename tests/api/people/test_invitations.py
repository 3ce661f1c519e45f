"""Invitations: permissions, contents, and that they do not reveal accounts."""

import datetime

import pytest
from tests.support.fake_smtp import link_in, text_in
from tests.support.people import Chat

from tertulia import actions, storage
from tertulia.domain.people.invitations import addresses_in
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


def test_an_invitation_by_mail_is_listed_and_sent(mailing, post):
    ana = mailing.person("ana")
    cleo = fresh(mailing, "cleo")

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
    letter = post.last_mail_to(cleo, mailing)
    assert letter["Subject"] == f"Ana invites you to {mailing.realm.name}"
    assert link_in(letter).startswith("/join/")
    last_day = datetime.datetime.fromtimestamp(shown["expiry_date"], datetime.UTC).date()
    assert f"It is good until {last_day}." in text_in(letter)


def test_a_link_can_be_used_by_many(admin):
    made = admin.post("/invites/multiuse", invite_expires_in_minutes="null").succeeds()

    (shown,) = open_ones(admin)
    assert shown["link_url"] == made["invite_link"]
    assert (shown["is_multiuse"], shown["expiry_date"]) == (True, None)
    assert "email" not in shown


def test_users_see_their_own_and_administrators_all(mailing):
    ana, ben = mailing.people("ana", "ben")
    admin = mailing.person("admin", role="admin")
    for each in (ana, ben):
        invites(each, fresh(mailing, each.name)).succeeds()

    assert [len(open_ones(each)) for each in (ana, ben, admin)] == [1, 1, 2]
    owner = mailing.person("owner", role="owner")
    owner.post("/invites/multiuse", invite_as=100).succeeds()  # its reader could become an owner
    assert [len(open_ones(each)) for each in (admin, owner)] == [2, 3]
    mailing.server.clock.move(hours=11 * 24)
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
def test_an_invitation_cannot_give_a_higher_role(mailing, who, role, refusal):
    answer = invites(mailing.person("ana", role=who), fresh(mailing, "cleo"), invite_as=role)

    if refusal is None:
        answer.succeeds()
    else:
        answer.fails(refusal["msg"], code=refusal["code"])


def test_inviting_requires_a_permission(mailing):
    ana, guest = mailing.person("ana"), mailing.person("guest", role="guest")
    mailing.permit("can_invite_users_group", "administrators")

    invites(ana, fresh(mailing, "cleo")).fails("Insufficient permission")
    ana.post("/invites/multiuse").fails("Insufficient permission")
    invites(guest, fresh(mailing, "cleo")).fails("Not allowed for guest users")
    mailing.permit("create_multiuse_invite_group", "members")
    ana.post("/invites/multiuse").succeeds()


def test_invisible_channels_cannot_be_part_of_an_invitation(mailing):
    ana, ben = mailing.people("ana", "ben")
    ben.post("/channels/create", name="cellar", subscribers=[ben.id], invite_only=True).succeeds()
    cellar = mailing.channel("cellar").id

    for number in (cellar, 999_999):
        invites(ana, fresh(mailing, "cleo"), stream_ids=[number]).fails(
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
def test_one_invalid_address_fails_the_whole_call(mailing, emails, why):
    owner = mailing.person("owner", role="owner")
    owner.post("/realm/domains", domain="house.example", allow_subdomains=False).succeeds()
    mailing.set("emails_restricted_to_domains", True)

    answer = invites(owner, "good@house.example", emails)

    told = answer.fails(
        "Some emails did not validate, so we didn't send any invitations.", code="INVITATION_FAILED"
    )
    assert told["errors"] == [[emails, why, False]]
    assert told["sent_invitations"] is False
    assert open_ones(owner) == []


def test_invalid_invitations_are_refused(mailing):
    admin = mailing.person("admin", role="admin", channels=["kitchen"])
    ana = mailing.person("ana", channels=["kitchen"])
    mailing.permit("can_add_subscribers_group", "administrators")
    bot = mailing.read(actions.messages.notices.bot)
    kitchen, cleo = mailing.channel("kitchen").id, fresh(mailing, "cleo")
    admin.post("/invites/multiuse").succeeds()
    link = f"/invites/multiuse/{open_ones(admin)[0]['id']}"
    admin.delete(link).succeeds()

    elsewhere = invites(ana, cleo, stream_ids=[kitchen])
    ours = invites(admin, bot.email)
    some = invites(admin, ana.email, cleo)

    elsewhere.fails("You do not have permission to subscribe other users to channels.")
    assert ours.json["errors"] == [[bot.email, "Reserved for system bots.", False]]
    told = some.fails(
        "Some of those addresses are already using Zulip, so we didn't send them an"
        " invitation. We did send invitations to everyone else!",
        code="INVITATION_FAILED",
    )
    assert (told["sent_invitations"], told["errors"][0][1]) == (True, "Already has an account.")
    assert [each["email"] for each in open_ones(admin)] == [cleo]
    admin.delete(link).fails("Invitation has already been revoked")


def test_disposable_addresses_are_refused(mailing):
    ana = mailing.person("ana")

    told = invites(ana, "x@mailinator.com", "x@sub.mailinator.com").fails(
        "Some emails did not validate, so we didn't send any invitations.", code="INVITATION_FAILED"
    )

    assert {why for _, why, _ in told["errors"]} == {"Please use your real email address."}
    mailing.set("disallow_disposable_email_addresses", False)
    invites(ana, "x@mailinator.com").succeeds()


def test_existing_accounts_are_reported_where_addresses_are_visible(mailing):
    admin, ben = mailing.person("admin", role="admin"), mailing.person("ben")
    gone = mailing.person("gone")
    mailing.write(actions.people.deactivate, gone.id)

    told = invites(admin, ben.email, gone.email).fails(
        "We weren't able to invite anyone.", code="INVITATION_FAILED"
    )
    assert told["errors"] == [
        [ben.email, "Already has an account.", False],
        [gone.email, "Account has been deactivated.", True],
    ]
    some = invites(admin, ben.email, fresh(mailing, "cleo"))
    assert some.status == 400
    assert some.json["sent_invitations"] is True
    assert len(open_ones(admin)) == 1


def test_hidden_addresses_are_not_revealed_by_inviting(mailing, post):
    ana = mailing.person("ana")
    ben = mailing.person(
        "ben", email=fresh(mailing, "ben"), settings={"email_address_visibility": 3}
    )

    known, unknown = invites(ana, ben.email), invites(ana, fresh(mailing, "cleo"))

    assert (known.status, known.body) == (unknown.status, unknown.body) == (200, known.body)
    assert len(open_ones(ana)) == 2
    letter = post.last_mail_to(ben.email, mailing)
    assert "/join/" not in text_in(letter)


def test_revoking_and_resending(mailing, post):
    ana, ben = mailing.people("ana", "ben")
    admin, cleo = mailing.person("admin", role="admin"), fresh(mailing, "cleo")
    invites(ana, cleo).succeeds()
    link = link_in(post.last_mail_to(cleo, mailing))
    (number,) = (each["id"] for each in open_ones(ana))
    post.received.clear()

    ana.post(f"/invites/{number}/resend").succeeds()
    assert link_in(post.last_mail_to(cleo, mailing)) == link
    ben.delete(f"/invites/{number}").fails(**_named(ADMIN_ONLY))
    ana.delete(f"/invites/multiuse/{number}").fails("No such invitation")
    far = Chat.found(mailing.server).person("far", role="owner")
    far.delete(f"/invites/{number}").fails("No such invitation")
    admin.delete(f"/invites/{number}").succeeds()
    admin.delete(f"/invites/{number}").fails("Invitation already used or deactivated.")
    assert open_ones(ana) == []


def _named(refusal):
    return {"msg": refusal["msg"], "code": refusal["code"]}


def test_invitations_to_one_address_are_limited(mailing, monkeypatch):
    ana, admin = mailing.person("ana"), mailing.person("admin", role="admin")
    cleo, dora = fresh(mailing, "cleo"), fresh(mailing, "dora")
    for _ in range(4):
        invites(ana, cleo).succeeds()
    number = open_ones(ana)[0]["id"]
    admin.post(f"/invites/{number}/resend").succeeds()

    refused = invites(admin, cleo.upper(), dora)
    again = admin.post(f"/invites/{number}/resend")
    monkeypatch.setattr(actions.people.invitations, "INVITED_A_DAY", 6)
    too_many = invites(ana, dora, fresh(mailing, "eve"))

    told = refused.fails(
        "Some emails did not validate, so we didn't send any invitations.", code="INVITATION_FAILED"
    )
    assert told["errors"] == [[cleo.upper(), "Has been invited often enough today.", False]]
    assert (again.status, int(again.headers["Retry-After"]) > 86000) == (429, True)
    assert too_many.status == 400
    assert too_many.json["daily_limit_reached"] is True
    invites(ana, dora).succeeds()
    invites(admin, fresh(mailing, "eve"), fresh(mailing, "finn")).succeeds()
    mailing.server.clock.move(hours=25)
    invites(ana, cleo).succeeds()


def test_administrators_and_the_inviter_receive_changes(mailing):
    ana, ben = mailing.people("ana", "ben")
    admin = mailing.person("admin", role="admin")
    ears = {each.name: each.listens_for("invites_changed") for each in (ana, ben, admin)}

    invites(ana, fresh(mailing, "cleo")).succeeds()

    for name in ("Ana", "Admin"):
        assert ears[name].next()["type"] == "invites_changed"
    assert ears["Ben"].silent()


def test_invitations_of_a_deactivated_user_are_invalid(mailing):
    ana, admin = mailing.person("ana"), mailing.person("admin", role="admin")
    invites(ana, fresh(mailing, "cleo")).succeeds()

    mailing.write(actions.people.deactivate, ana.id)

    assert open_ones(admin) == []


def test_a_new_user_must_wait_before_inviting_where_anyone_may_join(mailing):
    mailing.set("invite_required", False)
    ana = mailing.person("ana")

    answer = invites(ana, fresh(mailing, "cleo"))

    assert answer.json["code"] == "INVITATION_FAILED"
    assert answer.json["msg"].startswith("Your account is too new")
    mailing.server.clock.move(hours=73)
    invites(ana, fresh(mailing, "cleo")).succeeds()


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
