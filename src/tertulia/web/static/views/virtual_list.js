/** The list of messages on the page: a window of rows, and the promise that what one reads stays
 * where it is, whatever grows, arrives, goes or is edited around it.
 *
 * The anchor is the first row that begins inside the view (a row cut by the upper edge can grow
 * itself), and how far from the edge it is. Whenever something changes its place is restored before
 * it is painted. A scroll event must not take a new anchor before it has restored the old one: the
 * event may come from our own correction, and a growth that happened meanwhile would be lost.
 * Browsers' own anchoring is switched off; Safari has none. */

import { followPath, pathTo } from "../core/html.js";
import { placeOf } from "../state/message_lists.js";
import { isPhone } from "./layout.js";
import { around, followed, moved } from "../state/row_window.js";

/** @typedef {{id: number, signature: string, nodes: HTMLElement[], article: HTMLElement}} Row */
/** @typedef {{signature(id: number, before: number | undefined): string,
 *   draw(id: number, before: number | undefined): HTMLElement[]}} Drawing the article is the last node */
/** @typedef {{needOlder(): void, needNewer(): void, scrolled(): void}} Wishes */

const STEP = 20;
const FEWEST_ROWS = 30;
const LOWEST_ROW = 24; // pixels
const MOST_ROWS = 240;
const MOST_TALL_ROWS = 150; // where most rows have a bar above them
const MOST_ON_PHONES = 120;
const END = 4; // pixels from the end that still count as the end

export class MessageList {
  #isMixed;
  #scroller;
  #feed;
  #drawing;
  #wishes;
  /** @type {Map<number, Row>} */
  #rows = new Map();
  /** @type {number[]} */
  #ids = [];
  #range = { from: 0, to: 0 };
  /** @type {{row: Row, top: number} | null} */
  #anchor = null;
  #lastTop = 0;
  #sticks = false; // whether it stays at the end when something comes
  #hasNewest = false;
  #observer;

  /** @param {HTMLElement} scroller
   * @param {HTMLElement} feed
   * @param {Drawing} drawing
   * @param {Wishes} wishes
   * @param {boolean} isMixed whether messages of several conversations stand in it */
  constructor(scroller, feed, drawing, wishes, isMixed) {
    this.#isMixed = isMixed;
    this.#scroller = scroller;
    this.#feed = feed;
    this.#drawing = drawing;
    this.#wishes = wishes;
    scroller.addEventListener("scroll", () => this.#onScroll(), { passive: true });
    this.#observer = new ResizeObserver(() => this.#restore());
    this.#observer.observe(feed);
    this.#observer.observe(scroller);
  }

  /** How many rows may be in the document. */
  get #size() {
    if (isPhone()) return MOST_ON_PHONES;
    return this.#isMixed ? MOST_TALL_ROWS : MOST_ROWS;
  }

  get isAtEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    return this.#showsNewest && scrollHeight - clientHeight - scrollTop < END;
  }

  get #showsNewest() {
    return this.#hasNewest && this.#range.to === this.#ids.length;
  }

  /** Show a list at a place.
   * @param {number[]} ids
   * @param {boolean} hasNewest
   * @param {number | undefined} id the message to show
   * @param {number | "end" | "middle"} where pixels from the upper edge, or the end of the list */
  show(ids, hasNewest, id, where) {
    this.#ids = ids;
    this.#hasNewest = hasNewest;
    const rows = firstRows(); // as many as are seen; the others come when there is time
    const at = id === undefined ? ids.length : placeOf(ids, id);
    this.#range = around(ids.length, at + (where === "middle" ? rows >> 3 : rows >> 2), rows);
    this.#sticks = where === "end" && hasNewest;
    this.#draw();
    const row = id === undefined ? undefined : this.#rows.get(id);
    if (this.#sticks || !row) this.#scroller.scrollTop = this.#scroller.scrollHeight;
    else this.#scroller.scrollTop += this.#topOf(row.nodes[0]) - (typeof where === "number" ? where : this.#scroller.clientHeight / 3);
    this.#lastTop = this.#scroller.scrollTop;
    this.#takeAnchor();
    this.#sticks = this.isAtEnd;
    requestAnimationFrame(() => setTimeout(() => {
      if (this.#feed.isConnected) this.#fillWindow();
    }));
  }

  /** Draw more rows than are seen, so that scrolling finds them there. */
  #fillWindow() {
    this.#heedScroll();
    if (!this.#sticks) {
      if (this.#moveWindow()) this.#soonAgain();
    } else {
      this.#range.from = Math.max(0, this.#range.to - 2 * firstRows());
      this.#draw();
      this.#restore();
    }
    this.#askForMore();
  }

  /** The list has changed, or what its rows look like: bring them up to date and keep the place.
   * @param {number[]} ids
   * @param {boolean} hasNewest */
  update(ids, hasNewest) {
    const hadNewest = this.#showsNewest;
    this.#heedScroll();
    this.#leaveGoneAnchor(ids);
    if (ids[0] !== this.#ids[0]) this.#leaveFirstRow();
    const showedFirst = this.#range.from === 0;
    this.#range = followed(this.#ids, this.#range, ids, placeOf);
    if (showedFirst) this.#range.from = Math.max(0, this.#range.from - STEP); // something to scroll back into
    this.#ids = ids;
    this.#hasNewest = hasNewest;
    // What arrives behind the last row is drawn, and while one reads the end the start lets go.
    if (hadNewest || this.#range.to === 0) this.#range.to = ids.length;
    const excess = this.#range.to - this.#range.from - this.#size;
    if (excess > 0) {
      if (this.#sticks) this.#range.from += excess;
      else this.#range.to -= excess;
    }
    this.#draw();
    this.#restore();
    if (this.#moveWindow()) this.#soonAgain(); // who waits at the upper edge cannot scroll to what has come
    this.#askForMore();
  }

  /** @param {number} id
   * @returns {HTMLElement | undefined} */
  articleOf(id) {
    return this.#rows.get(id)?.article;
  }

  /** The rows that are in the document, oldest first.
   * @returns {number[]} */
  get drawn() {
    return this.#ids.slice(this.#range.from, this.#range.to);
  }

  /** The place, to come back to it: a message and how far below the upper edge it begins.
   * @returns {{id?: number, top: number} | null} without a message at the end, which may move */
  get place() {
    if (this.#feed.isConnected && this.#scroller.scrollTop !== this.#lastTop) this.#onScroll(); // its event is on its way
    if (this.#sticks) return { top: 0 };
    return this.#anchor && { id: this.#anchor.row.id, top: Math.round(this.#anchor.top) };
  }

  /** Bring a row into view, if it is not.
   * @param {number} id
   * @returns {HTMLElement | undefined} */
  reveal(id) {
    if (!this.#rows.has(id)) {
      const at = placeOf(this.#ids, id);
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

  /** Change something around the list, and keep the place.
   * @param {() => void} change */
  keepPlace(change) {
    this.#heedScroll();
    change();
    this.#restore();
  }

  toEnd() {
    this.#range = around(this.#ids.length, this.#ids.length, this.#size);
    this.#draw();
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#sticks = this.#hasNewest;
    this.#lastTop = this.#scroller.scrollTop;
    this.#takeAnchor();
  }

  destroy() {
    this.#observer.disconnect();
  }

  #onScroll() {
    const { scrollTop } = this.#scroller;
    const step = scrollTop - this.#lastTop;
    if (this.#anchor) {
      this.#anchor.top -= step;
      this.#lastTop = scrollTop;
      if (!this.#sticks || step < 0) this.#toAnchor();
    }
    // The event may be of our own correction, and something may have grown since.
    this.#sticks = this.isAtEnd || (this.#sticks && step >= 0);
    if (this.#moveWindow()) this.#soonAgain();
    this.#takeAnchor();
    this.#askForMore();
    this.#wishes.scrolled();
  }

  /** Who scrolls far at once wants more rows than one step brings. */
  #soonAgain() {
    requestAnimationFrame(() => {
      if (this.#feed.isConnected) this.#onScroll();
    });
  }

  /** Somebody may have scrolled a moment ago, and the event that tells so is still on its way. At
   * the very end it may also be the browser, because the list has become shorter. */
  #heedScroll() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const step = scrollTop - this.#lastTop;
    if (Math.abs(step) < 1 || scrollHeight - clientHeight - scrollTop <= 1) return;
    if (this.#anchor) this.#anchor.top -= step;
    this.#lastTop = scrollTop;
    if (step < 0) this.#sticks = false;
  }

  /** Put things back where they were, after something has changed its size. */
  #restore() {
    this.#heedScroll();
    if (this.#sticks && !hasSelection() && !document.hidden) {
      this.#scroller.scrollTop = this.#scroller.scrollHeight;
      this.#takeAnchor();
    } else {
      this.#toAnchor();
      this.#sticks &&= this.isAtEnd;
    }
  }

  #toAnchor() {
    const anchor = this.#anchor;
    if (!anchor || !anchor.row.article.isConnected) return this.#takeAnchor();
    const off = this.#topOf(anchor.row.article) - anchor.top;
    if (Math.abs(off) >= 0.5) this.#scroller.scrollTop += off;
    this.#lastTop = this.#scroller.scrollTop;
    return undefined;
  }

  #takeAnchor() {
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

  /** If the anchor is no longer in the list, hold on to the next row that is.
   * @param {number[]} ids */
  #leaveGoneAnchor(ids) {
    const gone = this.#anchor?.row.id;
    if (gone === undefined || ids[placeOf(ids, gone)] === gone) return;
    const staying = this.drawn.filter((id) => ids[placeOf(ids, id)] === id);
    const row = this.#rows.get(staying[Math.min(placeOf(staying, gone), staying.length - 1)]);
    this.#anchor = row ? { row, top: this.#topOf(row.article) } : null;
  }

  /** The first row of all looks different once something stands above it: hold on to the next one. */
  #leaveFirstRow() {
    const anchor = this.#anchor;
    const next = this.#rows.get(this.#ids[1]);
    if (!anchor || !next || anchor.row.id !== this.#ids[0]) return;
    this.#anchor = { row: next, top: anchor.top + this.#topOf(next.article) - this.#topOf(anchor.row.article) };
  }

  /** @returns {boolean} whether rows have come or gone */
  #moveWindow() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const room = 2 * clientHeight;
    let range = this.#range;
    if (scrollTop < room && range.from > 0) {
      range = moved(range, this.#ids.length, -1, STEP, this.#size);
    } else if (scrollHeight - clientHeight - scrollTop < room && range.to < this.#ids.length) {
      range = moved(range, this.#ids.length, 1, STEP, this.#size);
    }
    if (range.from === this.#range.from && range.to === this.#range.to) return false;
    const anchor = this.#anchor;
    if (anchor) anchor.top = this.#topOf(anchor.row.article);
    this.#range = range;
    this.#draw();
    this.#toAnchor();
    return true;
  }

  #askForMore() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    if (this.#range.from < STEP && scrollTop < 3 * clientHeight) this.#wishes.needOlder();
    if (this.#ids.length - this.#range.to < STEP && scrollHeight - clientHeight - scrollTop < 3 * clientHeight) this.#wishes.needNewer();
  }

  /** Make the document hold the rows of the window, each as it should look. */
  #draw() {
    const drawn = this.drawn;
    const wanted = new Set(drawn);
    for (const [id, row] of this.#rows) {
      if (wanted.has(id)) continue;
      for (const node of row.nodes) node.remove();
      this.#rows.delete(id);
    }
    let next = /** @type {ChildNode | null} */ (this.#feed.firstChild);
    drawn.forEach((id, at) => {
      const before = this.#ids[this.#range.from + at - 1];
      const signature = this.#drawing.signature(id, before);
      let row = this.#rows.get(id);
      if (row && row.signature !== signature) {
        row = this.#redraw(row, signature, before, next);
        next = row.nodes[0];
      }
      if (!row) {
        const nodes = this.#drawing.draw(id, before);
        row = { id, signature, nodes, article: nodes[nodes.length - 1] };
        this.#rows.set(id, row);
      }
      for (const node of row.nodes) {
        if (node === next) next = next.nextSibling;
        else this.#feed.insertBefore(node, next);
      }
    });
  }

  /** A row that looks different now. If somebody's focus is in it, it stays there.
   * @param {Row} row
   * @param {string} signature
   * @param {number | undefined} before
   * @param {ChildNode | null} next
   * @returns {Row} */
  #redraw(row, signature, before, next) {
    const nodes = this.#drawing.draw(row.id, before);
    const article = nodes[nodes.length - 1];
    const focus = row.article.contains(document.activeElement) ? document.activeElement : null;
    const path = focus ? pathTo(row.article, focus) : null;
    article.tabIndex = row.article.tabIndex;
    this.#feed.insertBefore(article, row.nodes.includes(/** @type {HTMLElement} */ (next)) ? next : row.nodes[0]);
    for (const node of nodes.slice(0, -1)) this.#feed.insertBefore(node, article);
    const drawn = { id: row.id, signature, nodes, article };
    if (this.#anchor?.row === row) this.#anchor.row = drawn;
    for (const node of row.nodes) node.remove();
    this.#rows.set(row.id, drawn);
    if (path) (followPath(article, path) ?? article).focus({ preventScroll: true });
    return drawn;
  }

  /** @param {HTMLElement} element
   * @returns {number} pixels below the upper edge of the view */
  #topOf(element) {
    return element.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top;
  }
}

/** Rows that fill the window, however short they are. */
function firstRows() {
  return Math.max(FEWEST_ROWS, Math.ceil(innerHeight / LOWEST_ROW) - 4);
}

function hasSelection() {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed;
}
