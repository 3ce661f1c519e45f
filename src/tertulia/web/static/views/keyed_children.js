/** Keeps the children of an element up to date: an element changes only if its data changes, so the data contain
 * everything that the element shows. Then the present element is changed to look like a new one: new elements cost the
 * browser a layout and a new division of the page into layers, new text much less. */

/** @typedef {readonly (string | number | boolean | null | undefined)[]} Data */
/** @typedef {{key: string, data?: Data, build: () => Element, update?: (element: Element) => void, contents?: Data}}
 *   KeyedChild `build` adds no listeners to elements with data; `update` is for elements that contain keyed children
 *   themselves, and runs every time, or if `contents` changes */

/** @type {WeakMap<Element, {key: string, data: Data, contents?: Data}>} */
const drawn = new WeakMap();

/** @param {Element} parent
 * @param {(KeyedChild | false | undefined | null)[]} children */
export function setKeyedChildren(parent, children) {
  /** @type {Map<string, Element> | undefined} the children that are not placed yet, if their order has changed */
  let others;
  let next = parent.firstElementChild;
  for (const child of children) {
    if (!child) continue;
    const { key, data = [], build } = child;
    if (!others && next && drawn.get(next)?.key !== key) others = keyedFrom(next);
    let element = others ? others.get(key) : (next ?? undefined);
    others?.delete(key);
    if (!element) {
      element = build();
      drawn.set(element, { key, data });
    }
    if (element === next) next = next.nextElementSibling;
    else parent.insertBefore(element, next);
    updateKeyedChild(element, child);
  }
  for (const element of (others ?? keyedFrom(next)).values()) element.remove();
}

/** Draw keyed children: one that moves loses the focus, and gets it again.
 * @param {Element} parent
 * @param {() => void} draw */
export function keepFocus(parent, draw) {
  const focused = parent.contains(document.activeElement)
    ? /** @type {HTMLElement} */ (document.activeElement)
    : undefined;
  draw();
  if (focused && document.activeElement !== focused && focused.dataset.key) {
    /** @type {HTMLElement | null} */ (parent.querySelector(`[data-key="${CSS.escape(focused.dataset.key)}"]`))?.focus({
      preventScroll: true,
    });
  }
}

/** Update one child, and leave its siblings alone.
 * @param {Element} element that `setKeyedChildren` has drawn for a child with this key
 * @param {KeyedChild} child */
export function updateKeyedChild(element, { key, data = [], build, update, contents }) {
  if (!isSame(drawn.get(element)?.data, data)) {
    drawn.set(element, { key, data });
    matchElement(element, build());
  }
  const entry = drawn.get(element);
  if (!update || !entry || (contents !== undefined && isSame(contents, entry.contents))) return;
  entry.contents = contents;
  update(element);
}

/** @param {Data | undefined} a
 * @param {Data | undefined} b */
function isSame(a, b) {
  return a?.length === b?.length && Boolean(a?.every((each, at) => each === b?.[at]));
}

/** An element and its later siblings by key.
 * @param {Element | null} first
 * @returns {Map<string, Element>} */
function keyedFrom(first) {
  const found = new Map();
  for (let element = first; element; element = element.nextElementSibling) {
    const entry = drawn.get(element);
    if (entry) found.set(entry.key, element);
  }
  return found;
}

/** Change an element to look like a model of the same kind.
 * @param {Element} element
 * @param {Element} model */
export function matchElement(element, model) {
  for (const { name } of [...element.attributes]) if (!model.hasAttribute(name)) element.removeAttribute(name);
  for (const { name, value } of model.attributes) {
    if (element.getAttribute(name) === value) continue;
    // The page's policy refuses styles as attributes.
    if (name === "style") /** @type {HTMLElement} */ (element).style.cssText = value;
    else element.setAttribute(name, value);
  }
  const present = [...element.childNodes];
  [...model.childNodes].forEach((wanted, at) => {
    const node = present[at];
    if (!node) element.append(wanted);
    else if (node.nodeName !== wanted.nodeName) node.replaceWith(wanted);
    else if (node instanceof Element && wanted instanceof Element) matchElement(node, wanted);
    else if (node.nodeValue !== wanted.nodeValue) node.nodeValue = wanted.nodeValue;
  });
  for (const node of present.slice(model.childNodes.length)) node.remove();
}
