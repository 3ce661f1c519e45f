/** Mentions as pills in the compose box. A field can show plain text only, so a layer over it draws each mention again,
 * in the same place and as wide, without the signs around the name. */

import { h, setChildren } from "../core/html.js";

/** @typedef {import("./compose.js").ComposeBox} ComposeBox */

const MENTION = /(@_?)(\*\*?)([^*\n|]+)((?:\|\d+)?\*\*?)/g;
const COPIED = /** @type {const} */ (["font", "letterSpacing", "direction", "padding", "textAlign"]);

export class ComposeMentions {
  #compose;
  #layer = h("div", { class: "pills", "aria-hidden": "true", hidden: true });

  /** @param {ComposeBox} compose */
  constructor(compose) {
    const { box, scope } = compose;
    this.#compose = compose;
    box.after(this.#layer);
    box.addEventListener("input", () => this.update());
    box.addEventListener("scroll", () => this.#scroll());
    const observer = new ResizeObserver(() => this.update());
    observer.observe(box);
    scope.add(() => observer.disconnect());
    this.update();
  }

  update() {
    const { box } = this.#compose;
    const parts = mentionParts(box.value);
    this.#layer.hidden = parts.length === 0 || box.hidden;
    if (this.#layer.hidden) return setChildren(this.#layer);
    const style = getComputedStyle(box);
    for (const each of COPIED) this.#layer.style[each] = style[each];
    const sizes = { left: box.offsetLeft, top: box.offsetTop, width: box.clientWidth, height: box.clientHeight };
    for (const [name, size] of Object.entries(sizes)) this.#layer.style.setProperty(name, `${size}px`);
    setChildren(this.#layer, ...parts);
    return this.#scroll();
  }

  #scroll() {
    this.#layer.scrollTop = this.#compose.box.scrollTop;
  }
}

/** The text with its mentions as elements; nothing if there are none.
 * @param {string} text */
function mentionParts(text) {
  const parts = [];
  let end = 0;
  for (const { index, 0: all, 1: sign, 2: stars, 3: name, 4: rest } of text.matchAll(MENTION)) {
    const mention = h(
      "span",
      {},
      h("b", { class: stars.length > 1 && "person" }, sign),
      h("i", {}, stars),
      name,
      h("i", {}, rest),
    );
    parts.push(text.slice(end, index), mention);
    end = index + all.length;
  }
  return parts.length ? [...parts, `${text.slice(end)}\n`] : [];
}
