/** Uploads of a compose box: a line with progress for each file, and a placeholder in the text that becomes the link. */

import { setChildren, h, iconButton } from "../core/html.js";
import { toast } from "./layout.js";
import { sizeError, upload } from "../sync/upload.js";
import { t } from "../core/i18n.js";

export class Attachments {
  #box;
  #count = 0;
  element = h("ul", { class: "plain uploads", "aria-label": t("upload.name") });

  /** @param {HTMLTextAreaElement} box */
  constructor(box) {
    this.#box = box;
    box.addEventListener("paste", (event) => this.#onTransfer(event, event.clipboardData));
    box.addEventListener("drop", (event) => this.#onTransfer(event, event.dataTransfer));
  }

  get isUploading() {
    return this.#count > 0;
  }

  /** Open the browser's file dialog. */
  openPicker() {
    const input = h("input", { type: "file", multiple: true, "aria-label": t("compose.attach"), hidden: true });
    this.element.after(input);
    input.addEventListener("change", () => {
      this.add([...(input.files ?? [])]);
      input.remove();
    });
    input.addEventListener("cancel", () => input.remove());
    input.click();
  }

  /** @param {File[]} files */
  add(files) {
    for (const file of files) {
      const problem = sizeError(file);
      if (problem) toast(problem);
      else this.#start(file);
    }
  }

  /** @param {Event} event
   * @param {DataTransfer | null} data */
  #onTransfer(event, data) {
    const files = [...(data?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    this.add(files);
  }

  /** @param {File} file */
  async #start(file) {
    const placeholder = this.#newPlaceholder(file.name);
    this.#replace("", `${placeholder}\n`);
    const bar = h("progress", { max: 1, value: 0, "aria-label": t("upload.progress", { name: file.name }) });
    const { promise, cancel } = upload(file, (part) => (bar.value = part));
    const row = h("li", {}, h("bdi", { class: "cut" }, file.name), bar, iconButton("close", t("upload.cancel", { name: file.name }), { onclick: cancel }));
    this.element.append(row);
    this.#count++;
    try {
      const { url, filename } = await promise;
      this.#replace(placeholder, `[${(filename ?? file.name).replaceAll(/[[\]]/g, "")}](${url})`);
    } catch (error) {
      this.#replace(`${placeholder}\n`, "");
      if (/** @type {Error} */ (error).name !== "AbortError") toast(/** @type {Error} */ (error).message);
    }
    this.#count--;
    row.remove();
    if (!this.#count) setChildren(this.element);
  }

  /** A placeholder that is not in the text yet.
   * @param {string} name */
  #newPlaceholder(name) {
    const bare = name.replaceAll(/[[\]]/g, "");
    for (let number = 1; ; number++) {
      const placeholder = `[${t("upload.holder", { name: number > 1 ? `${bare} (${number})` : bare })}]()`;
      if (!this.#box.value.includes(placeholder)) return placeholder;
    }
  }

  /** @param {string} old if empty, insert at the caret
   * @param {string} text */
  #replace(old, text) {
    const { value, selectionStart, selectionEnd } = this.#box;
    const at = old ? value.indexOf(old) : selectionStart;
    if (at < 0) this.#box.setRangeText(text && `\n${text}`, value.length, value.length, "preserve");
    else this.#box.setRangeText(text, at, old ? at + old.length : selectionEnd, old ? "preserve" : "end");
    this.#box.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
