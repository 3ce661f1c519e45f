"""Outgoing mail: at least once, with retries for a day, and metrics."""

import asyncio

import pytest
from click.testing import CliRunner
from tests.support.fake_smtp import FakeSmtp, certificate, html_in, text_in

from tertulia import actions, storage
from tertulia.checks import logins
from tertulia.cli.commands import main
from tertulia.config import Config
from tertulia.database.tx import Tx
from tertulia.domain.emails import Email
from tertulia.domain.outbox import OutboxItem, Transport
from tertulia.domain.people.keys import Vault
from tertulia.external.mail import smtp
from tertulia.external.mail.smtp import SendFailed


def post_letter(tx: Tx, vault: Vault, to: str) -> None:
    actions.outbox.enqueue_mail(tx, vault, Email("test", to))


def goes_round(chat) -> None:
    chat.server.deliver("mail")


def waiting(chat) -> int:
    """Mails of this test: others have left mails, some for a later time."""
    count: int = chat.read(own)
    return count


def own(tx: Tx) -> int:
    count: int = tx.value("SELECT count(*) AS value FROM outbox WHERE realm_id = :realm")
    return count


def address(chat, name) -> str:
    """An address that no other test uses."""
    return f"{name}@{chat.host}"


def test_a_mail_is_sent_once_its_transaction_is_committed(mail_chat, smtp):
    ana = address(mail_chat, "ana")
    mail_chat.write(post_letter, mail_chat.server.vault, ana)

    message = smtp.last_mail_to(ana, mail_chat)

    assert message["Subject"] == "Mail works"
    assert mail_chat.realm.name in message["From"]
    assert "can reach people" in text_in(message)
    assert "can reach people" in html_in(message)
    goes_round(mail_chat)
    assert len(smtp.mails_to(ana)) == 1


def test_a_rolled_back_mail_is_not_sent(mail_chat, smtp):
    def fail(tx: Tx) -> None:
        post_letter(tx, mail_chat.server.vault, address(mail_chat, "ana"))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        mail_chat.write(fail)

    goes_round(mail_chat)
    assert not smtp.mails_to(address(mail_chat, "ana"))


def test_a_failed_mail_is_retried_later_without_delaying_others(mail_chat, smtp):
    ana, ben = address(mail_chat, "ana"), address(mail_chat, "ben")
    smtp.answers[ana] = "450 4.2.0 busy"
    for each in (ana, ben):
        mail_chat.write(post_letter, mail_chat.server.vault, each)

    goes_round(mail_chat)
    assert len(smtp.mails_to(ben)) == 1
    del smtp.answers[ana]
    goes_round(mail_chat)
    assert not smtp.mails_to(ana)
    mail_chat.server.clock.move(minutes=2)
    goes_round(mail_chat)

    assert len(smtp.mails_to(ana)) == 1


def test_after_a_day_a_mail_is_dropped_and_counted(mail_chat, smtp):
    smtp.is_closed = True
    mail_chat.write(post_letter, mail_chat.server.vault, address(mail_chat, "ana"))
    before = mail_chat.server.metric("tertulia_mails_given_up")
    try:
        for _ in range(16):
            goes_round(mail_chat)
            mail_chat.server.clock.move(hours=2)
        goes_round(mail_chat)
    finally:
        smtp.is_closed = False

    after = mail_chat.server.metric("tertulia_mails_given_up")
    assert after > before  # perhaps those of other tests, too
    assert mail_chat.server.metric('tertulia_outbox_given_up{transport="mail"}') == after
    assert waiting(mail_chat) == 0


def test_a_permanently_rejected_address_is_not_retried(mail_chat, smtp):
    ana = address(mail_chat, "ana")
    smtp.answers[ana] = "550 5.1.1 no such mailbox"
    mail_chat.write(post_letter, mail_chat.server.vault, ana)

    goes_round(mail_chat)

    assert waiting(mail_chat) == 0


def test_a_mail_of_a_killed_sender_is_sent_by_another(mail_chat, smtp):
    ana = address(mail_chat, "ana")

    def take(tx: Tx) -> list[OutboxItem]:  # and never reports back
        post_letter(tx, mail_chat.server.vault, ana)
        return actions.outbox.claim(tx, storage.outbox.due(tx, "mail", 20, 20))

    taken = mail_chat.write(take)
    goes_round(mail_chat)
    assert not smtp.mails_to(ana)
    mail_chat.server.clock.move(minutes=6)
    goes_round(mail_chat)

    assert ana in {actions.outbox.opened_mail(mail_chat.server.vault, each).to for each in taken}
    assert len(smtp.mails_to(ana)) == 1


def test_many_mails_of_one_kind_do_not_delay_another_kind(mail_chat):
    def claim(tx: Tx) -> list[str]:
        """The mails are reclaimed at once, so that none of them is sent."""
        kinds = ["missed-messages"] * 100 + ["password-reset"]
        ids = [storage.outbox.insert_mail(tx, kind, b"") for kind in kinds]
        due = [each.kind for each in storage.outbox.due(tx, "mail", 20, 80) if each.id in ids]
        tx.delete("outbox", id=ids)
        return due

    assert "password-reset" in mail_chat.write(claim)


def test_the_text_of_a_mail_is_encrypted(mail_chat):
    mail_chat.write(post_letter, mail_chat.server.vault, "secret@example.com")

    rows = mail_chat.read(lambda tx: tx.all("SELECT * FROM outbox WHERE realm_id = :realm"))

    assert all(b"secret@" not in bytes(row["sealed"]) for row in rows)


@pytest.mark.parametrize(
    "transport, pauses, longest",
    [
        ("mail", [60, 120, 240, 480], 7200),
        ("webhook", [5, 30, None, None], None),
        ("push", [60, 120, 240, 480], 3600),
        ("device", [5, 10, 20, 40], 2560),
    ],
)
def test_retry_pauses_grow_and_end(transport, pauses, longest):
    found = [item(transport, tries).next_try(0) for tries in range(10)]

    assert found[:4] == pauses
    assert found[-1] == longest
    assert item("mail", 1).next_try(86400) is None


def item(transport: Transport, tries: int) -> OutboxItem:
    return OutboxItem(1, 1, transport, "test", None, None, None, None, b"", "", 0, 0, tries)


def tried(**settings) -> str:
    async def connect() -> str:
        try:
            async with smtp.connect(Config(**settings)):
                return "fine"
        except SendFailed as trouble:
            return str(trouble)

    return asyncio.run(connect())


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A mail server with a certificate, and the file of its authority."""
    folder = tmp_path_factory.mktemp("tls")
    office = FakeSmtp(certificate(folder), login=("chat", "lentils")).open()
    yield office, str(folder / "certificate.pem")
    office.close()


@pytest.mark.parametrize(
    "is_trusted, password, problem",
    [(True, "lentils", "fine"), (True, "beans", "535"), (False, "lentils", "certificate")],
)
def test_certificates_and_logins_are_checked(guarded, monkeypatch, is_trusted, password, problem):
    office, vouching = guarded
    if is_trusted:
        monkeypatch.setenv("SSL_CERT_FILE", vouching)
    login = {"smtp_user": "chat", "smtp_password": password}

    mail_text = tried(**office.settings | {"smtp_security": "starttls"} | login)

    assert problem in mail_text


def test_a_server_without_starttls_gets_no_plain_text(smtp):
    refused = tried(**smtp.settings | {"smtp_security": "starttls"})

    assert "STARTTLS" in refused
    assert refused.endswith("(look at smtp_security and smtp_port)")


def test_tls_to_a_plain_port_names_the_setting(smtp):
    refused = tried(**smtp.settings | {"smtp_security": "tls"})

    assert refused.endswith("(look at smtp_security and smtp_port)")


def test_an_operator_can_test_mail(smtp, monkeypatch):
    for name, value in smtp.settings.items():
        monkeypatch.setenv(f"TERTULIA_{name.upper()}", str(value))
    smtp.answers["closed@example.com"] = "550 5.1.1 no such mailbox"

    good = CliRunner().invoke(main, ["mail", "test", "ana@example.com", "--language", "es"])
    bad = CliRunner().invoke(main, ["mail", "test", "closed@example.com"])

    assert good.exit_code == 0
    assert smtp.mails_to("ana@example.com")[-1]["Subject"] == "El correo funciona"
    assert bad.exit_code == 1
    assert "127.0.0.1 did not accept it: 550 5.1.1 no such mailbox" in bad.output


def test_without_a_mail_server_commands_say_so(monkeypatch):
    mail_text = CliRunner().invoke(main, ["mail", "test", "ana@example.com"])

    assert mail_text.exit_code == 1
    assert "No mail server is set" in mail_text.output


def test_check_connects_to_the_mail_server(smtp):
    fine = logins.examine(Config(**smtp.settings | {"smtp_from": "chat@example.com"}), [""])
    unnamed = logins.examine(Config(**smtp.settings), [""])
    closed = logins.examine(Config(**smtp.settings | {"smtp_security": "starttls"}), [""])

    assert fine.problems == []
    assert unnamed.problems == [
        "mail: the sender is noreply@tertulia.invalid; set external_url or smtp_from"
    ]
    assert "STARTTLS" in closed.problems[-1]
