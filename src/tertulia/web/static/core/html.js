/** Elements, and the one door through which HTML enters the page.
 *
 * `rendered` takes HTML that the server has rendered: contents of messages, what a search found in
 * them, descriptions of channels, earlier versions, previews. Nothing else in the page sets HTML;
 * a test looks for it. Everything else is elements and text. */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Attributes strings, numbers and booleans; listeners for `onclick` and the like */

const FORBIDDEN_ELEMENTS = "script, style, iframe, object, embed, form, base, link, meta, template";
const PLAIN_PARAGRAPHS = /^(?:<p>[^<]*<\/p>\s*)*$/;
const SVG = "http://www.w3.org/2000/svg";

const policy = globalThis.trustedTypes?.createPolicy("rendered", {
  createHTML: (/** @type {string} */ html) => html,
  createScriptURL: (/** @type {string} */ address) => address,
});

/** Whether rendered content is paragraphs and nothing else, as most of it is.
 * @param {string} html */
export function isPlainParagraphs(html) {
  return PLAIN_PARAGRAPHS.test(html);
}

/** What the server has rendered, as nodes that have not been shown yet.
 * @param {string} html
 * @returns {DocumentFragment} */
export function parseServerHtml(html) {
  const template = document.createElement("template");
  template.innerHTML = /** @type {string} */ (policy ? policy.createHTML(html) : html);
  if (isPlainParagraphs(html)) return template.content;
  // The renderer writes none of these. Should it ever, they do not get past this line either.
  for (const element of template.content.querySelectorAll(FORBIDDEN_ELEMENTS)) element.remove();
  for (const element of template.content.querySelectorAll("[style]")) element.removeAttribute("style");
  return template.content;
}

/** The address of a script of ours that is not part of the page: there is one, the worker.
 * @param {"/sw.js"} path
 * @returns {string} */
export function scriptUrl(path) {
  return /** @type {string} */ (/** @type {unknown} */ (policy?.createScriptURL(path) ?? path));
}

/** An element. Attributes that are `false`, `null` or `undefined` are left out, `true` stands alone;
 * `onclick` and its like are listeners.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]} */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...presentChildren(children));
  return element;
}

/** An icon of the page's own set; the button it stands in has the words.
 * @param {string} name
 * @param {string} [extra] classes: `s` is small, `flip` mirrors from right to left
 * @returns {SVGElement} */
export function icon(name, extra = "") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `i ${extra}`.trim());
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** A button that is an icon.
 * @param {string} name of the icon
 * @param {string} label
 * @param {Attributes} [attributes]
 * @returns {HTMLButtonElement} */
export function iconButton(name, label, attributes = {}) {
  const button = h("button", { type: "button", "aria-label": label, title: label, ...attributes });
  button.classList.add("ib");
  button.append(icon(name, attributes.flip ? "flip" : ""));
  return button;
}

/** Text that only assistive technology is told.
 * @param {string} text */
export function srOnly(text) {
  return h("span", { class: "hidden" }, text);
}

/** Put these children in place of those that are there.
 * @param {Element} element
 * @param {...(Child | Child[])} children */
export function setChildren(element, ...children) {
  element.replaceChildren(...presentChildren(children));
}

/** @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]} */
function presentChildren(children) {
  const nodes = [];
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    nodes.push(typeof child === "number" ? String(child) : child);
  }
  return nodes;
}

/** @param {HTMLElement} element
 * @param {string} name
 * @param {Attributes[string]} value */
function setAttribute(element, name, value) {
  if (value === false || value === null || value === undefined || name === "flip") return;
  if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {(event: Event) => unknown} */ (value));
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** Where an element is within another: which child, and which child of that.
 * @param {Element} root
 * @param {Element} element
 * @returns {number[]} */
export function elementPath(root, element) {
  const path = [];
  for (let at = element; at !== root && at.parentElement; at = at.parentElement) {
    path.unshift([...at.parentElement.children].indexOf(at));
  }
  return path;
}

/** What is there now, perhaps in another that was drawn instead.
 * @param {Element} root
 * @param {number[]} path
 * @returns {HTMLElement | undefined} */
export function elementAtPath(root, path) {
  let at = /** @type {Element | undefined} */ (root);
  for (const step of path) at = at?.children[step];
  return at instanceof HTMLElement ? at : undefined;
}
