/** The compose box. Its text is saved as a draft while the person types, and restored when the conversation is
 * opened again. What the box needs only while a person writes in it (attachments, the destination, notes) is in
 * the chunk `composer`, which is loaded when the box gets the focus. */

import { channelName, channels } from "../state/channels.js";
import { enhance } from "./rendered_content.js";
import { keyOf, titleOf } from "../state/conversations.js";
import { discardDraft, draftOf, moveDraft, setDraft } from "../state/drafts.js";
import { setChildren, h, icon, iconButton } from "../core/html.js";
import { channelDot, avatar } from "./avatars.js";
import { myId, realm, setting } from "../state/session.js";
import { enqueue } from "../sync/outbox.js";
import { nameOf, shortName } from "../state/people.js";
import { closedReason } from "../state/write_access.js";
import { post } from "../core/api.js";
import { Scope } from "../core/scope.js";
import { TypingNotice } from "../sync/typing_notice.js";
import { joinAttachments, splitAttachments, uploadingTo } from "../state/attachments.js";
import { lazy } from "../core/lazy.js";
import { t } from "../core/i18n.js";

/** @typedef {{channel: number, topic: string | null} | {people: number[]}} Target `topic` is null if the person
 * has to choose it */
/** @typedef {import("../state/conversations.js").Conversation} Conversation */
/** @typedef {import("../state/attachments.js").Attachment} Attachment */
/** @typedef {import("./compose_parts.js").ComposeParts} ComposeParts */

const SAVE_DELAY_MS = 150;
const COMMAND = /^\s*\/(?!(me|poll|todo)(\s|$))/; // built-in commands work without a chunk, also offline

/** @type {ComposeBox | null} */
let composeBox = null;
let hadFocus = false; // whether the box had the focus when its view was closed, while the next view is built

/** The compose box that is open. */
export function currentComposeBox() {
  return composeBox?.box.isConnected ? composeBox : null;
}

/** Put a compose box into the footer of a view. If the box that was shown had the focus, the new one has it: the
 * person did not leave it.
 * @param {HTMLElement} footer
 * @param {Target} target */
export function showComposeBox(footer, target) {
  composeBox?.scope.close();
  composeBox = new ComposeBox(target);
  footer.append(composeBox.element);
  if (hadFocus && document.activeElement === document.body) composeBox.box.focus({ preventScroll: true });
}

/** Fill the footer of a view: a compose box, or a line that says why the person cannot write here.
 * @param {HTMLElement} footer
 * @param {Target} target
 * @returns {boolean} whether there is a box */
export function showComposeOrReason(footer, target) {
  const closed = closedReason(target);
  if (!closed) {
    showComposeBox(footer, target);
    return true;
  }
  const { icon: sign, text, name, unarchives, replies } = closed;
  const [before, after] = text.split("\0");
  const back =
    unarchives !== undefined &&
    h(
      "button",
      { class: "b", type: "button", "data-do": "unarchive", "data-channel": unarchives },
      t("closed.unarchive"),
    );
  const reply = replies && h("button", { class: "b", type: "button", "data-do": "reply-direct", hidden: true });
  showShutLine(footer, sign, [before, name && h("b", {}, h("bdi", {}, name)), after], back || reply);
  return false;
}

/** Fill the footer of a view with a line in place of the compose box.
 * @param {HTMLElement} footer
 * @param {string} sign
 * @param {import("../core/html.js").Child[]} text
 * @param {import("../core/html.js").Child} [way] what the person can do instead */
export function showShutLine(footer, sign, text, way) {
  footer.append(
    h(
      "div",
      { class: "in closed-in" },
      h("div", { class: "shut", role: "note" }, icon(sign), h("span", { dir: "auto" }, ...text), way),
    ),
  );
}

/** Offer to answer the author of a message, where the person cannot write.
 * @param {HTMLElement} footer
 * @param {import("../state/messages.js").Message | undefined} message */
export function offerReply(footer, message) {
  const button = footer.querySelector('.shut [data-do="reply-direct"]');
  if (!(button instanceof HTMLElement) || !message) return;
  button.hidden = closedReason({ people: [message.sender_id] }) !== undefined;
  button.dataset.id = String(message.id);
  button.textContent = t("closed.reply", { name: shortName(message.sender_id) });
}

/** The view that holds the box is about to be replaced. */
export function leaveComposeBox() {
  const box = currentComposeBox();
  hadFocus = box !== null && box.box === document.activeElement;
  queueMicrotask(() => (hadFocus = false)); // the next view is built at once
  box?.saveDraft();
}

/** Whether the open box already writes to this conversation, because its topic was moved there.
 * @param {Conversation | undefined} conversation */
export function isComposeMovedTo(conversation) {
  const box = currentComposeBox();
  return box !== null && conversation !== undefined && box.isMoved && isSameTarget(box.home, conversation);
}

/** Save the draft: the page may be closed. */
export function saveCompose() {
  currentComposeBox()?.saveDraft();
}

export class ComposeBox {
  #notice;
  #saveTimer = 0;
  #sending = ""; // the part of the text that the outbox is storing
  #toolbar;
  #preview = h("div", { class: "what preview", hidden: true, tabindex: 0, "aria-label": t("compose.preview") });
  #keyHint = h("span", { class: "keyhint not-phone" });
  #note = h("span", { class: "cut not-phone", "aria-live": "polite" });

  scope = new Scope(); // ends when another box is shown
  isMoved = false; // whether the topic of its view was moved while the view was open
  /** The field of the topic, if it has to be chosen. @type {HTMLInputElement | null} */
  topic = null;
  /** Files that were uploaded; the message ends with links to them. @type {Attachment[]} */
  files = [];
  /** What is loaded when a person writes. @type {ComposeParts | undefined} */
  extension;

  /** @param {Target} target */
  constructor(target) {
    this.target = target;
    this.home = target; // what the view shows
    this.box = h("textarea", { dir: "auto", rows: 2 });
    this.#notice = new TypingNotice(() => this.conversation);
    this.#toolbar = h(
      "div",
      { class: "tools" },
      ...composeTools(),
      h(
        "span",
        { class: "end" },
        this.#note,
        iconButton("eye", t("compose.preview"), { "data-do": "preview", "aria-pressed": "false" }),
        this.#keyHint,
        h(
          "span",
          { class: "send" },
          h("button", { class: "b go", type: "button", "data-do": "send" }, t("compose.send")),
          h(
            "button",
            {
              class: "b go",
              type: "button",
              "data-do": "send-menu",
              "aria-label": t("compose.how"),
              title: t("compose.how"),
              "aria-haspopup": "menu",
            },
            icon("down", "s"),
          ),
        ),
      ),
    );
    this.frame = h("div", { class: "box" }, this.box, this.#preview, this.#toolbar);
    const me = h(
      "div",
      { class: "who not-phone" },
      avatar(myId()),
      h("span", { class: "id" }, h("span", { class: "name" }, nameOf(myId()))),
    );
    this.element = h("div", { class: "in" }, me, h("div", { class: "anchor" }, this.frame));
    this.#drawTarget();
    this.#listen();
    this.content = draftOf(this.conversation);
    if (uploadingTo.has(keyOf(this.conversation))) this.extend();
  }

  /** The text with the links to its files: the message as it is sent, and its draft. */
  get content() {
    return joinAttachments(this.box.value, this.files);
  }

  set content(content) {
    const { text, files } = splitAttachments(content);
    this.box.value = text;
    this.extension?.textChanged();
    this.setFiles(files);
  }

  /** @param {Attachment[]} files */
  setFiles(files) {
    const hasChanged = files.length > 0 || this.files.length > 0;
    this.files = files;
    if (hasChanged)
      this.extend().then(
        (extension) => extension.attachments.draw(),
        () => {},
      ); // offline: they are sent, but not shown
  }

  /** @param {File[]} files to upload */
  async addFiles(files) {
    (await this.extend()).attachments.add(files);
  }

  /** Load what the box needs while a person writes.
   * @returns {Promise<ComposeParts>} */
  async extend() {
    const makeComposeParts = await lazy("composer", "makeComposeParts");
    if (!this.extension) {
      this.extension = makeComposeParts(this);
      this.#showKey(); // the person may have typed meanwhile
    }
    return this.extension;
  }

  /** The conversation; its topic is empty as long as none is chosen.
   * @returns {Conversation} */
  get conversation() {
    const { target } = this;
    return "people" in target
      ? target
      : { channel: target.channel, topic: target.topic ?? this.topic?.value.trim() ?? "" };
  }

  /** Whether the box writes to what the view shows. */
  get isAtHome() {
    return this.target === this.home;
  }

  /** The topic that the view shows was moved or renamed: write to its new name.
   * @param {Conversation} conversation */
  follow(conversation) {
    const { isAtHome } = this;
    this.home = conversation;
    this.isMoved = true;
    if (isAtHome) this.retarget(conversation);
  }

  /** Write to another conversation. Text, caret, files and focus stay, and the draft moves along.
   * @param {Target} target */
  retarget(target) {
    const { box, conversation: before } = this;
    this.saveDraft();
    this.target = isSameTarget(target, this.home) ? this.home : target;
    this.#drawTarget();
    moveDraft(before, this.conversation);
    const joined = draftOf(this.conversation); // perhaps with the text of a draft that was there before
    const { content } = this;
    if (joined.length > content.length && joined.endsWith(content))
      box.setRangeText(joined.slice(0, -content.length || undefined), 0, 0, "preserve");
    this.extension?.retarget();
  }

  /** Draw what depends on the target: the label, and the field of the topic. */
  #drawTarget() {
    const { target } = this;
    this.#labelBox();
    this.topic = "channel" in target && target.topic === null ? topicField() : null;
    if (!this.topic || !("channel" in target)) return;
    this.topic.addEventListener("change", () => this.#loadDraft());
    if (!this.extension) this.frame.prepend(destination(target.channel, this.topic));
  }

  /** @param {string} reason the id of the element that says why the message cannot be sent, or an empty string */
  setBlocked(reason) {
    const button = /** @type {HTMLElement} */ (this.#toolbar.querySelector('[data-do="send"]'));
    for (const each of [button, button.nextElementSibling]) each?.setAttribute("aria-disabled", String(reason !== ""));
    if (reason) button.setAttribute("aria-describedby", reason);
    else button.removeAttribute("aria-describedby");
  }

  /** Insert text at the caret; `alone` puts it on its own lines.
   * @param {string} text
   * @param {{alone?: boolean}} [options] */
  insert(text, { alone = false } = {}) {
    const { box } = this;
    const before = box.value.slice(0, box.selectionStart);
    const lead = alone && before && !before.endsWith("\n") ? "\n" : "";
    this.showPreview(false);
    box.setRangeText(lead + text, box.selectionStart, box.selectionEnd, "end");
    box.dispatchEvent(new Event("input", { bubbles: true }));
    box.focus();
  }

  /** @param {string} tool a tool of `formatting.js` */
  async format(tool) {
    const { box } = this;
    const applyFormat = await lazy("composer", "applyFormat");
    applyChange(box, applyFormat(tool, box.value, box.selectionStart, box.selectionEnd));
    box.focus();
  }

  /** Send what was written, or run the command that it names.
   * @param {string} [text] the beginning of the text, if not all of it is to be sent
   * @param {import("./lazy_slots.js").Recording} [recording] above the text
   * @returns {Promise<boolean>} whether a message is in the outbox */
  async send(text = this.box.value, recording) {
    if (recording || !COMMAND.test(text)) return this.sendMessage(text, recording);
    return (await this.extend()).run(text);
  }

  /** Send the text and the files, without the part that an earlier send is still storing.
   * @param {string} text
   * @param {import("./lazy_slots.js").Recording} [recording]
   * @returns {Promise<boolean>} */
  async sendMessage(text, recording) {
    const entered = text.startsWith(this.#sending) ? text.slice(this.#sending.length) : text;
    const { files, conversation } = this;
    const content = joinAttachments(entered, files).trim();
    if (this.extension?.attachments.waits(entered)) return false;
    if (!(content || recording) || !this.#canSend()) return false;
    this.#sending += entered;
    this.setFiles([]);
    const entry = await enqueue(conversation, content, recording);
    this.#sending = this.#sending.slice(entered.length);
    clearTimeout(this.#saveTimer);
    this.#notice.stop();
    this.removeSent(entered, conversation);
    this.extension?.sent(entry);
    this.showPreview(false);
    this.showNote("");
    this.box.focus();
    return true;
  }

  /** The text was sent: remove it, and keep what was typed and attached since.
   * @param {string} entered
   * @param {Conversation} conversation */
  removeSent(entered, conversation) {
    if (this.box.value.startsWith(entered)) this.box.value = this.box.value.slice(entered.length);
    this.extension?.textChanged();
    discardDraft(conversation);
    setDraft(conversation, this.content);
  }

  /** Save the draft now. */
  saveDraft() {
    clearTimeout(this.#saveTimer);
    if (this.topic && !this.topic.value.trim() && !this.content.trim()) return;
    setDraft(this.conversation, this.content);
  }

  /** @param {boolean} [shown] */
  async showPreview(shown = Boolean(this.#preview.hidden)) {
    const button = this.#toolbar.querySelector('[data-do="preview"]');
    button?.setAttribute("aria-pressed", String(shown));
    this.#preview.hidden = !shown;
    this.box.hidden = shown;
    if (!shown) return;
    try {
      const response = await post("/messages/render", { content: this.content });
      setChildren(this.#preview, enhance(response.rendered));
    } catch (error) {
      setChildren(this.#preview, /** @type {Error} */ (error).message);
    }
    this.#preview.focus();
  }

  #listen() {
    this.box.addEventListener("keydown", (event) => this.#onKey(event));
    this.box.addEventListener("selectionchange", () => this.#showKey());
    this.box.addEventListener("input", () => {
      this.#showKey();
      this.#notice.update(this.box.value);
      this.showNote(this.extension?.attachments.waitingText ?? "");
      clearTimeout(this.#saveTimer);
      this.#saveTimer = window.setTimeout(() => this.#save(), SAVE_DELAY_MS);
    });
    // offline: the next focus tries again
    this.element.addEventListener("focusin", () => this.extension || this.extend().catch(() => {}));
    this.element.addEventListener("dragover", (event) => event.preventDefault());
    this.box.addEventListener("paste", (event) => this.#onTransfer(event, event.clipboardData));
    this.box.addEventListener("drop", (event) => this.#onTransfer(event, event.dataTransfer));
    this.scope.on("drafts", (key) => {
      const isOther = key !== keyOf(this.conversation);
      if (isOther && document.activeElement !== this.box && !this.content) this.content = draftOf(this.conversation);
    });
    this.scope.on("settings", () => this.#showKey());
    this.#showKey();
    this.scope.on(["channels", "people"], () => this.#labelBox());
  }

  /** @param {Event} event
   * @param {DataTransfer | null} data */
  #onTransfer(event, data) {
    const files = [...(data?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    this.addFiles(files);
  }

  /** Show the key that sends at the caret; it is visible while the box has the focus. */
  #showKey() {
    const text = t(enterSends() && !this.extension?.continuation ? "compose.enter" : "compose.ctrl-enter");
    if (this.#keyHint.textContent !== text) setChildren(this.#keyHint, h("kbd", {}, text));
  }

  /** Name the box after the conversation. */
  #labelBox() {
    const { target, box } = this;
    const where =
      "people" in target || target.topic !== null
        ? titleOf(/** @type {Conversation} */ (target))
        : channelName(target.channel);
    box.setAttribute("aria-label", t("compose.to", { where: targetName(target) }));
    box.placeholder = t("compose.write", { where });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (this.extension?.handleKey(event) || event.key !== "Enter" || event.isComposing) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const change = isCommand || event.shiftKey ? undefined : this.extension?.continuation;
    if (!change && !isCommand && (event.shiftKey || !enterSends())) return;
    event.preventDefault();
    if (change) applyChange(this.box, change);
    else this.send();
  }

  #save() {
    this.saveDraft();
    if (this.content.trim()) this.showNote(this.extension?.attachments.waitingText || t("compose.saved"));
  }

  /** Another topic was chosen: load its draft, unless there is text already. */
  #loadDraft() {
    if (!this.content) this.content = draftOf(this.conversation);
  }

  #canSend() {
    const { target, topic } = this;
    if (this.extension?.isTooLong) return false;
    if (topic && !topic.value.trim() && needsTopic(target)) {
      this.showNote(t("compose.needs-topic"));
      topic.focus();
      return false;
    }
    return true;
  }

  /** Say something beside Send.
   * @param {string} text */
  showNote(text) {
    this.#note.textContent = text;
  }
}

/** Whether Enter sends; Ctrl+Enter always does. On a touch screen Enter begins a new line. */
export function enterSends() {
  return setting("enter_sends") === true && !matchMedia("(pointer: coarse)").matches;
}

/** @param {HTMLTextAreaElement} box
 * @param {import("../state/formatting.js").Change} change */
export function applyChange(box, { text, from, to, select }) {
  box.setRangeText(text, from, to, "end");
  box.setSelectionRange(...select);
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Whether two targets are the same conversation, or the same channel without a topic.
 * @param {Target} one
 * @param {Target} other */
export function isSameTarget(one, other) {
  const isChosen = (/** @type {Target} */ target) => "people" in target || target.topic !== null;
  const keys = [one, other].map((each) =>
    keyOf("people" in each ? each : { channel: each.channel, topic: each.topic ?? "" }),
  );
  return isChosen(one) === isChosen(other) && keys[0] === keys[1];
}

/** @param {Target} target */
function needsTopic(target) {
  const policy = "channel" in target ? channels.get(target.channel)?.topics_policy : "";
  return policy === "disable_empty_topic";
}

/** @param {Target} target */
function targetName(target) {
  if ("people" in target) return titleOf(target);
  if (target.topic === null) return channelName(target.channel);
  return t("compose.in", {
    topic: titleOf({ channel: target.channel, topic: target.topic }),
    channel: channelName(target.channel),
  });
}

function topicField() {
  return h("input", {
    class: "bare",
    "aria-label": t("compose.topic"),
    dir: "auto",
    maxlength: 60,
    placeholder: t("compose.topic"),
    autocomplete: "off",
  });
}

/** @param {number} channel
 * @param {HTMLInputElement} topic */
function destination(channel, topic) {
  return h(
    "label",
    { class: "to" },
    channelDot(channel),
    h("span", {}, channelName(channel)),
    h("span", { class: "quiet", "aria-hidden": "true" }, "›"),
    topic,
  );
}

function composeTools() {
  const wide = ["bold", "italic", "link", "code"];
  return [
    iconButton("clip", t("compose.attach"), { "data-do": "attach" }),
    iconButton("smile", t("compose.emoji"), { "data-do": "compose-emoji", "aria-haspopup": "dialog" }),
    iconButton("mic", t("compose.record"), { "data-do": "record" }),
    ...wide.map((tool) =>
      iconButton(tool, t(`compose.${tool}`), { "data-do": "format", "data-how": tool, class: "wide-only" }),
    ),
    iconButton("poll", t("compose.poll"), { "data-do": "poll-form", class: "wide-only" }),
    iconButton("later", t("compose.later"), { "data-do": "send-later", "aria-haspopup": "dialog", class: "wide-only" }),
    ...(realm("video_chat_provider")
      ? [iconButton("call", t("compose.call"), { "data-do": "video-call", class: "wide-only" })]
      : []),
    iconButton("more", t("compose.more"), { "data-do": "compose-menu", "aria-haspopup": "menu" }),
  ];
}
