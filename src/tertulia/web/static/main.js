/** The entry of the page: initializes the stores from the snapshot that the server put into the page, then
 * shows the first view.
 *
 * On a phone that shows messages, the first view is drawn before the interactive chunk is loaded. Elsewhere the
 * sidebar is part of the first view, so the page waits for that chunk. */

import { loadAccountValues } from "./core/account_values.js";
import { lazy } from "./core/lazy.js";
import { watchErrors } from "./core/page_errors.js";
import { startRouter } from "./core/router.js";
import { t } from "./core/i18n.js";
import { afterPaint, on } from "./core/signals.js";
import { setConnection } from "./state/connection.js";
import { watchInstallOffer } from "./state/installation.js";
import { isDense } from "./state/density.js";
import { parseRoute } from "./state/routes.js";
import { isSpectator, myId, setting } from "./state/session.js";
import { initStores } from "./state/stores.js";
import { listenForCommands } from "./views/commands.js";
import { startCompose } from "./views/compose_start.js";
import { watchConnection } from "./views/connection_bar.js";
import { failedState, isPhone, resetBody, resetFooter, setHeader } from "./views/layout.js";
import { showMessageView } from "./views/message_view.js";
import { setViewTitle } from "./views/title.js";
import { routeTitle } from "./views/view_header.js";

/** @typedef {import("./core/router.js").ShowView} ShowView */

const MAX_FIRST_VIEW_MS = 1000; // the page starts its other parts after this time, drawn or not
const RELOAD_MS = 3000;

/** @type {Record<string, ShowView>} */
const VIEWS = {
  talk: showMessageView,
  inbox: async (route, scope) => show(await lazy("interactive", "showInbox"), route, scope),
  recent: async (route, scope) => show(await lazy("lists", "showRecent"), route, scope),
  topics: async (route, scope) => show(await lazy("lists", "showTopics"), route, scope),
  search: async (route, scope) => show(await lazy("lists", "showSearch"), route, scope),
};

start();

async function start() {
  watchErrors();
  watchInstallOffer();
  watchConnection();
  const data = document.getElementById("state");
  const snapshot = JSON.parse(data?.textContent ?? "null");
  data?.remove();
  if (!snapshot) return reloadSoon();
  initStores(snapshot);
  applyPreferences();
  on("settings", applyPreferences);
  listenForCommands();
  const interactive = Promise.withResolvers();
  const drafts = isSpectator() ? undefined : startCompose(); // the compose box opens with the draft in it
  const isMessagesFirst = isPhone() && parseRoute(location.hash).view === "talk";
  if (!isMessagesFirst) interactive.resolve(await loadInteractive());
  const drawn = startRouter(
    {
      parse: parseRoute,
      views: VIEWS,
      openDialog: loadDialogRoute,
      setTitle: (route) => setViewTitle(routeTitle(route)),
      showFailure,
    },
    Promise.all([drafts, interactive.promise]),
  );
  await Promise.race([drawn, new Promise((resolve) => setTimeout(resolve, MAX_FIRST_VIEW_MS))]);
  afterPaint(async () => {
    if (isMessagesFirst) interactive.resolve(await loadInteractive());
    (await lazy("interactive", "startBackground"))();
  });
}

/** Load the interactive chunk and handle input. */
async function loadInteractive() {
  const [bindInput] = await Promise.all([
    lazy("interactive", "bindInput").catch(reloadSoon),
    loadAccountValues(myId()),
  ]);
  bindInput?.();
}

/** The page came without a snapshot or a chunk did not load: try again. */
function reloadSoon() {
  setConnection("reconnecting");
  setTimeout(() => location.reload(), RELOAD_MS);
}

function applyPreferences() {
  const root = document.documentElement;
  if (isDense()) root.dataset.density = "compact";
  else delete root.dataset.density;
  const scheme = setting("color_scheme");
  if (scheme === 2 || scheme === 3) root.dataset.theme = scheme === 2 ? "dark" : "light";
  else delete root.dataset.theme;
  const size = setting("web_font_size_px");
  if (size && size !== 16) root.style.setProperty("font-size", `${(100 * size) / 16}%`);
  else root.style.removeProperty("font-size");
}

/** Show a view whose chunk is loaded, unless another view was opened meanwhile.
 * @param {(route: import("./state/routes.js").Route, scope: import("./core/scope.js").Scope) =>
 *   Promise<import("./core/router.js").View>} view
 * @param {import("./state/routes.js").Route} route
 * @param {import("./core/scope.js").Scope} scope */
async function show(view, route, scope) {
  return scope.isClosed ? {} : view(route, scope);
}

/** A view could not be loaded.
 * @param {() => void} retry */
function showFailure(retry) {
  setHeader({ title: "", isHome: true });
  resetBody(failedState(t("connection.no-answer"), retry));
  resetFooter();
}

/** @param {import("./state/routes.js").Route} route
 * @param {() => boolean} isCurrent */
async function loadDialogRoute(route, isCurrent) {
  const showDialogRoute = await lazy("dialogs", "showDialogRoute");
  if (isCurrent()) showDialogRoute(route, isCurrent);
}
