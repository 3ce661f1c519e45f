/** Keeps the children of an element up to date: an element is built again only if its signature changes, so a signature
 * contains everything that the element shows. */

/** @typedef {{key: string, signature?: string, build: () => Element, update?: (element: Element) => void}} KeyedChild
 *   `update` runs every time, for elements that contain keyed children themselves */

/** @type {WeakMap<Element, {key: string, signature: string}>} */
const drawn = new WeakMap();

/** @param {Element} parent
 * @param {(KeyedChild | false | undefined | null)[]} children
 * @returns {number} how many elements were built */
export function setKeyedChildren(parent, children) {
  /** @type {Map<string, Element>} */
  const before = new Map();
  for (const element of parent.children) {
    const entry = drawn.get(element);
    if (entry) before.set(entry.key, element);
  }
  let built = 0;
  /** @type {Element | null} */
  let next = parent.firstElementChild;
  for (const child of children) {
    if (!child) continue;
    const { key, signature = "", build, update } = child;
    let element = before.get(key);
    before.delete(key);
    if (element && drawn.get(element)?.signature === signature) {
      if (element === next) next = next.nextElementSibling;
      else parent.insertBefore(element, next);
    } else {
      const replacement = build();
      drawn.set(replacement, { key, signature });
      if (element === next) next = next?.nextElementSibling ?? null;
      if (element) element.replaceWith(replacement);
      if (!element || replacement.nextElementSibling !== next) parent.insertBefore(replacement, next);
      element = replacement;
      built++;
    }
    update?.(element);
  }
  for (const element of before.values()) element.remove();
  return built;
}
