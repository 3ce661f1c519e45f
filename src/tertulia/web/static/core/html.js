/** Builds elements, and parses HTML of the server.
 *
 * `parseServerHtml` is the only place where HTML enters the page: contents of messages, search results,
 * descriptions of channels, earlier versions, previews. A test finds any other. Everything else is elements and
 * text. */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Attributes strings, numbers and booleans; listeners for `onclick` and the like */

const FORBIDDEN_ELEMENTS = "script, style, iframe, object, embed, form, base, link, meta, template";
// Formulas and tables have styles for other clients. The page's policy reports each one that is parsed.
const STYLE_ATTRIBUTE = /(<[a-z]+(?: [^<>]*?)?) style="([^"<>]*)"/g;
const PLAIN_PARAGRAPHS = /^(?:<p>[^<]*<\/p>\s*)*$/;
const SVG = "http://www.w3.org/2000/svg";

const policy = globalThis.trustedTypes?.createPolicy("rendered", {
  createHTML: (/** @type {string} */ html) => html,
  createScriptURL: (/** @type {string} */ address) => address,
});

/** Whether content is nothing but paragraphs of text, as most of it is.
 * @param {string} html */
export function isPlainParagraphs(html) {
  return PLAIN_PARAGRAPHS.test(html);
}

/** HTML that the server has rendered, as nodes that are not in the document yet.
 * @param {string} html
 * @returns {DocumentFragment} */
export function parseServerHtml(html) {
  const template = document.createElement("template");
  const unstyled = html.replaceAll(
    STYLE_ATTRIBUTE,
    (_, tag, /** @type {string} */ style) => tag + imageAttribute(style),
  );
  template.innerHTML = /** @type {string} */ (policy ? policy.createHTML(unstyled) : unstyled);
  if (isPlainParagraphs(html)) return template.content;
  // The server renders none of these. This is a second line of defence.
  for (const element of template.content.querySelectorAll(FORBIDDEN_ELEMENTS)) element.remove();
  for (const element of template.content.querySelectorAll("[style]")) element.removeAttribute("style");
  return template.content;
}

/** The image of a link preview, which the server writes as a style, as an attribute that the page reads.
 * @param {string} style */
function imageAttribute(style) {
  const image = /^background-image: url\(&quot;(.*)&quot;\)$/.exec(style);
  return image ? ` data-image="${image[1]}"` : "";
}

/** The URL of a script that is not part of the page: the service worker.
 * @param {string} path
 * @returns {string} */
export function scriptUrl(path) {
  return /** @type {string} */ (/** @type {unknown} */ (policy?.createScriptURL(path) ?? path));
}

/** Build an element. Attributes that are `false`, `null` or `undefined` are left out, `true` gives an empty
 * value; functions (`onclick`) become listeners.
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

/** An icon of the set in shell.html. The button around it has the label.
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

/** A button that shows an icon.
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

/** Text for assistive technology only.
 * @param {string} text */
export function srOnly(text) {
  return h("span", { class: "hidden" }, text);
}

/** Replace all children.
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
  if (typeof value === "function")
    element.addEventListener(name.slice(2), /** @type {(event: Event) => unknown} */ (value));
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** The path from an element to a descendant, as indexes of children.
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

/** The element at a path, perhaps in a redrawn version of the tree.
 * @param {Element} root
 * @param {number[]} path
 * @returns {HTMLElement | undefined} */
export function elementAtPath(root, path) {
  let at = /** @type {Element | undefined} */ (root);
  for (const step of path) at = at?.children[step];
  return at instanceof HTMLElement ? at : undefined;
}
