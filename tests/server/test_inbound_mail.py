"""Mail that comes in: answers to mails, and mail for channels, by LMTP and by a program."""

import re
import smtplib
import threading
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from typing import Any

import pytest
from tests.jobs.test_missed_messages import find_missed, waits
from tests.support.cli_runner import Terminal
from tests.support.people import Chat, Person
from tests.support.server import MAIL_IN
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia import actions, data_dir, domain, storage
from tertulia.config import Config
from tertulia.database.tx import Tx
from tertulia.domain.inbound_mail import MAX_BYTES, REPLY_SECONDS, ReceivedMail
from tertulia.external.mail import mail_parser

PICTURE = b"\x89PNG not really"


def new_mail(to: str, words: str = "Soup it is", **about: Any) -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = about.pop("sender", "Somebody Else <else@example.org>")
    mail["To"] = to
    mail["Subject"] = about.pop("subject", "Re: Ana wrote to you")
    mail["Message-ID"] = about.pop("number", f"<{id(mail)}@example.org>")
    for name, value in about.items():
        mail[name.replace("_", "-")] = value
    mail.set_content(words)
    return mail


def delivers(
    chat: Chat, *mails: Any, to: str = "", sender: str = "else@example.org"
) -> list[tuple[int, str]]:
    """The replies of the server for each recipient, by LMTP."""
    replies = []
    words: Any
    port = chat.server.lmtp_port
    with smtplib.LMTP("127.0.0.1", port, local_hostname="mx.test") as server:
        for mail in mails:
            raw = mail if isinstance(mail, bytes) else mail.as_bytes()
            try:
                server.ehlo_or_helo_if_needed()
                server.mail(sender)
                code, words = server.rcpt(to or str(mail["To"]))
                if code == 250:
                    code, words = server.data(raw)
                else:
                    server.rset()
            except smtplib.SMTPResponseException as refusal:
                code, words = refusal.smtp_code, refusal.smtp_error
            replies.append((code, words.decode()))
    return replies


def last_seen_by(person: Person) -> dict[str, Any]:
    found = person.get("/messages", anchor="newest", num_before=1, apply_markdown=False)
    message: dict[str, Any] = found.succeeds()["messages"][-1]
    return message


@pytest.fixture
def people(mail_chat):
    ana, ben = (
        mail_chat.person(name, channels=["kitchen"], email=f"{name}@{mail_chat.host}")
        for name in ("ana", "ben")
    )
    find_missed(mail_chat)
    return ana, ben


@pytest.fixture
def reply_address(mail_chat, smtp, people):
    """The address at which Ben answers to what Ana says."""

    def reply_address(words: str, to: Any) -> str:
        before = len(smtp.mails_to(people[1].email))
        people[0].says(words, to=to)
        waits(mail_chat)
        (found,) = smtp.mails_to(people[1].email)[before:]
        return str(found["Reply-To"])

    return reply_address


def test_a_reply_by_mail_is_posted_in_its_conversation(mail_chat, people, reply_address):
    ana, ben = people
    direct = reply_address("Soup?", [ben])
    mention = reply_address("@**Ben** bread?", "kitchen > lunch")
    assert re.fullmatch(re.escape(MAIL_IN).replace("%s", "mm[0-9a-f]{32}"), direct)

    words = "Soup it is\n\nOn Sunday, Ana <noreply@x> wrote:\n> Soup?\n\n-- \nBen"
    assert delivers(mail_chat, new_mail(direct, words)) == [(250, "2.0.0 OK: posted")]
    response = last_seen_by(ana)
    assert (response["sender_id"], response["content"], response["type"]) == (
        ben.id,
        "Soup it is",
        "private",
    )
    delivers(mail_chat, new_mail(mention, "Bread, too"))

    response = last_seen_by(ana)
    assert (response["sender_id"], response["subject"], response["content"]) == (
        ben.id,
        "lunch",
        "Bread, too",
    )
    assert response["client"] == "Mail"


def test_a_repeated_mail_is_posted_once(mail_chat, people, reply_address):
    ana, ben = people
    mail = new_mail(reply_address("Soup?", [ben]))

    first = delivers(mail_chat, mail, mail)
    newest = last_seen_by(ana)["id"]
    second = delivers(mail_chat, mail)

    assert [code for code, _ in first + second] == [250, 250, 250]
    assert second == [(250, "2.0.0 OK: already posted")]
    assert last_seen_by(ana)["id"] == newest


def test_html_and_files_are_posted(mail_chat, people, reply_address):
    ana, ben = people
    mail = new_mail(reply_address("Soup?", [ben]), "")
    mail.set_content("<p>Look: <b>soup</b></p><blockquote type=cite>Soup?</blockquote>", "html")
    mail.add_attachment(PICTURE, "image", "png", filename="so[u]p.png")

    assert delivers(mail_chat, mail)[0][0] == 250

    text = last_seen_by(ana)["content"]
    words, _, link = text.partition("\n\n")
    assert words == "Look: **soup**"
    (path,) = re.findall(r"\[so\(u\)p\.png\]\((/user_uploads/\S+)\)", link)
    assert ana.raw("GET", path).body == PICTURE


def test_the_reply_address_identifies_the_sender_and_permissions_are_checked(
    mail_chat, people, reply_address
):
    ana, ben = people
    cleo = mail_chat.person("cleo", role="owner", channels=["kitchen"])
    direct = reply_address("Soup?", [ben])
    mention = reply_address("@**Ben** bread?", "kitchen > lunch")
    unknown = MAIL_IN.replace("%s", "mm" + "0" * 32)
    before = last_seen_by(ana)["id"]

    for address in (unknown, "postmaster@mail.test", "mm12@elsewhere"):
        code, words = delivers(mail_chat, new_mail(address))[0]
        assert (code, "5.1.1 Bad destination" in words) == (550, True)
    kitchen = mail_chat.channel("kitchen").id
    cleo.patch(f"/streams/{kitchen}", is_private=True).succeeds()
    cleo.delete("/users/me/subscriptions", subscriptions=["kitchen"], principals=[ben.id])
    assert delivers(mail_chat, new_mail(mention)) == [
        (550, "5.7.1 You no longer have access to this channel.")
    ]
    assert delivers(mail_chat, new_mail(direct, "> only a quotation")) == [
        (550, "5.6.0 The mail says nothing of its own.")
    ]
    cleo.delete(f"/users/{ben.id}").succeeds()
    assert delivers(mail_chat, new_mail(direct)) == [(550, "5.7.1 Account is deactivated.")]
    mail_chat.server.clock.move(seconds=REPLY_SECONDS)
    assert "5.1.1 This reply address is too old." in delivers(mail_chat, new_mail(direct))[0][1]

    assert last_seen_by(ana)["id"] == before


def files_of(chat: Chat) -> int:
    def count(tx: Tx) -> int:
        found: int = tx.value("SELECT count(*) AS value FROM attachment WHERE realm_id = :realm")
        return found

    return chat.read(count)


def with_file(mail: EmailMessage, name: str = "soup.png") -> EmailMessage:
    mail.add_attachment(PICTURE, "image", "png", filename=name)
    return mail


def test_refused_mails_are_rate_limited_and_leave_no_files(
    mail_chat, people, reply_address, monkeypatch
):
    """That Ben may not mention a group is known when the message is sent, after the upload."""
    address = reply_address("@**Ben** bread?", "kitchen > lunch")
    owner = mail_chat.person("cleo", role="owner", channels=["kitchen"])
    owner.post(
        "/user_groups/create",
        name="cooks",
        description="",
        members=[owner.id],
        can_mention_group={"direct_members": [owner.id], "direct_subgroups": []},
    ).succeeds()
    monkeypatch.setattr(actions.inbound_mail, "MAX_PER_HOUR", 5)
    mails = [with_file(new_mail(address, "@*cooks* soup!")) for _ in range(8)]

    responses = delivers(mail_chat, *mails)

    refused = [words.split()[0] for _, words in responses]
    assert refused[:5] == ["5.7.1"] * 5
    assert set(responses[5:]) == {
        (451, "4.7.0 Too many mails come to this address; try again later.")
    }
    assert files_of(mail_chat) == 0


def test_file_names_cause_no_mentions(mail_chat, people, reply_address):
    ana, _ = people
    names = ["@**all**.png", f"@**Ana|{ana.id}**.png", "@*role:members*.png", "`@@**all**`.png"]
    mail = new_mail(reply_address("@**Ben** bread?", "kitchen > lunch"))
    for name in names:
        with_file(mail, name)

    assert delivers(mail_chat, mail)[0][0] == 250

    text = last_seen_by(ana)
    assert not {"mentioned", "wildcard_mentioned", "stream_wildcard_mentioned"} & set(text["flags"])
    links = re.findall(r"\[(.*?)\]\(/user_uploads", text["content"])
    assert links == ["@all.png", f"@Ana|{ana.id}.png", "@role:members.png", "@@all.png"]


@pytest.mark.parametrize("what", ["password", "key"])
def test_changing_password_or_key_ends_reply_addresses(mail_chat, people, reply_address, what):
    _, ben = people
    address = reply_address("Soup?", [ben])

    if what == "key":
        ben.post("/users/me/api_key/regenerate").succeeds()
    else:
        hash = domain.people.passwords.ended("")
        mail_chat.write(actions.people.users.set_password, ben.id, hash)

    code, words = delivers(mail_chat, new_mail(address))[0]
    assert (code, "5.1.1 Bad destination" in words) == (550, True)


def test_a_reply_address_is_valid_for_one_thread(mail_chat, people, reply_address):
    ana, ben = people
    owner = mail_chat.person("cleo", role="owner", channels=["kitchen"])
    address = reply_address("@**Ben** bread?", "kitchen > lunch")
    requested = last_seen_by(ana)["id"]

    def move(**where: Any) -> None:
        owner.patch(f"/messages/{requested}", propagate_mode="change_all", **where).succeeds()

    move(topic="✔ lunch")  # still the same thread
    assert delivers(mail_chat, new_mail(address, "Rye"))[0][0] == 250
    assert last_seen_by(ana)["subject"] == "✔ lunch"
    move(topic="lunch")
    ana.says("And soup?", to="kitchen > lunch")
    owner.patch(f"/messages/{requested}", propagate_mode="change_one", topic="gossip").succeeds()
    refused = [(550, "5.1.1 The message has moved. Please answer in the chat.")]
    assert delivers(mail_chat, new_mail(address, "Wheat")) == refused
    owner.joins("garden")
    ben.joins("garden")
    move(stream_id=mail_chat.channel("garden").id)
    assert delivers(mail_chat, new_mail(address, "Spelt")) == refused


@pytest.mark.on_one
def test_mails_of_one_sender_do_not_delay_those_of_another(
    mail_chat, people, reply_address, monkeypatch
):
    address = reply_address("Soup?", [people[1]])
    released, began = threading.Event(), threading.Event()
    reads, finished = mail_parser.parse, []

    def read(raw: bytes) -> ReceivedMail:
        if b"Subject: Slow" in raw:
            began.set()
            released.wait(TIMEOUT_SECONDS)
            finished.append(raw)
        return reads(raw)

    monkeypatch.setattr(mail_parser, "parse", read)
    slow = new_mail(address, subject="Slow")
    with ThreadPoolExecutor(6) as threads:
        others = [threads.submit(delivers, mail_chat, slow, sender="eve@x.test") for _ in range(6)]
        began.wait(TIMEOUT_SECONDS)
        response = delivers(mail_chat, new_mail(address, "Leek"), sender="dan@x.test")
        read_before = len(finished)
        released.set()

    assert (response, read_before) == ([(250, "2.0.0 OK: posted")], 0)
    assert {each.result()[0][0] for each in others} == {250}


@pytest.mark.parametrize(
    "html", ["<![if x]>soup", "&#" + "1" * 5000 + ";soup", "<a <!-- '", "<!-", "</", "<![CDATA[x"]
)
@pytest.mark.on_one
def test_malformed_html_causes_no_temporary_failure(mail_chat, people, reply_address, html):
    mail = new_mail(reply_address("Soup?", [people[1]]), "")
    mail.set_content(f"<p>soup</p>{html}", "html")

    assert delivers(mail_chat, mail)[0] == (250, "2.0.0 OK: posted")


@pytest.mark.on_one
def test_a_mail_that_cannot_be_parsed_is_refused_permanently(
    mail_chat, people, reply_address, monkeypatch
):
    def fail(raw: bytes) -> ReceivedMail:
        raise AssertionError("something that the library does not expect")

    monkeypatch.setattr(mail_parser, "parse", fail)

    refused = delivers(mail_chat, new_mail(reply_address("Soup?", [people[1]])))

    assert refused == [(550, "5.6.0 The mail cannot be read.")]


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied (vacation)"},
        {"Auto_Submitted": "auto-generated"},
        {"Precedence": "bulk"},
        {"X_Autoreply": "yes"},
        {"X_Tertulia": "letter"},
    ],
)
@pytest.mark.on_one
def test_automatic_mails_are_dropped(mail_chat, people, reply_address, headers):
    ana, ben = people
    address = reply_address("Soup?", [ben])
    before = last_seen_by(ana)["id"]

    assert delivers(mail_chat, new_mail(address, **headers)) == [
        (250, "2.0.0 OK: dropped: it was written by a machine")
    ]

    assert last_seen_by(ana)["id"] == before


@pytest.mark.on_one
def test_too_large_looping_and_invalid_mails_are_refused(mail_chat, people, reply_address):
    address = reply_address("Soup?", [people[1]])
    large = new_mail(address).as_bytes() + b"x\r\n" * (MAX_BYTES // 3 + 1)
    circling = new_mail(address)
    for number in range(51):
        circling["Received"] = f"from machine {number}"
    odd = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain;"
    odd += (
        b" charset=klingon\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!\r\n..\xff\r\n--x--\r\n"
    )

    responses = delivers(mail_chat, large, circling, odd, b"\r\n", new_mail(address), to=address)

    assert [(code, words.split()[0]) for code, words in responses] == [
        (552, "5.3.4"),
        (550, "5.4.6"),
        (550, "5.6.0"),
        (550, "5.6.0"),
        (250, "2.0.0"),
    ]


def test_mail_to_a_channel_address_is_posted_while_its_creator_may_post(mail_chat, people):
    ana, ben = people
    kitchen = mail_chat.channel("kitchen").id
    address = ana.get(f"/streams/{kitchen}/email_address").succeeds()["email"]
    own = ana.get(f"/streams/{kitchen}/email_address", sender_id=ana.id).succeeds()["email"]
    assert re.fullmatch(r"chat\+kitchen\.[0-9a-f]{32}\.show-sender@mail\.test", address)

    mail = new_mail(address, "@**all** soup", subject="Re: Fwd: " + "x" * 70, Precedence="list")
    assert delivers(mail_chat, mail)[0][0] == 250
    text = last_seen_by(ben)
    assert text["sender_full_name"] == "Notification Bot"
    assert text["subject"] == "x" * 57 + "..."
    first, subject, _, words = text["content"].split("\n")
    assert first == "From: Somebody Else else@example.org"
    assert (subject.endswith("x" * 70), words) == (True, "@_**all** soup")
    assert "mentioned" not in str(text["flags"])

    delivers(mail_chat, new_mail(own.replace(".show-sender", ""), "", subject=""))
    text = last_seen_by(ben)
    assert (text["sender_id"], text["subject"], text["content"]) == (
        ana.id,
        "Email with no subject",
        "(No email body)",
    )

    mail_chat.person("cleo", role="owner").delete(f"/users/{ana.id}").succeeds()
    assert delivers(mail_chat, new_mail(address)) == [(550, "5.7.1 Account is deactivated.")]


def test_a_renewed_channel_address_replaces_the_old_ones(mail_chat, people):
    ana, ben = people
    ana.joins("garden")
    kitchen, garden = (mail_chat.channel(name).id for name in ("kitchen", "garden"))
    renew = f"/streams/{kitchen}/email_address/regenerate"
    owner = mail_chat.person("cleo", role="owner", channels=["kitchen"])

    def address(who: Person, channel: int = kitchen, **params: int) -> str:
        found: str = who.get(f"/streams/{channel}/email_address", **params).succeeds()["email"]
        return found

    old = [address(ana), address(ana, sender_id=ana.id), address(ben), address(owner)]
    elsewhere = address(ana, garden)

    ben.post(renew).fails("You do not have permission to administer this channel.")
    assert delivers(mail_chat, new_mail(old[0], "before"))[0][0] == 250
    new = owner.post(renew).succeeds()["email"]

    assert new == address(owner) != old[3]
    for each in old:
        code, words = delivers(mail_chat, new_mail(each, "too late"))[0]
        assert (code, words.split()[0]) == (550, "5.1.1")
    assert delivers(mail_chat, new_mail(elsewhere))[0][0] == 250
    assert delivers(mail_chat, new_mail(new, "after"))[0][0] == 250
    assert last_seen_by(ben)["content"].endswith("after")
    assert address(ana) not in old
    again = owner.post(renew).succeeds()["email"]
    assert again not in (new, *old)


def test_the_command_reads_a_mail_from_standard_input(kind, databases):
    url, folder = databases.new(kind)
    terminal = Terminal(folder, url)
    assert terminal.runs("mail", "receive", "x@y").code == 75  # the mail is kept until there is one
    terminal.creates_organization().adds("ana", "--channel", "general")
    database = data_dir.find_database(Config(data=folder, database=url))
    vault = data_dir.load_vault(Config(data=folder, database=url))
    address = database.of(1).write(_address, vault)
    settings = {"TERTULIA_MAIL_IN_ADDRESS": MAIL_IN}

    def receives(mail: EmailMessage, *words: str, **more: str) -> tuple[int, str]:
        result = terminal.runs(
            "mail", "receive", *words, typing=mail.as_string(), **settings | more
        )
        return result.code, result.out.strip()

    mail = new_mail(address, "The oven is on", subject="Oven")
    assert receives(mail) == (0, "")
    assert receives(mail, address) == (0, "")
    assert receives(new_mail("x@y"), ORIGINAL_RECIPIENT=address) == (0, "")
    assert receives(new_mail("x@y")) == (67, "5.1.1 The mail has no recipient of this server.")
    assert receives(mail, "x@y") == (67, "5.1.1 Bad destination mailbox address: x@y")
    assert receives(new_mail(address), TERTULIA_MAIL_IN_ADDRESS="")[0] == 75
    terminal.runs("user", "deactivate", "ana@example.com")
    assert receives(new_mail(address)) == (69, "5.7.1 Account is deactivated.")

    assert database.of(1).read(_contents) == ["The oven is on", "Soup it is"]


def _address(tx: Tx, vault: Any) -> str:
    channel = storage.channels.table.find_by_name(tx, "general")
    (ana,) = [each for each in storage.people.users.list_all(tx) if each.full_name == "Ana"]
    assert channel is not None
    found = actions.mail_addresses.for_channel(tx, vault, MAIL_IN, channel, ana, ana.id)
    return found.replace(".show-sender", "")


def _contents(tx: Tx) -> list[str]:
    rows = tx.all("SELECT content FROM message WHERE client = 'Mail' ORDER BY id")
    return [row["content"] for row in rows]


def test_check_reports_incomplete_settings(tmp_path):
    terminal = Terminal(tmp_path / "data").creates_organization()
    variables = {"TERTULIA_PUSH_SERVICE_ID": "x", "TERTULIA_LMTP_LISTEN": "/nowhere/at/all"}

    result = terminal.runs("check", **variables)

    assert result.code == 1
    assert "not set: push_service_url, push_service_key" in result.out
    assert "lmtp_listen needs mail_in_address" in result.out
    assert "the folder /nowhere/at of lmtp_listen does not exist" in result.out
