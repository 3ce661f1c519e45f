"""Errors of the server in the languages of the page."""

import ast
import re
from pathlib import Path

from playwright.sync_api import expect

import tertulia
from tertulia.errors import BadRequest, ClientError
from tertulia.integrations.rejections import WebhookRejected
from tertulia.web.assets import STATIC, TRANSLATIONS

SOURCE = Path(tertulia.__file__).parent
TEXT = re.compile(r'^  "([^"]+)": "(.*)",$', re.MULTILINE)
DESCRIPTION = "error.says."
# The page shows the server's own words after a translated sentence.
WITHOUT_MEANING = {BadRequest.code}


def all_errors(parent: type[ClientError] = ClientError) -> set[type[ClientError]]:
    own = set(parent.__subclasses__())
    return own.union(*(all_errors(each) for each in own)) if own else own


def described(folder: Path = SOURCE) -> set[str]:
    """What the server says: messages of error classes, and texts that are given to them."""
    names = {WebhookRejected.__name__, *(each.__name__ for each in all_errors())}
    found = {each.message for each in all_errors()}
    if folder != SOURCE:  # the others have a text by their code
        names, found = {BadRequest.__name__, WebhookRejected.__name__}, set()
    for path in folder.rglob("*.py") if folder.is_dir() else [folder]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                given = [*node.args, *(each.value for each in node.keywords)]
                found |= {_text(each) for each in given if node.func.id in names}
    return found - {""}


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(each) or "{x}" for each in node.values)
    return ""


def english() -> dict[str, str]:
    return dict(TEXT.findall((TRANSLATIONS / "en" / "errors.js").read_text(encoding="utf-8")))


def test_every_code_of_the_server_has_a_text():
    table = (STATIC / "core" / "server_errors.js").read_text(encoding="utf-8")
    named = dict(re.findall(r'\b([A-Z_]+): "([a-z-]+)"', table))

    assert {each.code for each in all_errors()} - WITHOUT_MEANING == named.keys()
    texts = {name.removeprefix("error.code.") for name in english() if "error.code." in name}
    assert set(named.values()) == texts


def same_descriptions() -> dict[str, str]:
    """Descriptions that are shown with the text of another one."""
    source = (STATIC / "core" / "server_errors.js").read_text(encoding="utf-8")
    table, _, _ = source.partition("const SAME_DESCRIPTIONS = {")[2].partition("\n};")
    return dict(TEXT.findall(table))


def translated() -> list[str]:
    """The descriptions with a translation, as regular expressions."""
    names = [name.removeprefix(DESCRIPTION) for name in english() if DESCRIPTION in name]
    names += same_descriptions()
    return ["(.+)".join(map(re.escape, re.split(r"\{[ab]\}", name))) for name in names]


def test_a_description_that_shares_a_text_has_none_of_its_own():
    own = {name.removeprefix(DESCRIPTION) for name in english()}

    assert {*same_descriptions().values()} <= own
    assert not own & same_descriptions().keys()


def test_every_translated_description_is_one_of_the_server():
    said = [re.sub(r"\{\w*\}", "17", each) for each in described()]

    assert translated()
    for pattern in map(re.compile, translated()):
        assert any(map(pattern.fullmatch, said)), pattern.pattern


# What the actions refuse although the page never asks for it: only other clients and commands do.
ONLY_OTHER_CLIENTS = {
    "A registration for the device already in progress.",
    "Bot storage is full (limit: {x} characters)",
    "Bots have no custom profile fields.",
    "Cannot change message content while changing channel",
    "Client did not pass any new values.",
    "Client must pass emoji_name if they pass either emoji_code or reaction_type.",
    "Direct messages cannot be moved to channels.",
    "Direct messages cannot have topics.",
    "Flag not editable: '{x}'",
    "Invalid `device_id`",
    "Invalid authentication method: {x}",
    "Invalid custom emoji name.",
    "Invalid email '{x}'",
    "Invalid emoji code",
    "Invalid flag: '{x}'",
    "Invalid message flag operation: '{x}'",
    "Invalid propagate_mode without topic or channel edit",
    "Invalid user ID",
    "Invalid user IDs: {x}",
    "Missing parameters: must provide either all push key fields, all token fields, or both.",
    "Navigation view already exists.",
    "No new data supplied",
    "No account was found there: nothing is changed.",
    "No name can be found for {x}",
    "No owner of the organization would be left: nothing is changed.",
    "No push registration exists to rotate key for.",
    "No push registration exists to rotate token for.",
    "Only a closed organization can be deleted: deactivate it first.",
    "Only outgoing webhook bots are called at an address.",
    "Recipient required when updating type of scheduled message.",
    "The organization is not closed.",
    "There is an organization at the subdomain '{x}' already.",
    "These messages are too long for one answer; ask for fewer.",
    "Too many agents act for you. End one of them first.",
    "Too many programs are registered.",
    "Topic required when updating scheduled message type to channel.",
    "User has disabled synchronizing drafts.",
    "User has disabled typing notifications for channel messages",
    "{x} is not a setting of the organization",
}
A_SENTENCE = re.compile(r".+ .+ .+|Invalid .*|Missing .*")  # not the name of a parameter


def test_every_refusal_of_an_action_that_the_page_asks_for_is_translated():
    said = {each for each in described(SOURCE / "actions") if A_SENTENCE.fullmatch(each)}
    unknown = {
        each
        for each in said
        if not any(re.fullmatch(name, re.sub(r"\{\w*\}", "17", each)) for name in translated())
    }

    assert unknown == ONLY_OTHER_CLIENTS


def test_every_refusal_of_a_template_is_translated():
    said = described(SOURCE / "integrations" / "templated.py")

    assert len(said) == 7
    for each in {*said, "Malformed JSON"}:
        filled = re.sub(r"\{\w*\}", "17", each)
        assert any(re.fullmatch(pattern, filled) for pattern in translated()), each


def test_a_refusal_is_shown_in_the_language_of_the_person(page_chat, browse):
    owner = page_chat.person("ana", role="owner", channels=["kitchen"])
    page_chat.person("ben", channels=["garden"])
    owner.patch("/settings", default_language="de").succeeds()
    kitchen = page_chat.channel("kitchen").id
    page = browse(owner).goes(f"#channels/{kitchen}/general").page
    name = page.locator("[name=new_name]")

    for given, text in (
        ("garden", "Es gibt schon einen Kanal mit diesem Namen."),  # by its code
        (" ", "Der Kanal braucht einen Namen."),  # by what the server says
        ("x" * 61, "Der Name des Kanals ist zu lang (Grenze: 60 Zeichen)."),
    ):
        name.fill(given)
        name.blur()
        expect(page.locator("small.wrong")).to_have_text(text)

    assert page_chat.channel("kitchen").id == kitchen


def test_an_error_without_a_text_is_shown_with_the_words_of_the_server(page_chat, browse):
    owner = page_chat.person("ana", role="owner", channels=["kitchen"])
    owner.patch("/settings", default_language="fr").succeeds()
    browser = browse(owner).goes(f"#channels/{page_chat.channel('kitchen').id}/general")
    answer = {"result": "error", "code": "BAD_REQUEST", "msg": "The soup is cold."}
    browser.page.route("**/json/streams/*", lambda route: route.fulfill(status=400, json=answer))

    name = browser.page.locator("[name=new_name]")
    name.fill("soup")
    name.blur()

    note = browser.page.locator("small.wrong")
    expect(note).to_have_text("Le serveur a refusé. The soup is cold.")
    browser.page.unroute("**/json/streams/*")
    browser.page.route("**/json/streams/*", lambda route: route.abort())
    name.fill("salad")
    name.blur()
    expect(note).to_contain_text("Le serveur ne répond pas.")
