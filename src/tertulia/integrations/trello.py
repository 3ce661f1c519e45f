"""Trello: https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/"""

from collections.abc import Callable

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import line, link, quote_url, strong, with_quote
from tertulia.integrations.webhook_message import UnknownEvent, WebhookMessage

# Actions that are ignored.
QUIET = {"createCheckItem", "updateCheckItem", "deleteCheckItem"}

MEMBER_CHANGES = {
    "addMemberToBoard": "added {} to the board.",
    "removeMemberFromBoard": "removed {} from the board.",
}


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    action = payload.get("action")
    event = action.text("type")
    if event in QUIET:
        return None
    if event not in EVENTS and event not in MEMBER_CHANGES:
        raise UnknownEvent(event)
    board = action.words("data.board.name") or payload.text("model.name")
    who = line(action.words("memberCreator.fullName", "memberCreator.username") or "Somebody")
    text: str | None
    if event in MEMBER_CHANGES:
        member = action.words("member.fullName", "data.member.name") or "somebody"
        text = MEMBER_CHANGES[event].format(line(member))
    else:
        text = EVENTS[event](action.get("data"))
    return None if text is None else WebhookMessage(event, line(board), f"{who} {text}")


def _updated(data: Payload) -> str | None:
    if data.find("listBefore") and data.find("listAfter"):
        before, after = data.text("listBefore.name"), data.text("listAfter.name")
        return f"moved {_card(data)} from {strong(before)} to {strong(after)}."
    changed = data.find("old")
    old = changed.value if isinstance(changed.value, dict) else {}
    if "closed" in old:
        verb = "archived" if data.is_true("card.closed") else "brought back"
        return f"{verb} {_card(data)}."
    if "name" in old:
        return f"renamed the card {strong(changed.words('name') or '?')} to {_card(data)}."
    if "desc" in old:
        return with_quote(f"described {_card(data)}", data.words("card.desc"))
    if "due" in old:
        due = data.words("card.due")
        return f"set {_card(data)} due {line(due)}." if due else f"took the date off {_card(data)}."
    if "dueComplete" in old:
        verb = "completed" if data.is_true("card.dueComplete") else "reopened"
        return f"{verb} {_card(data)}."
    return None  # position, cover and the like


def _attached(data: Payload) -> str:
    attached = data.get("attachment")
    named = link(attached.words("name") or "a file", attached.words("url"))
    return f"attached {named} to {_card(data)}."


def _label(data: Payload) -> str:
    return strong(data.words("label.name", "label.color", "value") or "?")


def _checked(data: Payload) -> str:
    verb = "checked" if data.words("checkItem.state") == "complete" else "unchecked"
    return f"{verb} {strong(data.text('checkItem.name'))} on {_card(data)}."


def _board_updated(data: Payload) -> str | None:
    old = data.find("old").value
    if isinstance(old, dict) and "name" in old:
        before, after = data.words("old.name") or "?", data.text("board.name")
        return f"renamed the board {strong(before)} to {strong(after)}."
    if isinstance(old, dict) and "closed" in old:
        return "closed the board." if data.is_true("board.closed") else "reopened the board."
    return None  # colours and settings


def _checklist(data: Payload) -> str:
    return strong(data.words("checklist.name") or "a checklist")


def _list_updated(data: Payload) -> str | None:
    old = data.find("old").value
    if isinstance(old, dict) and "closed" in old:
        verb = "archived" if data.is_true("list.closed") else "brought back"
        return f"{verb} the list {_list(data)}."
    if isinstance(old, dict) and "name" in old:
        return f"renamed the list {strong(data.words('old.name') or '?')} to {_list(data)}."
    return None


def _card(data: Payload) -> str:
    card = data.get("card")
    short = card.words("shortLink")
    address = f"https://trello.com/c/{quote_url(short)}" if short else ""
    return link(card.text("name"), address)


def _member(data: Payload) -> str:
    return line(data.words("member.name") or "somebody")


def _list(data: Payload) -> str:
    return strong(data.words("list.name") or "a list")


EVENTS: dict[str, Callable[[Payload], str | None]] = {
    "addAttachmentToCard": _attached,
    "addChecklistToCard": lambda data: f"added the checklist {_checklist(data)} to {_card(data)}.",
    "addLabelToCard": lambda data: f"put the label {_label(data)} on {_card(data)}.",
    "addMemberToCard": lambda data: f"added {_member(data)} to {_card(data)}.",
    "commentCard": lambda data: with_quote(f"commented on {_card(data)}", data.words("text")),
    "createCard": lambda data: f"created {_card(data)} in {_list(data)}.",
    "createList": lambda data: f"created the list {_list(data)}.",
    "deleteCard": lambda data: f"deleted card {data.words('card.idShort')}.",
    "removeLabelFromCard": lambda data: f"took the label {_label(data)} off {_card(data)}.",
    "removeMemberFromCard": lambda data: f"took {_member(data)} off {_card(data)}.",
    "updateBoard": _board_updated,
    "updateCard": _updated,
    "updateCheckItemStateOnCard": _checked,
    "updateList": _list_updated,
}

EVENT_NAMES = [*EVENTS, *MEMBER_CHANGES]
