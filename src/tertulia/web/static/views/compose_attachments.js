/** The files of a compose box, as chips above its text: those that are uploaded, and those on their way. */

import { h, icon, iconButton, setChildren } from "../core/html.js";
import { currentLanguage, t } from "../core/i18n.js";
import { joinAttachments, splitAttachments, uploadingTo } from "../state/attachments.js";
import { keyOf } from "../state/conversations.js";
import { draftOf, setDraft } from "../state/drafts.js";
import { isTooLarge, maxUploadMegabytes, upload } from "../sync/upload.js";
import { currentComposeBox } from "./compose.js";
import { announce } from "./layout.js";

/** @typedef {import("../state/attachments.js").Attachment} Attachment */
/** @typedef {import("./compose.js").ComposeBox} ComposeBox */
/** @typedef {{file: File, element: HTMLElement, conversation: import("../state/conversations.js").Conversation, owner:
 *   ComposeAttachments, order: number, error: string, cancel(): void}} RunningUpload `error` is set if it has failed */

const IMAGE = /\.(?:avif|gif|jpe?g|png|webp)$/i;
const KILOBYTE = 1000;
const MEGABYTE = 1_000_000;

/** Uploads of all boxes. They go on when their box is closed, and are shown when the conversation is opened again.
 * @type {Set<RunningUpload>} */
const uploads = new Set();
/** Sizes, thumbnails and the order of files that were uploaded from here, by their address.
 * @type {Map<string, {size: number, picture: string, order: number}>} */
const known = new Map();
let lastOrder = 0;

export class ComposeAttachments {
  #compose;
  #waiting = /** @type {string | undefined} */ (undefined); // the text to be sent after the uploads
  /** @type {WeakMap<Attachment, HTMLElement>} */
  #chips = new WeakMap();
  element = h("ul", { class: "files", "aria-label": t("upload.name"), hidden: true });

  /** @param {ComposeBox} compose */
  constructor(compose) {
    this.#compose = compose;
    const key = keyOf(compose.conversation);
    for (const each of uploads)
      if (!each.owner.#compose.box.isConnected && keyOf(each.conversation) === key) each.owner = this;
    this.draw();
  }

  get isUploading() {
    return this.#own().some((each) => !each.error);
  }

  /** What the message waits for, if the person has sent it. */
  get waitingText() {
    const count = this.#own().filter((each) => !each.error).length;
    return this.#waiting === undefined || !count ? "" : t("upload.waiting", { count });
  }

  /** Open the browser's file dialog. */
  openPicker() {
    const input = h("input", { type: "file", multiple: true, "aria-label": t("compose.attach"), hidden: true });
    this.element.after(input);
    input.addEventListener("change", () => {
      this.add([...(input.files ?? [])]);
      input.remove();
      this.#compose.box.focus();
    });
    input.addEventListener("cancel", () => input.remove());
    input.click();
  }

  /** @param {File[]} files */
  add(files) {
    for (const file of files) {
      const problem = isTooLarge(file) ? t("upload.large", { most: maxUploadMegabytes() }) : "";
      const each = {
        file,
        error: problem,
        element: h("li"),
        conversation: this.#compose.conversation,
        owner: this,
        order: ++lastOrder,
        cancel() {},
      };
      uploads.add(each);
      if (problem) showFailure(each);
      else start(each);
    }
    this.draw();
  }

  /** Whether sending has to wait for uploads. If so, the message is sent when they are complete.
   * @param {string} text */
  waits(text) {
    if (!this.isUploading) return false;
    this.#waiting = text;
    this.#compose.showNote(this.waitingText);
    return true;
  }

  /** The conversation of the box has changed: the files go along. */
  retarget() {
    for (const each of this.#own()) each.conversation = this.#compose.conversation;
    updateUploadingTo();
  }

  draw() {
    const done = this.#compose.files.map((file) => ({ order: orderOf(file), element: this.#chip(file) }));
    const chips = [...done, ...this.#own()].sort((a, b) => a.order - b.order);
    const focused = document.activeElement;
    setChildren(this.element, ...chips.map((each) => each.element));
    this.element.hidden = !this.element.childElementCount;
    // an element that is moved loses the focus
    if (focused instanceof HTMLElement && this.element.contains(focused)) focused.focus();
  }

  /** An upload is complete, has failed or was removed.
   * @param {RunningUpload} each
   * @param {Attachment} [file] */
  settle(each, file) {
    if (file) this.#compose.files = inOrder([...this.#compose.files, file]);
    this.draw();
    this.#compose.box.dispatchEvent(new Event("input", { bubbles: true })); // saves the draft
    const text = this.#waiting;
    if (text === undefined) return undefined;
    if (each.error) {
      this.#waiting = undefined;
      return this.#compose.showNote(t("upload.not-sent"));
    }
    if (this.waits(text)) return undefined;
    this.#waiting = undefined;
    return void this.#compose.send(this.#compose.box.value.startsWith(text) ? text : undefined);
  }

  #own() {
    return [...uploads].filter((each) => each.owner === this);
  }

  /** @param {Attachment} file */
  #chip(file) {
    const drawn = this.#chips.get(file) ?? this.#drawChip(file);
    this.#chips.set(file, drawn);
    return drawn;
  }

  /** @param {Attachment} file */
  #drawChip(file) {
    const { size = 0, picture = IMAGE.test(file.url) ? file.url : "" } = known.get(file.url) ?? {};
    const remove = () => {
      const at = this.#compose.files.indexOf(file);
      this.#compose.files = this.#compose.files.filter((each) => each !== file);
      this.draw();
      this.#compose.box.dispatchEvent(new Event("input", { bubbles: true }));
      this.focus(at);
    };
    return h(
      "li",
      { class: "att" },
      thumbnail(picture),
      h("b", { class: "cut" }, h("bdi", {}, file.name)),
      h("small", { class: "cut" }, size ? formatSize(size) : t("upload.done")),
      iconButton("close", t("upload.remove", { name: file.name }), { onclick: remove }),
    );
  }

  /** A chip was removed: focus the next one, else the text.
   * @param {number} at */
  focus(at) {
    const buttons = this.element.querySelectorAll("li > .ib:last-child");
    const next = buttons[Math.min(at, buttons.length - 1)];
    (next instanceof HTMLElement ? next : this.#compose.box).focus();
  }
}

/** @param {RunningUpload} each */
async function start(each) {
  const { file } = each;
  const picture = file.type.startsWith("image/") ? URL.createObjectURL(file) : "";
  const bar = h("progress", { max: 1, value: 0, "aria-label": t("upload.progress", { name: file.name }) });
  const { promise, cancel } = upload(file, (part) => (bar.value = part));
  each.cancel = cancel;
  each.error = "";
  const chip = h(
    "li",
    { class: "att" },
    thumbnail(picture),
    h("b", { class: "cut" }, h("bdi", {}, file.name)),
    bar,
    iconButton("close", t("upload.cancel", { name: file.name }), { onclick: cancel }),
  );
  each.element.replaceWith(chip);
  each.element = chip;
  updateUploadingTo();
  try {
    const { url, filename } = await promise;
    known.set(url, { size: file.size, picture, order: each.order });
    finish(each, { name: (filename ?? file.name).replaceAll(/[[\]\n]/g, ""), url });
  } catch (error) {
    if (/** @type {Error} */ (error).name === "AbortError") discard(each);
    else fail(each, /** @type {Error} */ (error).message);
  }
}

/** @param {RunningUpload} each
 * @param {Attachment} file */
function finish(each, file) {
  uploads.delete(each);
  updateUploadingTo();
  const { owner, conversation } = each;
  if (owner.element.isConnected) return owner.settle(each, file);
  const open = currentComposeBox();
  if (open && keyOf(open.conversation) === keyOf(conversation)) return open.setFiles(inOrder([...open.files, file]));
  const { text, files } = splitAttachments(draftOf(conversation));
  return setDraft(conversation, joinAttachments(text, inOrder([...files, file])));
}

/** @param {RunningUpload} each
 * @param {string} message */
function fail(each, message) {
  each.error = message || t("upload.failed");
  const before = each.element;
  showFailure(each);
  before.replaceWith(each.element);
  each.owner.settle(each);
}

/** @param {RunningUpload} each */
function showFailure(each) {
  const { file, error } = each;
  const retry =
    !isTooLarge(file) &&
    iconButton("retry", t("upload.retry", { name: file.name }), {
      onclick: () => {
        start(each);
        each.owner.focus(Infinity);
      },
    });
  each.element = h(
    "li",
    { class: "att bad" },
    h("span", { class: "th" }, icon("alert")),
    h("b", { class: "cut" }, h("bdi", {}, file.name)),
    h("small", { class: "cut", title: error }, error),
    retry,
    iconButton("close", t("upload.remove", { name: file.name }), { onclick: () => discard(each) }),
  );
  announce(`${file.name}: ${error}`);
}

/** @param {RunningUpload} each */
function discard(each) {
  const at = [...(each.element.parentElement?.children ?? [])].indexOf(each.element);
  const hadFocus = each.element.contains(document.activeElement);
  uploads.delete(each);
  updateUploadingTo();
  each.owner.settle(each);
  if (hadFocus) each.owner.focus(at);
}

/** Files in the order in which they were attached, whichever is uploaded first.
 * @param {Attachment[]} files */
function inOrder(files) {
  return [...files].sort((a, b) => orderOf(a) - orderOf(b));
}

/** @param {Attachment} file */
function orderOf({ url }) {
  return known.get(url)?.order ?? 0;
}

function updateUploadingTo() {
  uploadingTo.clear();
  for (const { conversation } of uploads) uploadingTo.add(keyOf(conversation));
}

/** @param {string} picture its address, if there is one */
function thumbnail(picture) {
  return h(
    "span",
    { class: "th" },
    picture ? h("img", { src: picture, alt: "", width: 40, height: 40 }) : icon("file"),
  );
}

/** @param {number} bytes */
function formatSize(bytes) {
  const [unit, size] =
    bytes < MEGABYTE ? ["kilobyte", Math.max(1, Math.round(bytes / KILOBYTE))] : ["megabyte", bytes / MEGABYTE];
  return new Intl.NumberFormat(currentLanguage(), { style: "unit", unit, maximumFractionDigits: 1 }).format(size);
}
