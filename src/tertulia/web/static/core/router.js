/** Which view is shown for which address, and coming back to where one was. */

import { storeForTab } from "./account_data.js";
import { conversationHash, conversationIn } from "../state/narrow.js";
import { fullTitle, isInChannel } from "../state/conversations.js";
import { lazy } from "./lazy.js";
import { viewName } from "../views/view_header.js";
import { DIALOG_VIEWS, parseRoute } from "../state/routes.js";
import { on, emit } from "./signals.js";
import { currentMessageView, showMessageView } from "../views/message_view.js";
import { channelName } from "../state/channels.js";
import { setViewTitle } from "../views/title.js";
import { t } from "./i18n.js";

/** @typedef {import("../state/routes.js").Route} Route */
/** @typedef {import("../views/message_view.js").View} View */

/** @type {Record<string, (route: Route, saved: any) => Promise<View>>} */
const views = {
  talk: showMessageView,
  inbox: fromInteractive("showInbox"),
  recent: fromInteractive("showRecent"),
  topics: fromInteractive("showTopics"),
  search: fromInteractive("showSearch"),
};

/** @type {View | null} */
let view = null;
/** @type {Route | null} */
let shownRoute = null;
let navigations = 0;
/** @type {Promise<unknown>} */
let isReady;
let openedByAddress = false; // to what is shown over a view, by a link or a reload
let dialogDepth = 0; // how many entries of the history ago the view was left for what is shown over it
/** @type {(route: Route) => void} */
let openDialogRoute = () => {};

/** @param {(route: Route) => void} openDialog opens what is shown over a view: settings and the like
 * @param {Promise<unknown>} ready until then the page does not listen, or a box waits for what stood in it
 * @returns {Promise<void>} until the first view is drawn */
export async function startRouter(openDialog, ready) {
  openDialogRoute = openDialog;
  isReady = ready;
  addEventListener("hashchange", (event) => navigate(new URL(event.newURL).hash));
  addEventListener("pagehide", saveScrollPosition);
  document.addEventListener("visibilitychange", () => { if (document.hidden) saveScrollPosition(); });
  history.scrollRestoration = "manual";
  on("relocated", followMovedTopic);
  await navigate(location.hash);
}

/** @returns {Route | null} */
export function currentRoute() {
  return shownRoute;
}

/** Show the present place anew. */
export async function reloadView() {
  saveScrollPosition();
  const route = shownRoute;
  shownRoute = null;
  if (route) await showRoute(route, true);
}

/** What was shown over the view is closed: the address is that of the view again. */
export function closeDialogRoute() {
  if (openedByAddress) location.replace(shownRoute?.hash ?? "#");
  else history.go(-dialogDepth);
}

/** The focus goes to what the view shows. */
export function focusView() {
  view?.focus?.();
}

/** The conversation that is open was renamed or moved: its view goes with it.
 * @param {Record<string, any>} event */
function followMovedTopic(event) {
  const here = shownRoute?.conversation;
  if (!here || !isInChannel(here) || here.channel !== event.stream_id) return;
  if (here.topic.toLowerCase() !== String(event.orig_subject ?? here.topic).toLowerCase()) return;
  if (currentMessageView()?.messages.ids.length) return; // some of it has stayed
  const moved = { channel: event.new_stream_id ?? event.stream_id, topic: event.subject ?? here.topic };
  location.replace(conversationHash(moved));
}

/** @param {string} hash where one went; by now one may have gone on, and is told of that as well */
async function navigate(hash) {
  const route = parseRoute(hash);
  if (DIALOG_VIEWS.has(route.view)) {
    openedByAddress ||= !shownRoute;
    if (!shownRoute) await showRoute(parseRoute("#"));
    if (hash !== location.hash) return;
    dialogDepth = history.state?.above ?? dialogDepth + 1; // one thing over a view may lead to another
    history.replaceState({ above: dialogDepth }, "");
    openDialogRoute(route);
    return;
  }
  openedByAddress = false;
  dialogDepth = 0;
  await showRoute(route);
}

/** @param {Route} route
 * @param {boolean} [stays] whether one is there already */
async function showRoute(route, stays = false) {
  if (shownRoute && shownRoute.hash === route.hash && route.hash) return;
  const navigation = ++navigations;
  saveScrollPosition();
  view?.close();
  view = null;
  shownRoute = route;
  emit("place", route);
  setViewTitle(routeTitle(route));
  const saved = route.near ? undefined : savedScrollPosition(route.hash);
  const opened = await views[route.view](route, saved && { ...saved, stays: stays || navigation === 1 });
  if (navigation !== navigations) return opened.close();
  view = opened;
  isReady.then(() => {
    if (navigation === navigations) document.body.dataset.ready = route.view;
  });
  return undefined;
}

/** @param {string} name of an export of the interactive chunk
 * @returns {(route: Route, saved: any) => Promise<View>} */
function fromInteractive(name) {
  return async (route, saved) => (await lazy("interactive", name))(route, saved);
}

/** @param {Route} route */
function routeTitle(route) {
  const conversation = conversationIn(route.terms);
  if (conversation && route.view === "talk") return fullTitle(conversation);
  if (route.channel) return channelName(route.channel);
  if (route.view === "talk") return t(viewName(route.terms));
  return t(`view.${route.view}`);
}

/** Remember where one is, for a reload and for coming back. */
function saveScrollPosition() {
  const messageView = currentMessageView();
  if (!shownRoute || !messageView?.messages.isLoaded) return;
  const position = messageView.scrollPosition();
  const saved = /** @type {[string, any][]} */ (JSON.parse(sessionStorage.getItem("places") ?? "[]")).filter(([hash]) => hash !== shownRoute?.hash);
  if (position) saved.push([shownRoute.hash, position]);
  storeForTab("places", JSON.stringify(saved.slice(-50)));
}

/** @param {string} hash */
function savedScrollPosition(hash) {
  const saved = /** @type {[string, any][]} */ (JSON.parse(sessionStorage.getItem("places") ?? "[]"));
  return saved.find(([each]) => each === hash)?.[1];
}
