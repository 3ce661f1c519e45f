/** A virtual list of messages: only a window of its rows is in the document, and the rows in view do not move
 * when others grow, arrive, change or are removed.
 *
 * The anchor is the first row that begins inside the view, and its distance from the upper edge. A row that the
 * upper edge cuts is not used, because it can grow itself. After every change the list scrolls so that the anchor
 * is where it was, before the browser paints. A scroll event must restore the old anchor before it sets a new one:
 * the event may come from our own correction, and a row may have grown since. The browser's scroll anchoring is
 * switched off; Safari has none. */

import { elementAtPath, elementPath } from "../core/html.js";
import { sortedIndex } from "../state/message_lists.js";
import { isPhone } from "./layout.js";
import { centredRange, reindexedRange, shiftedRange } from "../state/row_window.js";

/** @typedef {{id: number, before: number | undefined, signature: string, nodes: HTMLElement[], article: HTMLElement}}
 *   Row `before` is the message above it */
/** @typedef {{signature(id: number, before: number | undefined): string,
 *   draw(id: number, before: number | undefined): HTMLElement[], clip(articles: HTMLElement[]): void}} Renderer
 *   of drawn nodes the article is the last; `clip` shortens articles that are in the document */
/** @typedef {{needOlder(): void, needNewer(): void, scrolled(): void}} Callbacks */

const STEP = 20;
const MIN_ROWS = 30;
const MIN_ROW_HEIGHT_PX = 24; // pixels
const MAX_ROWS = 240;
const MAX_TALL_ROWS = 140; // where most rows name their conversation
const MAX_PHONE_ROWS = 120;
const END_TOLERANCE_PX = 4; // this close to the end counts as the end

export class VirtualList {
  #isMixed;
  #scroller;
  #feed;
  #renderer;
  #callbacks;
  /** @type {Map<number, Row>} */
  #rows = new Map();
  /** @type {number[]} */
  #ids = [];
  #range = { from: 0, to: 0 };
  /** @type {{row: Row, top: number} | null} */
  #anchor = null;
  #lastTop = 0;
  #reportedTop = -1; // the scroll position that the owner of the list knows
  #sticksToEnd = false; // whether new messages scroll the list
  #hasNewest = false;
  #observer;

  /** @param {HTMLElement} scroller
   * @param {HTMLElement} feed
   * @param {Renderer} renderer
   * @param {Callbacks} callbacks
   * @param {boolean} isMixed whether it shows several conversations */
  constructor(scroller, feed, renderer, callbacks, isMixed) {
    this.#isMixed = isMixed;
    this.#scroller = scroller;
    this.#feed = feed;
    this.#renderer = renderer;
    this.#callbacks = callbacks;
    scroller.addEventListener("scroll", () => this.#onScroll(), { passive: true });
    this.#observer = new ResizeObserver(() => this.#restore());
    this.#observer.observe(feed);
    this.#observer.observe(scroller);
  }

  /** The maximum number of rows in the document. */
  get #maxRows() {
    if (isPhone()) return MAX_PHONE_ROWS;
    return this.#isMixed ? MAX_TALL_ROWS : MAX_ROWS;
  }

  get isAtEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    return this.#showsNewest && scrollHeight - clientHeight - scrollTop < END_TOLERANCE_PX;
  }

  get #showsNewest() {
    return this.#hasNewest && this.#range.to === this.#ids.length;
  }

  /** Show a list at a scroll position.
   * @param {number[]} ids
   * @param {boolean} hasNewest
   * @param {number | undefined} id the message to show
   * @param {number | "end" | "middle"} where pixels from the upper edge, or the end of the list */
  show(ids, hasNewest, id, where) {
    this.#ids = ids;
    this.#hasNewest = hasNewest;
    const rows = initialRows(); // only what is in view; the others are drawn after the first paint
    const at = id === undefined ? ids.length : sortedIndex(ids, id);
    this.#range = centredRange(ids.length, at + (where === "middle" ? rows >> 3 : rows >> 2), rows);
    this.#sticksToEnd = where === "end" && hasNewest;
    this.#draw();
    const row = id === undefined ? undefined : this.#rows.get(id);
    if (this.#sticksToEnd || !row) this.#scroller.scrollTop = this.#scroller.scrollHeight;
    else
      this.#scroller.scrollTop +=
        this.#topOf(row.nodes[0]) - (typeof where === "number" ? where : this.#scroller.clientHeight / 3);
    this.#lastTop = this.#scroller.scrollTop;
    this.#setAnchor();
    this.#sticksToEnd = this.isAtEnd;
    requestAnimationFrame(() =>
      setTimeout(() => {
        if (this.#feed.isConnected) this.#fillWindow();
      }),
    );
  }

  /** Draw rows outside of the view, so that scrolling does not wait for them. */
  #fillWindow() {
    this.#syncScroll();
    if (!this.#sticksToEnd) {
      if (this.#moveWindow()) this.#scheduleScroll();
    } else {
      this.#range.from = Math.max(0, this.#range.to - 2 * initialRows());
      this.#draw();
      this.#restore();
    }
    this.#requestMore();
  }

  /** The list or its rows have changed: redraw, and keep the scroll position.
   * @param {number[]} ids
   * @param {boolean} hasNewest
   * @param {Set<number>} [changed] the messages that may look different; without it, all of them */
  update(ids, hasNewest, changed) {
    const hadNewest = this.#showsNewest;
    this.#syncScroll();
    this.#replaceLostAnchor(ids);
    if (ids[0] !== this.#ids[0]) this.#replaceFirstRowAnchor();
    const showedFirst = this.#range.from === 0;
    this.#range = reindexedRange(this.#ids, this.#range, ids, sortedIndex);
    if (showedFirst) this.#range.from = Math.max(0, this.#range.from - STEP); // rows to scroll back to
    this.#ids = ids;
    this.#hasNewest = hasNewest;
    // New messages are drawn behind the last row; at the end of the list the window drops rows at its start.
    if (hadNewest || this.#range.to === 0) this.#range.to = ids.length;
    const excess = this.#range.to - this.#range.from - this.#maxRows;
    if (excess > 0) {
      if (this.#sticksToEnd)
        this.#range.from += excess + STEP; // several at once: the browser paints all rows again
      else this.#range.to -= excess;
    }
    this.#draw(changed);
    this.#restore();
    if (this.#moveWindow()) this.#scheduleScroll(); // at the upper edge no scroll event would draw the new rows
    this.#requestMore();
    this.#reportedTop = this.#lastTop;
  }

  /** @param {number} id
   * @returns {HTMLElement | undefined} */
  articleOf(id) {
    return this.#rows.get(id)?.article;
  }

  /** The ids of the rows in the document, oldest first.
   * @returns {number[]} */
  get drawn() {
    return this.#ids.slice(this.#range.from, this.#range.to);
  }

  /** The scroll position: a message and its distance from the upper edge.
   * @returns {{id?: number, top: number} | null} at the end there is no message, as the end moves */
  get position() {
    // its event has not been handled yet
    if (this.#feed.isConnected && this.#scroller.scrollTop !== this.#lastTop) this.#onScroll();
    if (this.#sticksToEnd) return { top: 0 };
    return this.#anchor && { id: this.#anchor.row.id, top: Math.round(this.#anchor.top) };
  }

  /** Scroll a row into view.
   * @param {number} id
   * @returns {HTMLElement | undefined} */
  reveal(id) {
    if (!this.#rows.has(id)) {
      const at = sortedIndex(this.#ids, id);
      if (this.#ids[at] !== id) return undefined;
      this.show(this.#ids, this.#hasNewest, id, "middle");
    }
    const row = this.#rows.get(id);
    if (!row) return undefined;
    const top = this.#topOf(row.article);
    const bottom = top + row.article.offsetHeight;
    const height = this.#scroller.clientHeight;
    if (top < 48) this.#scroller.scrollTop += top - 48;
    else if (bottom > height - 8) this.#scroller.scrollTop += Math.min(bottom - height + 8, top - 48);
    this.#onScroll();
    return row.article;
  }

  /** Change something outside of the list, and keep the scroll position.
   * @param {() => void} change */
  keepPosition(change) {
    this.#syncScroll();
    change();
    this.#restore();
  }

  /** Redraw rows after a change, and keep an element of them where it is.
   * @param {() => Element | null | undefined} findElement finds it before and after
   * @param {() => void} change */
  redrawAround(findElement, change) {
    this.#syncScroll();
    const top = findElement()?.getBoundingClientRect().top ?? 0;
    change();
    this.#sticksToEnd = false;
    this.#draw();
    this.#scroller.scrollTop += (findElement()?.getBoundingClientRect().top ?? top) - top;
    this.#setAnchor();
    if (this.#moveWindow()) this.#scheduleScroll();
    this.#requestMore();
  }

  scrollToEnd() {
    this.#range = centredRange(this.#ids.length, this.#ids.length, this.#maxRows);
    this.#draw();
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#sticksToEnd = this.#hasNewest;
    this.#lastTop = this.#scroller.scrollTop;
    this.#setAnchor();
  }

  destroy() {
    this.#observer.disconnect();
  }

  #onScroll() {
    const { scrollTop } = this.#scroller;
    if (this.#sticksToEnd && scrollTop === this.#reportedTop) return; // the event of our own scroll to a new message
    const step = scrollTop - this.#lastTop;
    if (this.#anchor) {
      this.#anchor.top -= step;
      this.#lastTop = scrollTop;
      if (!this.#sticksToEnd || step < 0) this.#scrollToAnchor();
    }
    // The event may come from our own correction, and a row may have grown since.
    this.#sticksToEnd = this.isAtEnd || (this.#sticksToEnd && step >= 0);
    if (this.#moveWindow()) this.#scheduleScroll();
    this.#setAnchor();
    this.#requestMore();
    this.#reportedTop = this.#lastTop;
    this.#callbacks.scrolled();
  }

  /** A long scroll needs more rows than one step adds. */
  #scheduleScroll() {
    requestAnimationFrame(() => {
      if (this.#feed.isConnected) this.#onScroll();
    });
  }

  /** Account for a scroll whose event has not been handled yet. At the very end the browser itself may have
   * scrolled, because the list has become shorter. */
  #syncScroll() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const step = scrollTop - this.#lastTop;
    if (Math.abs(step) < 1 || scrollHeight - clientHeight - scrollTop <= 1) return;
    if (this.#anchor) this.#anchor.top -= step;
    this.#lastTop = scrollTop;
    if (step < 0) this.#sticksToEnd = false;
  }

  /** Restore the scroll position after something has changed its size. */
  #restore() {
    this.#syncScroll();
    if (this.#sticksToEnd && !hasSelection() && !document.hidden) {
      this.#scroller.scrollTop = this.#scroller.scrollHeight;
      this.#setAnchor();
    } else {
      this.#scrollToAnchor();
      this.#sticksToEnd &&= this.isAtEnd;
    }
  }

  #scrollToAnchor() {
    const anchor = this.#anchor;
    if (!anchor || !anchor.row.article.isConnected) return this.#setAnchor();
    const off = this.#topOf(anchor.row.article) - anchor.top;
    if (Math.abs(off) >= 0.5) this.#scroller.scrollTop += off;
    this.#lastTop = this.#scroller.scrollTop;
    return undefined;
  }

  #setAnchor() {
    this.#lastTop = this.#scroller.scrollTop;
    const ids = this.drawn;
    let low = 0;
    let high = ids.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const row = /** @type {Row} */ (this.#rows.get(ids[middle]));
      if (this.#topOf(row.article) < 0) low = middle + 1;
      else high = middle;
    }
    const row = this.#rows.get(ids[Math.min(low, ids.length - 1)]);
    this.#anchor = row ? { row, top: this.#topOf(row.article) } : null;
  }

  /** If the anchor was removed from the list, use the next row that is in it.
   * @param {number[]} ids */
  #replaceLostAnchor(ids) {
    const gone = this.#anchor?.row.id;
    if (gone === undefined || ids[sortedIndex(ids, gone)] === gone) return;
    const staying = this.drawn.filter((id) => ids[sortedIndex(ids, id)] === id);
    const row = this.#rows.get(staying[Math.min(sortedIndex(staying, gone), staying.length - 1)]);
    this.#anchor = row ? { row, top: this.#topOf(row.article) } : null;
  }

  /** The first row changes when older rows appear above it, so use the next one as the anchor. */
  #replaceFirstRowAnchor() {
    const anchor = this.#anchor;
    const next = this.#rows.get(this.#ids[1]);
    if (!anchor || !next || anchor.row.id !== this.#ids[0]) return;
    this.#anchor = { row: next, top: anchor.top + this.#topOf(next.article) - this.#topOf(anchor.row.article) };
  }

  /** @returns {boolean} whether rows were added or removed */
  #moveWindow() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const room = 2 * clientHeight;
    let range = this.#range;
    if (scrollTop < room && range.from > 0) {
      range = shiftedRange(range, this.#ids.length, -1, STEP, this.#maxRows);
    } else if (scrollHeight - clientHeight - scrollTop < room && range.to < this.#ids.length) {
      range = shiftedRange(range, this.#ids.length, 1, STEP, this.#maxRows);
    }
    if (range.from === this.#range.from && range.to === this.#range.to) return false;
    const anchor = this.#anchor;
    if (anchor) anchor.top = this.#topOf(anchor.row.article);
    this.#range = range;
    this.#draw();
    this.#scrollToAnchor();
    return true;
  }

  #requestMore() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    if (this.#range.from < STEP && scrollTop < 3 * clientHeight) this.#callbacks.needOlder();
    if (this.#ids.length - this.#range.to < STEP && scrollHeight - clientHeight - scrollTop < 3 * clientHeight)
      this.#callbacks.needNewer();
  }

  /** Add, remove and redraw rows until the document holds those of the window.
   * @param {Set<number>} [changed] the messages that may look different; without it, all of them */
  #draw(changed) {
    const drawn = this.drawn;
    const wanted = new Set(drawn);
    for (const [id, row] of this.#rows) {
      if (wanted.has(id)) continue;
      for (const node of row.nodes) node.remove();
      this.#rows.delete(id);
    }
    let next = /** @type {ChildNode | null} */ (this.#feed.firstChild);
    /** @type {HTMLElement[]} */
    const added = [];
    drawn.forEach((id, at) => {
      const before = this.#ids[this.#range.from + at - 1];
      let row = this.#rows.get(id);
      const isSame = row && changed && row.before === before && !changed.has(id) && !changed.has(before ?? 0);
      const signature = isSame && row ? row.signature : this.#renderer.signature(id, before);
      if (row && row.signature !== signature) {
        row = this.#redraw(row, signature, before, next);
        next = row.nodes[0];
      }
      if (!row) {
        const nodes = this.#renderer.draw(id, before);
        row = { id, before, signature, nodes, article: nodes[nodes.length - 1] };
        this.#rows.set(id, row);
        added.push(row.article);
      }
      row.before = before;
      for (const node of row.nodes) {
        if (node === next) next = next.nextSibling;
        else this.#feed.insertBefore(node, next);
      }
    });
    this.#renderer.clip(added);
    // Removing the focused row makes the browser lay out, with rows missing, and scroll: the person did not scroll.
    this.#lastTop = this.#scroller.scrollTop;
  }

  /** Redraw a row. If the focus is in it, it stays there.
   * @param {Row} row
   * @param {string} signature
   * @param {number | undefined} before
   * @param {ChildNode | null} next
   * @returns {Row} */
  #redraw(row, signature, before, next) {
    const nodes = this.#renderer.draw(row.id, before);
    const article = nodes[nodes.length - 1];
    const focus = row.article.contains(document.activeElement) ? document.activeElement : null;
    const path = focus ? elementPath(row.article, focus) : null;
    article.tabIndex = row.article.tabIndex;
    this.#feed.insertBefore(article, row.nodes.includes(/** @type {HTMLElement} */ (next)) ? next : row.nodes[0]);
    for (const node of nodes.slice(0, -1)) this.#feed.insertBefore(node, article);
    const drawn = { id: row.id, before, signature, nodes, article };
    if (this.#anchor?.row === row) this.#anchor.row = drawn;
    this.#renderer.clip([article]);
    for (const node of row.nodes) node.remove();
    this.#rows.set(row.id, drawn);
    if (path) (elementAtPath(article, path) ?? article).focus({ preventScroll: true });
    return drawn;
  }

  /** @param {HTMLElement} element
   * @returns {number} pixels below the upper edge of the view */
  #topOf(element) {
    return element.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top;
  }
}

/** Enough rows to fill the window, even if all are short. */
function initialRows() {
  return Math.max(MIN_ROWS, Math.ceil(innerHeight / MIN_ROW_HEIGHT_PX) - 4);
}

function hasSelection() {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed;
}
