/** What makes the page an app on a phone: gestures, the way back, and room for the keyboard. */

import { pushCover, popCover } from "../core/router.js";
import { pageScope } from "../core/scope.js";
import { homeHash } from "../state/routes.js";
import { startGestures } from "./gestures.js";
import { isInstalled } from "./phone_card.js";

/** @typedef {import("../core/signal_types.d.ts").Cover} Cover */

export function startPhone() {
  startGestures();
  startWayBack();
  if (visualViewport) {
    pageScope.listen(visualViewport, "resize", fitKeyboard);
    pageScope.listen(visualViewport, "scroll", fitKeyboard);
  }
}

/** What covers the view, such as a menu: it has an entry in the history, and going back closes it. An entry that is
 * left over, because it was closed in another way, is skipped. */
function startWayBack() {
  /** @type {Cover[]} */
  let covers = [];
  let { hash } = location;
  let wasCover = isCover();
  if (isInstalled() && history.length === 1 && hash && hash !== homeHash()) {
    history.replaceState(null, "", homeHash()); // it was opened by a notification: going back leads home
    history.pushState(null, "", hash);
  }
  pageScope.on("covered", (cover) => {
    covers = [...covers.filter((each) => each.isOpen()), cover];
    if (!isCover()) pushCover();
    wasCover = true;
  });
  pageScope.listen(window, "popstate", () => {
    const isSameView = location.hash === hash;
    const isLeft = wasCover;
    ({ hash } = location);
    wasCover = isCover();
    covers = covers.filter((each) => each.isOpen());
    const top = isSameView ? covers.pop() : undefined;
    if (top) {
      popCover();
      top.close();
      if (covers.length) pushCover();
      wasCover = isCover();
    } else if (wasCover || (isSameView && isLeft)) history.back();
  });
  pageScope.listen(window, "hashchange", () => {
    ({ hash } = location);
    wasCover = isCover();
  });
}

function isCover() {
  return Boolean(history.state?.isCover);
}

/** iOS lays its keyboard over the page: end the page above it, and keep its head in view. */
function fitKeyboard() {
  const { height = innerHeight, offsetTop = 0, scale = 1 } = visualViewport ?? {};
  if (scale !== 1) return; // the person has zoomed
  const keyboard = Math.max(0, innerHeight - height);
  document.documentElement.style.setProperty("--keyboard", `${keyboard}px`);
  if (offsetTop) scrollTo(0, 0);
}
