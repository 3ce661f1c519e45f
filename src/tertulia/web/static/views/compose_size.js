/** The size of a compose box: a handle above it changes its height, a button lets it fill the view. */

import { accountValue, setAccountValue } from "../core/account_values.js";
import { h, icon, iconButton, setChildren } from "../core/html.js";
import { t } from "../core/i18n.js";

/** @typedef {import("./compose.js").ComposeBox} ComposeBox */

const KEY = "compose-height";
const STEP_PX = 24; // a line
const MIN_PX = 52;

export class ComposeSize {
  #compose;
  #isFull = false;
  button = iconButton("expand", t("size.full"), { "aria-pressed": "false" });
  handle = h("div", {
    class: "sizer",
    role: "separator",
    tabindex: 0,
    "aria-orientation": "horizontal",
    "aria-label": t("size.handle"),
    "aria-valuemin": MIN_PX,
    title: t("size.hint"),
  });

  /** @param {ComposeBox} compose */
  constructor(compose) {
    this.#compose = compose;
    this.button.addEventListener("click", () => {
      this.setFull(!this.#isFull);
      compose.box.focus();
    });
    this.handle.addEventListener("pointerdown", (event) => this.#drag(event));
    this.handle.addEventListener("keydown", (event) => this.#onKey(event));
    this.handle.addEventListener("dblclick", () => this.#resize(undefined));
    compose.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.#isFull || event.defaultPrevented) return;
      event.preventDefault();
      this.setFull(false);
    });
    this.#resize(accountValue(KEY));
  }

  /** @param {boolean} isFull whether the box covers the view */
  setFull(isFull) {
    this.#isFull = isFull;
    this.#compose.element.closest(".write")?.classList.toggle("full", isFull);
    this.button.setAttribute("aria-pressed", String(isFull));
    this.button.title = t(isFull ? "size.small" : "size.full");
    this.button.setAttribute("aria-label", this.button.title);
    setChildren(this.button, icon(isFull ? "shrink" : "expand"));
    this.handle.hidden = isFull;
  }

  /** @param {PointerEvent} start */
  #drag(start) {
    start.preventDefault();
    this.handle.setPointerCapture(start.pointerId);
    const from = this.#height;
    const move = (/** @type {PointerEvent} */ event) => this.#resize(from + start.clientY - event.clientY);
    this.handle.addEventListener("pointermove", move);
    this.handle.addEventListener("lostpointercapture", () => this.handle.removeEventListener("pointermove", move), {
      once: true,
    });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key === "ArrowUp") this.#resize(this.#height + STEP_PX);
    else if (event.key === "ArrowDown") this.#resize(this.#height - STEP_PX);
    else if (event.key === "Home") this.#resize(undefined);
    else if (event.key === "End") this.#resize(this.#max);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  get #height() {
    return this.#compose.box.offsetHeight || MIN_PX;
  }

  get #max() {
    return Math.round(innerHeight * 0.6);
  }

  /** @param {number | undefined} height without one, the box is as high as its text */
  #resize(height) {
    const { box } = this.#compose;
    const isSet = height !== undefined && height > MIN_PX;
    const size = isSet ? Math.min(height, this.#max) : undefined;
    box.classList.toggle("sized", isSet);
    if (size) box.style.setProperty("block-size", `${size}px`);
    else box.style.removeProperty("block-size");
    this.handle.setAttribute("aria-valuemax", String(this.#max));
    this.handle.setAttribute("aria-valuenow", String(size ?? MIN_PX));
    setAccountValue(KEY, size);
  }
}
