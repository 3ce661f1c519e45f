/** Files on their way into a message: a line for each with its progress, and a place in the text that
 * the link takes when it is there. */

import { fill, h, iconButton } from "../core/html.js";
import { toast } from "./layout.js";
import { tooLarge, upload } from "../sync/upload.js";
import { say } from "../core/i18n.js";

export class Attachments {
  #box;
  #count = 0;
  element = h("ul", { class: "plain uploads", "aria-label": say("upload.name") });

  /** @param {HTMLTextAreaElement} box */
  constructor(box) {
    this.#box = box;
    box.addEventListener("paste", (event) => this.#takeFrom(event, event.clipboardData));
    box.addEventListener("drop", (event) => this.#takeFrom(event, event.dataTransfer));
  }

  get areUnderWay() {
    return this.#count > 0;
  }

  /** Let somebody choose files. */
  choose() {
    const input = h("input", { type: "file", multiple: true, "aria-label": say("compose.attach"), hidden: true });
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
      const refusal = tooLarge(file);
      if (refusal) toast(refusal);
      else this.#start(file);
    }
  }

  /** @param {Event} event
   * @param {DataTransfer | null} data */
  #takeFrom(event, data) {
    const files = [...(data?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    this.add(files);
  }

  /** @param {File} file */
  async #start(file) {
    const holder = this.#freeHolder(file.name);
    this.#replace("", `${holder}\n`);
    const bar = h("progress", { max: 1, value: 0, "aria-label": say("upload.progress", { name: file.name }) });
    const { promise, cancel } = upload(file, (part) => (bar.value = part));
    const row = h("li", {}, h("bdi", { class: "cut" }, file.name), bar, iconButton("close", say("upload.cancel", { name: file.name }), { onclick: cancel }));
    this.element.append(row);
    this.#count++;
    try {
      const { url, filename } = await promise;
      this.#replace(holder, `[${(filename ?? file.name).replaceAll(/[[\]]/g, "")}](${url})`);
    } catch (error) {
      this.#replace(`${holder}\n`, "");
      if (/** @type {Error} */ (error).name !== "AbortError") toast(/** @type {Error} */ (error).message);
    }
    this.#count--;
    row.remove();
    if (!this.#count) fill(this.element);
  }

  /** A place in the text that no other file has.
   * @param {string} name */
  #freeHolder(name) {
    const bare = name.replaceAll(/[[\]]/g, "");
    for (let number = 1; ; number++) {
      const holder = `[${say("upload.holder", { name: number > 1 ? `${bare} (${number})` : bare })}]()`;
      if (!this.#box.value.includes(holder)) return holder;
    }
  }

  /** @param {string} old nothing means the place of the caret
   * @param {string} text */
  #replace(old, text) {
    const { value, selectionStart, selectionEnd } = this.#box;
    const at = old ? value.indexOf(old) : selectionStart;
    if (at < 0) this.#box.setRangeText(text && `\n${text}`, value.length, value.length, "preserve");
    else this.#box.setRangeText(text, at, old ? at + old.length : selectionEnd, old ? "preserve" : "end");
    this.#box.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
