/** What a compose box has while a person writes in it: completions, attachments, the destination, notes, a size. */

import { h, iconButton } from "../core/html.js";
import { t } from "../core/i18n.js";
import { lazy } from "../core/lazy.js";
import { continuationIn } from "../state/block_continuation.js";
import { isInChannel, keyOf, topicKey } from "../state/conversations.js";
import { commandNamed, fetchCommands } from "../state/offered_commands.js";
import { completions, topicFieldCompletions } from "../state/typeahead_sources.js";
import { runCommand } from "./commands.js";
import { ComposeAttachments } from "./compose_attachments.js";
import { ComposeDestination } from "./compose_destination.js";
import { ComposeMentions } from "./compose_mentions.js";
import { ComposeNotes } from "./compose_notes.js";
import { ComposeSize } from "./compose_size.js";
import { reportDelivery } from "./delivery_notice.js";
import { TypeaheadPopup } from "./typeahead_popup.js";

/** @typedef {import("./compose.js").ComposeBox} ComposeBox */

/** @param {ComposeBox} compose */
export function makeComposeParts(compose) {
  return new ComposeParts(compose);
}

export class ComposeParts {
  #compose;
  #notes;
  #mentions;
  #destination;
  #popup;
  #topics = completionList("topic-offers");

  /** @param {ComposeBox} compose */
  constructor(compose) {
    const { frame } = compose;
    this.#compose = compose;
    const hasTopicFocus = compose.topic !== null && compose.topic === document.activeElement;
    this.attachments = new ComposeAttachments(compose);
    this.#notes = new ComposeNotes(compose);
    this.#mentions = new ComposeMentions(compose);
    this.#destination = new ComposeDestination(compose);
    const size = new ComposeSize(compose);
    frame.querySelector(".to")?.remove(); // the line of the topic, which is part of the destination
    frame.prepend(size.handle, this.#notes.element, this.#destination.element, this.attachments.element);
    frame.querySelector(".end")?.prepend(this.#notes.counter);
    frame.querySelector('[data-do="preview"]')?.after(size.button);
    if (hasTopicFocus) compose.topic?.focus(); // an element that is moved loses the focus
    this.#notes.update();
    const list = completionList("offers");
    frame.before(list, this.#topics);
    this.#popup = new TypeaheadPopup(compose.box, list, (text, caret) =>
      completions(text, caret, placeOf(compose.conversation)),
    );
    this.#popup.update(); // the person may have typed meanwhile
    this.#suggestTopics();
    compose.box.addEventListener("input", () => this.#offerSlots());
    if (compose.box.value.startsWith("/")) fetchCommands().then(() => this.#offerSlots());
    frame
      .querySelector('[data-do="compose-emoji"]')
      ?.after(
        iconButton("slash", t("compose.commands"), { onclick: () => compose.insert(compose.box.value ? "" : "/") }),
      );
    compose.scope.on("topicMoved", (event) => this.#follow(event));
    compose.scope.on(["channels", "people"], () => this.#destination.draw());
  }

  /** Run a command.
   * @param {string} text
   * @returns {Promise<boolean>} whether a message is in the outbox */
  async run(text) {
    const compose = this.#compose;
    const runCommand = await lazy("apps", "runCommand").catch(() => compose.showNote(t("connection.no-answer")));
    return runCommand ? runCommand(compose, text) : false;
  }

  /** Show the parameters of a command whose name was written. */
  async #offerSlots() {
    const compose = this.#compose;
    const name = /^\/([\p{L}\p{N}_-]+)\s/u.exec(compose.box.value)?.[1];
    const { conversation } = compose;
    if (!name || !commandNamed(name, isInChannel(conversation) ? conversation.channel : undefined)) return;
    const offerSlots = await lazy("apps", "offerSlots").catch(() => undefined); // Send tries again
    offerSlots?.(compose);
  }

  /** What Enter does in a code block, list or quote. */
  get continuation() {
    return continuationIn(this.#compose.box);
  }

  /** @param {KeyboardEvent} event
   * @returns {boolean} whether the list of completions has handled it */
  handleKey(event) {
    return this.#popup.handleKey(event) || this.#editLast(event);
  }

  /** Arrow up in the empty box edits the person's last message.
   * @param {KeyboardEvent} event
   * @returns {boolean} whether it was that key */
  #editLast(event) {
    const isPlain = !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey && !event.isComposing;
    if (event.key !== "ArrowUp" || !isPlain || this.#compose.content || !this.#compose.isAtHome) return false;
    event.preventDefault();
    return runCommand("edit-last", this.#compose.box, event);
  }

  get isTooLong() {
    return this.#notes.excess > 0;
  }

  /** The box writes to another conversation. */
  retarget() {
    this.attachments.retarget();
    this.#destination.draw();
    this.#notes.update();
    this.#suggestTopics();
  }

  /** A message is in the outbox. After a message to another conversation the box writes here again.
   * @param {import("../sync/outbox.js").PendingMessage} entry */
  sent(entry) {
    const compose = this.#compose;
    reportDelivery(entry, compose.isAtHome);
    if (!compose.isAtHome) compose.retarget(compose.home);
    this.textChanged();
  }

  /** The text was changed other than by typing. */
  textChanged() {
    this.#notes.update();
    this.#mentions.update();
    this.#popup.update();
  }

  /** The topic that the box writes to was moved, while the view shows something else.
   * @param {import("../core/api_types.d.ts").MoveEvent} event */
  #follow(event) {
    const { conversation, isAtHome } = this.#compose;
    if (isAtHome || !isInChannel(conversation) || event.propagate_mode === "change_one") return;
    if (keyOf(conversation) !== topicKey(event.stream_id, event.orig_subject ?? event.subject ?? "")) return;
    this.#compose.retarget({
      channel: event.new_stream_id ?? event.stream_id,
      topic: event.subject ?? conversation.topic,
    });
  }
  /** Suggest topics of the channel in the field of the topic, if there is one. */
  #suggestTopics() {
    const { topic: field, target, box } = this.#compose;
    if (!field || !("channel" in target)) return;
    const popup = new TypeaheadPopup(field, this.#topics, (text) => topicFieldCompletions(text, target.channel));
    field.addEventListener("keydown", (event) => {
      if (popup.handleKey(event) || event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      box.focus();
    });
  }
}

/** @param {import("../state/conversations.js").Conversation} conversation
 * @returns {import("../state/typeahead_sources.js").Place} */
function placeOf(conversation) {
  return isInChannel(conversation) ? conversation : {};
}

/** @param {string} id */
function completionList(id) {
  return h("ul", { class: "offer", id, role: "listbox", "aria-label": t("offers.name"), hidden: true });
}
