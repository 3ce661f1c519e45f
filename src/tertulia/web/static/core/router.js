/** Shows the view of the address behind `#`, and saves the scroll position of each address. The router knows
 * no view: `main.js` passes in the table of views and the parser of addresses. */

import { storeForTab } from "./account_data.js";
import { ChunkError } from "./lazy.js";
import { recordError } from "./page_errors.js";
import { Scope } from "./scope.js";
import { emit, on } from "./signals.js";

/** @typedef {import("../state/routes.js").Route} Route */
/** @typedef {{id?: number, top: number, stays?: boolean}} ScrollPosition a message and its distance from the upper
 *   edge; without a message, the end. `stays`: a reload, not a new visit */
/** @typedef {{focus?(): void, scrollPosition?(): ScrollPosition | null | undefined}} View
 *   `scrollPosition` returns undefined while there is none yet, null to delete the saved one */
/** @typedef {(route: Route, scope: Scope, saved: ScrollPosition | undefined) => Promise<View>} ShowView
 *   the scope ends when another view is shown, which may be before this one is; then the view draws nothing */
/** @typedef {{parse(hash: string): Route, views: Record<string, ShowView>, openDialog(route: Route, isCurrent: () =>
 *   boolean): void, setTitle(route: Route): void, showFailure(retry: () => void): void}} Config routes whose view is
 *   not in the table open a dialog over the view that is shown; `isCurrent` says whether no later navigation has
 *   happened. A view that fails, because its chunk does not load, is drawn by `showFailure` */

const STORAGE_KEY = "places"; // in the session storage; preload.js reads it
const MAX_POSITIONS = 50;

/** @type {Config} */
let config;
/** @type {View | null} */
let view = null;
/** @type {Route | null} */
let shownRoute = null;
let scope = new Scope(); // of the view
let isFirstView = true;
let hashChanges = 0; // to a view or a dialog
/** @type {Promise<unknown>} */
let ready;
let isDialogFirst = false; // whether a dialog's address was opened by a link or a reload
let dialogDepth = 0; // history entries between the view and the open dialog

/** @param {Config} routes
 * @param {Promise<unknown>} interactive resolves when the page handles input; `data-ready` is set then
 * @returns {Promise<void>} resolves when the first view is drawn */
export async function startRouter(routes, interactive) {
  config = routes;
  ready = interactive;
  addEventListener("hashchange", (event) => navigate(new URL(event.newURL).hash));
  addEventListener("pagehide", saveScrollPosition);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) saveScrollPosition();
  });
  history.scrollRestoration = "manual";
  await navigate(location.hash);
}

/** @returns {Route | null} */
export function currentRoute() {
  return shownRoute;
}

/** Show the current route again, at the same scroll position. */
export async function reloadView() {
  saveScrollPosition();
  const route = shownRoute;
  shownRoute = null;
  if (route) await showRoute(route, true);
}

/** Go to an address and run `then` when its view is built. A later navigation cancels it.
 * @param {string} hash
 * @param {() => void} then */
export function goTo(hash, then) {
  if (location.hash === hash) return then();
  const stop = on("route", (route) => {
    if (route.hash === hash || location.hash !== hash) stop(); // else the view of an earlier hash
    if (route.hash === hash) requestAnimationFrame(then);
  });
  location.hash = hash;
  return undefined;
}

/** A dialog was closed: go back to the address of the view below it. */
export function closeDialogRoute() {
  if (isDialogFirst) location.replace(shownRoute?.hash ?? "#");
  else history.go(-dialogDepth);
}

/** Something covers the view or the dialog, and going back is to close it: give it an entry in the history. */
export function pushCover() {
  if (dialogDepth) dialogDepth++;
  history.pushState({ above: dialogDepth || undefined, isCover: true }, "");
}

/** The person went back from a cover. */
export function popCover() {
  if (dialogDepth) dialogDepth--;
}

/** Move the focus into the view. */
export function focusView() {
  view?.focus?.();
}

/** @param {string} hash of the navigation; a later navigation may have happened already, and has its own call */
async function navigate(hash) {
  const route = config.parse(hash);
  const change = ++hashChanges;
  // an event of another hash may be on its way
  const isCurrent = () => change === hashChanges && hash === location.hash;
  if (!(route.view in config.views)) {
    isDialogFirst ||= !shownRoute;
    if (!shownRoute) await showRoute(config.parse("#"));
    if (!isCurrent()) return;
    dialogDepth = history.state?.above ?? dialogDepth + 1; // one dialog may lead to another
    history.replaceState({ above: dialogDepth }, "");
    config.openDialog(route, isCurrent);
    return;
  }
  isDialogFirst = false;
  dialogDepth = 0;
  await showRoute(route);
}

/** @param {Route} route
 * @param {boolean} [stays] whether the route is shown already */
async function showRoute(route, stays = false) {
  if (shownRoute && shownRoute.hash === route.hash && route.hash) return;
  saveScrollPosition();
  scope.close();
  const own = (scope = new Scope());
  view = null;
  shownRoute = route;
  emit("route", route);
  config.setTitle(route);
  const saved = route.near ? undefined : savedScrollPosition(route.hash);
  const isStaying = stays || isFirstView;
  isFirstView = false;
  try {
    const opened = await config.views[route.view](route, own, saved && { ...saved, stays: isStaying });
    if (!own.isClosed) view = opened;
  } catch (error) {
    if (!(error instanceof ChunkError)) recordError(error);
    if (!own.isClosed) config.showFailure(reloadView);
  }
  ready.then(() => {
    if (!own.isClosed) document.body.dataset.ready = route.view;
  });
}

function saveScrollPosition() {
  const position = view?.scrollPosition?.();
  if (!shownRoute || position === undefined) return;
  const { hash } = shownRoute;
  const others = savedPositions().filter(([each]) => each !== hash);
  if (position) others.push([hash, position]);
  storeForTab(STORAGE_KEY, JSON.stringify(others.slice(-MAX_POSITIONS)));
}

/** @param {string} hash */
function savedScrollPosition(hash) {
  return savedPositions().find(([each]) => each === hash)?.[1];
}

/** @returns {[string, ScrollPosition][]} by hash, oldest first */
function savedPositions() {
  return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "[]");
}
