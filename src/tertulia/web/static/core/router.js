/** Which view is shown for which address, and coming back to where one was. */

import { keepForTab } from "./account_data.js";
import { conversationHash, conversationIn } from "../state/narrow.js";
import { fullTitle, isInChannel } from "../state/conversations.js";
import { lazy } from "./lazy.js";
import { viewName } from "../views/view_header.js";
import { OVER, parsePlace } from "../state/routes.js";
import { on, tell } from "./signals.js";
import { openTalk, showTalk } from "../views/message_view.js";
import { channelName } from "../state/channels.js";
import { setViewTitle } from "../views/title.js";
import { say } from "./i18n.js";

/** @typedef {import("../state/routes.js").Place} Place */
/** @typedef {import("../views/message_view.js").View} View */

/** @type {Record<string, (place: Place, kept: any) => Promise<View>>} */
const views = {
  talk: showTalk,
  inbox: fromInteractive("showInbox"),
  recent: fromInteractive("showRecent"),
  topics: fromInteractive("showTopics"),
  search: fromInteractive("showSearch"),
};

/** @type {View | null} */
let view = null;
/** @type {Place | null} */
let shown = null;
let turn = 0;
/** @type {Promise<unknown>} */
let listening;
let cameFromOutside = false; // to what is shown over a view, by a link or a reload
let above = 0; // how many entries of the history ago the view was left for what is shown over it
/** @type {(place: Place) => void} */
let openOver = () => {};

/** @param {(place: Place) => void} over opens what is shown over a view: settings and the like
 * @param {Promise<unknown>} ready until then the page does not listen, or a box waits for what stood in it
 * @returns {Promise<void>} until the first view is drawn */
export async function startRouter(over, ready) {
  openOver = over;
  listening = ready;
  addEventListener("hashchange", (event) => route(new URL(event.newURL).hash));
  addEventListener("pagehide", keepPlace);
  document.addEventListener("visibilitychange", () => { if (document.hidden) keepPlace(); });
  history.scrollRestoration = "manual";
  on("relocated", followMove);
  await route(location.hash);
}

/** @returns {Place | null} */
export function shownPlace() {
  return shown;
}

/** Show the present place anew. */
export async function reshow() {
  keepPlace();
  const place = shown;
  shown = null;
  if (place) await show(place, true);
}

/** What was shown over the view is closed: the address is that of the view again. */
export function leaveOver() {
  if (cameFromOutside) location.replace(shown?.hash ?? "#");
  else history.go(-above);
}

/** The focus goes to what the view shows. */
export function focusView() {
  view?.focus?.();
}

/** The conversation that is open was renamed or moved: its view goes with it.
 * @param {Record<string, any>} event */
function followMove(event) {
  const here = shown?.conversation;
  if (!here || !isInChannel(here) || here.channel !== event.stream_id) return;
  if (here.topic.toLowerCase() !== String(event.orig_subject ?? here.topic).toLowerCase()) return;
  if (openTalk()?.listing.ids.length) return; // some of it has stayed
  const moved = { channel: event.new_stream_id ?? event.stream_id, topic: event.subject ?? here.topic };
  location.replace(conversationHash(moved));
}

/** @param {string} hash where one went; by now one may have gone on, and is told of that as well */
async function route(hash) {
  const place = parsePlace(hash);
  if (OVER.has(place.view)) {
    cameFromOutside ||= !shown;
    if (!shown) await show(parsePlace("#"));
    if (hash !== location.hash) return;
    above = history.state?.above ?? above + 1; // one thing over a view may lead to another
    history.replaceState({ above }, "");
    openOver(place);
    return;
  }
  cameFromOutside = false;
  above = 0;
  await show(place);
}

/** @param {Place} place
 * @param {boolean} [stays] whether one is there already */
async function show(place, stays = false) {
  if (shown && shown.hash === place.hash && place.hash) return;
  const own = ++turn;
  keepPlace();
  view?.close();
  view = null;
  shown = place;
  tell("place", place);
  setViewTitle(titleOfPlace(place));
  const kept = place.near ? undefined : readKept(place.hash);
  const opened = await views[place.view](place, kept && { ...kept, stays: stays || own === 1 });
  if (own !== turn) return opened.close();
  view = opened;
  listening.then(() => {
    if (own === turn) document.body.dataset.ready = place.view;
  });
  return undefined;
}

/** @param {string} name of an export of the interactive chunk
 * @returns {(place: Place, kept: any) => Promise<View>} */
function fromInteractive(name) {
  return async (place, kept) => (await lazy("interactive", name))(place, kept);
}

/** @param {Place} place */
function titleOfPlace(place) {
  const conversation = conversationIn(place.terms);
  if (conversation && place.view === "talk") return fullTitle(conversation);
  if (place.channel) return channelName(place.channel);
  if (place.view === "talk") return say(viewName(place.terms));
  return say(`view.${place.view}`);
}

/** Remember where one is, for a reload and for coming back. */
function keepPlace() {
  const talk = openTalk();
  if (!shown || !talk?.listing.isOpen) return;
  const place = talk.keptPlace();
  const kept = /** @type {[string, any][]} */ (JSON.parse(sessionStorage.getItem("places") ?? "[]")).filter(([hash]) => hash !== shown?.hash);
  if (place) kept.push([shown.hash, place]);
  keepForTab("places", JSON.stringify(kept.slice(-50)));
}

/** @param {string} hash */
function readKept(hash) {
  const kept = /** @type {[string, any][]} */ (JSON.parse(sessionStorage.getItem("places") ?? "[]"));
  return kept.find(([each]) => each === hash)?.[1];
}
