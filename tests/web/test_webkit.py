"""The parts of the page that open over a view and in the compose box, in the engine of Safari."""

import importlib

import pytest
from tests.web.test_views import topic

pytestmark = pytest.mark.on_one

ATTACH = """async () => {
  const data = new DataTransfer();
  data.items.add(new File(["soup"], "menu.txt", {type: "text/plain"}));
  const event = new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: data});
  document.querySelector("textarea").dispatchEvent(event);
}"""


@pytest.fixture
def window(own_chat):
    ana, lucia = own_chat.people("ana", "lucía", channels=["kitchen"])
    lucia.says("Soup's on", to="kitchen > lunch")
    webkit = importlib.import_module("tests.support.webkit")  # long to load
    here = topic(own_chat, "kitchen", "lunch")
    with webkit.running_webkit(ana, here, size=(1100, 700)) as window:
        yield window


@pytest.mark.thorough
def test_the_switcher_picker_and_status_work_in_webkit(window):
    window.type("textarea", "Half a sentence")
    window.press("Control", "k")
    window.type("dialog[open] input", "lucia")
    window.sees("dialog[open] [role=option][aria-selected=true]", "Lucía")
    window.press("Escape")
    window.sees_no("dialog[open]")

    window.click('[data-do="compose-emoji"]')
    window.type(".picker input[type=search]", "wave")
    window.sees(".picker [role=status]", "found")
    window.press("Enter")
    window.has_value("textarea", "Half a sentence:wave: ")

    window.click(".me")
    window.sees("[role=menuitem]:focus", "Set a status…")
    window.press("Enter")
    window.click_text(".pop.status button", "Working from home")
    window.click_text(".pop.status button", "Save")
    window.sees(".me", "Working from home")


@pytest.mark.thorough
def test_chips_forms_destination_and_full_screen_work_in_webkit(window):
    window.type("textarea", "For dinner")
    window.sees(".dest", "lunch")
    window.click(".dest")
    window.type(".where input", "dinner")
    window.sees(".where [aria-selected=true]", "dinner")
    window.press("Enter")
    window.sees(".dest", "dinner")
    window.has_value("textarea", "For dinner")

    window.measure(ATTACH, {})
    window.sees(".att", "menu.txt")

    window.click('[aria-label="Full screen"]')
    assert window.rect("textarea")["height"] > 300
    window.press("Escape")
    window.sees_no(".write.full")

    window.click('[data-do="poll-form"]')
    window.type(".form-in input", "Soup?")
    window.type(".form-in .opts input", "pea")
    window.type(".form-in .opts li:last-child input", "bean")
    window.click_text(".form-in button", "Send poll")
    window.sees_no(".form-in")
    window.has_value("textarea", "For dinner")
