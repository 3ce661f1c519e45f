/** The dialog that forwards a message: a destination, a comment, and the message as a quote with a link to it. */

import { get, post } from "../core/api.js";
import { setChildren, h, icon, iconButton } from "../core/html.js";
import { oneAtATime } from "../core/signals.js";
import { t } from "../core/i18n.js";
import { channelName } from "../state/channels.js";
import { fullTitle, isInChannel } from "../state/conversations.js";
import { destinationHash, findDestinations, recentDestinations } from "../state/destinations.js";
import { conversationHash } from "../state/narrow.js";
import { topicFieldCompletions } from "../state/typeahead_sources.js";
import { closedReason } from "../state/write_access.js";
import { quotedText } from "../views/compose_commands.js";
import { toast } from "../views/layout.js";
import { withErrorToast } from "../views/message_actions.js";
import { enhance } from "../views/rendered_content.js";
import { destinationHint, destinationIcon, hitRow } from "../views/switcher.js";
import { TypeaheadPopup } from "../views/typeahead_popup.js";
import { openDialog } from "./dialog.js";

/** @typedef {import("../state/destinations.js").Destination} Destination */

const MAX_SHOWN = 7;
const MAX_SEARCHED = 30; // views are found, too, and left out

/** @param {import("../views/commands.js").CommandContext} context */
export async function forwardMessage({ message }) {
  if (!message) return;
  const source = await withErrorToast(
    get(`/messages/${message.id}`, { apply_markdown: false, allow_empty_topic_name: true }),
  );
  if (!source) return;
  const key = crypto.randomUUID(); // sending again after a lost answer sends nothing twice
  const picker = new DestinationPicker(() => validate());
  const comment = h("textarea", { class: "f", rows: 2, "aria-label": t("forward.comment"), dir: "auto" });
  const note = h("p", { class: "wrong", role: "alert", hidden: true });
  const go = h("button", { class: "b go", form: "forward-form" }, t("forward.do"));
  const fail = (/** @type {string} */ text) => {
    note.hidden = !text;
    note.textContent = text;
  };
  const validate = () => {
    const target = picker.conversation;
    fail((target && closedReason(target)?.text) ?? "");
  };
  const send = async () => {
    const to = picker.conversation;
    if (!to) return picker.focus();
    const words = [comment.value.trim(), quotedText(message, source.message.content)].filter(Boolean).join("\n\n");
    const where = isInChannel(to)
      ? { type: "channel", to: to.channel, topic: to.topic }
      : { type: "direct", to: to.people };
    try {
      await post("/messages", { ...where, content: words, read_by_sender: true }, undefined, {
        "Idempotency-Key": key,
      });
    } catch (error) {
      return fail(/** @type {Error} */ (error).message);
    }
    dialog.close();
    toast(
      t("forward.done", { name: fullTitle(to) }),
      h("a", { class: "b", href: conversationHash(to) }, t("forward.open")),
    );
    return undefined;
  };
  const run = oneAtATime(send);
  const form = h(
    "form",
    {
      id: "forward-form",
      class: "fields",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        run();
      },
    },
    picker.element,
    h("label", { class: "field" }, t("forward.comment"), comment),
    h(
      "div",
      { class: "forwarded what", tabindex: 0, role: "region", "aria-label": t("forward.message"), dir: "auto" },
      enhance(message.content),
    ),
    note,
  );
  comment.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  const dialog = openDialog(t("forward.title"), [form], {
    footer: [h("button", { class: "b", type: "button", "data-close": true }, t("dialog.cancel")), go],
  });
  picker.focus();
}

/** A field that finds a person, a group, a topic or a channel; a channel needs a topic, too. */
export class DestinationPicker {
  #changed;
  #field = h("input", {
    class: "f",
    role: "combobox",
    "aria-label": t("forward.to"),
    placeholder: t("forward.placeholder"),
    autocomplete: "off",
    autofocus: true,
    "aria-expanded": "true",
    "aria-controls": "forward-hits",
    "aria-autocomplete": "list",
    dir: "auto",
  });
  #list = h("div", { class: "hits", id: "forward-hits", role: "listbox", "aria-label": t("forward.to") });
  #chosenLine = h("div", { class: "set" });
  #topic = h("input", { class: "f", "aria-label": t("compose.topic"), maxlength: 60, dir: "auto", required: true });
  #topicList = h("ul", {
    class: "offer below",
    id: "forward-topics",
    role: "listbox",
    "aria-label": t("offers.name"),
    hidden: true,
  });
  #topicField = h("label", { class: "field anchor" }, t("compose.topic"), this.#topic, this.#topicList);
  /** @type {Destination[]} */
  #found = [];
  #at = 0;
  /** @type {Destination | undefined} */
  #chosen;

  /** @param {() => void} changed */
  constructor(changed) {
    this.#changed = changed;
    this.element = h("div", { class: "field" }, h("span", { "aria-hidden": "true" }, t("forward.to")));
    const popup = new TypeaheadPopup(this.#topic, this.#topicList, (text) =>
      topicFieldCompletions(text, this.#chosen?.channel ?? 0),
    );
    this.#topic.addEventListener("keydown", (event) => popup.handleKey(event));
    this.#field.addEventListener("input", () => this.#search());
    this.#field.addEventListener("keydown", (event) => this.#onKey(event));
    this.#list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
    this.#list.addEventListener("click", (event) => {
      const item = /** @type {Element} */ (event.target).closest("[role=option]");
      if (item) this.#pick([...this.#list.children].indexOf(item));
    });
    this.#draw();
  }

  /** @returns {import("../state/conversations.js").Conversation | undefined} undefined until one is complete */
  get conversation() {
    const { people, channel, topic = this.#topic.value.trim() } = this.#chosen ?? {};
    if (people) return { people };
    return channel !== undefined ? { channel, topic } : undefined;
  }

  focus() {
    (this.#chosen ? this.#topic : this.#field).focus();
  }

  #draw() {
    const chosen = this.#chosen;
    const [label] = this.element.children;
    if (!chosen) {
      setChildren(this.element, label, this.#field, this.#list);
      return this.#search();
    }
    const name = chosen.kind === "topic" ? `${channelName(chosen.channel ?? 0)} › ${chosen.name}` : chosen.name;
    const change = iconButton("close", t("forward.change", { name }), { onclick: () => this.#choose(undefined) });
    setChildren(this.#chosenLine, h("span", { class: "pill" }, destinationIcon(chosen), h("bdi", {}, name), change));
    return setChildren(this.element, label, this.#chosenLine, chosen.kind === "channel" && this.#topicField);
  }

  #search() {
    const text = this.#field.value.trim();
    const found = text ? findDestinations(text, MAX_SEARCHED) : recentDestinations().map((each) => each.destination);
    this.#found = found.filter((each) => each.people || each.channel !== undefined).slice(0, MAX_SHOWN);
    const rows = this.#found.map((each, at) =>
      hitRow(
        { id: `forward-hit-${at}`, "data-hash": destinationHash(each) },
        each.kind === "topic" ? "topic" : "",
        destinationIcon(each),
        [each.name],
        [destinationHint(each, undefined)],
      ),
    );
    if (!text)
      rows.push(
        hitRow(
          { id: "forward-new" },
          "",
          icon("plus"),
          [t("forward.new-topic")],
          [h("small", { class: "cut" }, t("forward.new-topic-hint"))],
        ),
      );
    setChildren(this.#list, ...rows, !rows.length && h("p", { class: "quiet none" }, t("forward.none")));
    this.#select(0);
  }

  /** @param {number} at */
  #select(at) {
    this.#at = at;
    [...this.#list.querySelectorAll("[role=option]")].forEach((item, each) =>
      item.setAttribute("aria-selected", String(each === at)),
    );
    const item = this.#list.children[at];
    if (item?.id) this.#field.setAttribute("aria-activedescendant", item.id);
    else this.#field.removeAttribute("aria-activedescendant");
    item?.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const count = this.#list.querySelectorAll("[role=option]").length;
    if (event.isComposing) return;
    if (event.key === "ArrowDown" && count) this.#select((this.#at + 1) % count);
    else if (event.key === "ArrowUp" && count) this.#select((this.#at + count - 1) % count);
    else if (event.key === "Enter") this.#pick(this.#at);
    else return;
    event.preventDefault();
  }

  /** The row after the destinations asks for the channel of a new topic.
   * @param {number} at */
  #pick(at) {
    if (at < this.#found.length || this.#field.value) return this.#choose(this.#found[at]);
    this.#field.value = "#";
    return this.#search();
  }

  /** @param {Destination | undefined} destination */
  #choose(destination) {
    if (!destination && !this.#chosen) return;
    this.#chosen = destination;
    this.#draw();
    this.#changed();
    if (!destination || destination.kind === "channel") this.focus();
    /** @type {HTMLElement | null} */ else this.element.closest("form")?.querySelector("textarea")?.focus();
  }
}
