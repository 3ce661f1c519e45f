"""Errors of the server in the languages of the page."""

import ast
import re
from pathlib import Path

import msgspec
from playwright.sync_api import expect

import tertulia
from tertulia import locale
from tertulia.errors import BadRequest, ClientError
from tertulia.web import page_texts
from tertulia.web.assets import STATIC

SOURCE = Path(tertulia.__file__).parent
KEYS = locale.catalogue("en").texts
# The page shows the server's own words after a translated sentence.
WITHOUT_MEANING = {BadRequest.code}


class Refusal(msgspec.Struct):
    """A place that raises an error with its own words, or a class of errors."""

    words: str
    problem: str


def all_errors(parent: type[ClientError] = ClientError) -> set[type[ClientError]]:
    own = set(parent.__subclasses__())
    return own.union(*(all_errors(each) for each in own)) if own else own


def raised(folder: Path = SOURCE) -> list[Refusal]:
    """The errors with words that are given where they are raised."""
    names = {each.__name__ for each in all_errors() if "msg" in each.__init__.__annotations__}
    found = []
    for path in folder.rglob("*.py") if folder.is_dir() else [folder]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and getattr(node.func, "id", "") in names:
                given = {each.arg: _text(each.value) for each in node.keywords}
                found.append(Refusal(_text(node.args[0]), given.get("problem", "")))
    return [each for each in found if each.words]


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(each) or "{x}" for each in node.values)
    return ""


def refusals() -> list[Refusal]:
    classes = [Refusal(each.message, each.problem) for each in all_errors()]
    return [each for each in (*raised(), *classes) if each.problem]


def test_every_code_of_the_server_has_a_text():
    table = (STATIC / "core" / "server_errors.js").read_text(encoding="utf-8")
    named = dict(re.findall(r'\b([A-Z_]+):\s*"([a-z-]+)"', table))

    assert {each.code for each in all_errors()} - WITHOUT_MEANING == named.keys()
    texts = {key.removeprefix("error.code.") for key in KEYS if key.startswith("error.code.")}
    assert set(named.values()) == texts


def test_every_problem_has_a_text():
    texts = {key.removeprefix("error.") for key in KEYS if key.startswith("error.")}
    texts -= {each for each in texts if each.startswith("code.")} | {"other"}
    problems = {each.problem for each in refusals()}
    # The words of these are in variables.
    problems |= {"email-invalid", "email-with-plus", "email-not-real", "organization-name-length"}

    assert len(texts) > 200
    assert texts <= problems
    assert problems - texts <= page_texts.PROBLEMS.keys()


def test_a_text_of_a_problem_has_only_values_of_the_message():
    for refusal in refusals():
        text = KEYS.get(f"error.{refusal.problem}")
        if isinstance(text, str):
            values = locale.PLACEHOLDER.findall(refusal.words)
            assert {*locale.PLACEHOLDER.findall(text)} <= {*values}, refusal


def test_an_answer_names_the_problem_and_its_values(chat):
    owner = chat.person("ana", role="owner", channels=["kitchen"])
    kitchen = chat.channel("kitchen").id

    answer = owner.patch(f"/streams/{kitchen}", new_name="x" * 61).fails(
        "Channel name too long (limit: 60 characters)."
    )

    assert answer["code"] == "BAD_REQUEST"
    assert answer["problem"] == "channel-name-too-long"
    assert answer["problem_values"] == {"limit": 60}


# What the actions refuse although the page never asks for it: only other clients and commands do.
ONLY_OTHER_CLIENTS = {
    "A registration for the device already in progress.",
    "Bot storage is full (limit: {x} characters)",
    "Bots have no custom profile fields.",
    "Built-in views cannot have a custom name.",
    "Cannot change message content while changing channel",
    "Client did not pass any new values.",
    "Client must pass emoji_name if they pass either emoji_code or reaction_type.",
    "Custom views must have a valid name.",
    "Direct messages cannot be moved to channels.",
    "Direct messages cannot have topics.",
    "Empty 'to' list",
    "Empty or invalid length token",
    "Flag not editable: '{x}'",
    "Invalid `device_id`",
    "Invalid authentication method: {x}",
    "Invalid custom emoji name.",
    "Invalid data type for channel ID",
    "Invalid email '{x}'",
    "Invalid emoji code",
    "Invalid flag: '{x}'",
    "Invalid message flag operation: '{x}'",
    "Invalid propagate_mode without topic or channel edit",
    "Invalid report_type",
    "Invalid signature.",
    "Invalid status: {x}",
    "Invalid user ID",
    "Invalid user IDs: {x}",
    "Missing parameters: must provide either all push key fields, all token fields, or both.",
    "Must specify exactly 1 channel ID for channel messages",
    "Navigation view already exists.",
    "No account was found there: nothing is changed.",
    "No name can be found for {x}",
    "No new data supplied",
    "No owner of the organization would be left: nothing is changed.",
    "No presence data for {x}",
    "No push registration exists to rotate key for.",
    "No push registration exists to rotate token for.",
    "Only a closed organization can be deleted: deactivate it first.",
    "Only outgoing webhook bots are called at an address.",
    "Presence is not supported for bot users.",
    "Recipient required when updating type of scheduled message.",
    "storage is too long (limit: {x} items)",
    "The organization is not closed.",
    "There is an organization at the subdomain '{x}' already.",
    "These messages are too long for one answer; ask for fewer.",
    "Timestamp must not be negative.",
    "Too many programs are registered.",
    "Topic required when updating scheduled message type to channel.",
    "User has disabled synchronizing drafts.",
    "User has disabled typing notifications for channel messages",
    "{x} is not a setting of the organization",
}
A_SENTENCE = re.compile(r".+ .+ .+|Invalid .*|Missing .*")  # not the name of a parameter


def test_every_refusal_of_an_action_that_the_page_asks_for_has_a_problem():
    found = [*raised(SOURCE / "actions"), *raised(SOURCE / "features")]
    said = [each for each in found if A_SENTENCE.fullmatch(each.words)]

    assert {each.words for each in said if not each.problem} == ONLY_OTHER_CLIENTS


def test_every_refusal_of_a_template_has_a_problem():
    said = raised(SOURCE / "integrations" / "templated.py")

    assert len(said) == 8
    assert all(each.problem for each in said)


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
