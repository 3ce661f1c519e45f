/** The page: everything learns what the server has put into it, and then the first view is shown.
 *
 * On a phone that shows messages nothing else comes before them; the rest of the page is in a file
 * that follows. Elsewhere the sidebar is part of the first view, so that file is there already. */

import { listenForCommands } from "./views/commands.js";
import { setConnection } from "./views/connection.js";
import { isDense } from "./state/density.js";
import { lazy } from "./core/lazy.js";
import { initStores } from "./state/stores.js";
import { isSpectator, setting } from "./state/session.js";
import { parseRoute } from "./state/routes.js";
import { startRouter } from "./core/router.js";
import { afterPaint, on } from "./core/signals.js";
import { isPhone } from "./views/layout.js";
import { startCompose } from "./views/compose_commands.js";

const FIRST_VIEW_MS = 1000; // milliseconds for the first view, before the page listens all the same

start();

async function start() {
  const data = document.getElementById("state");
  const snapshot = JSON.parse(data?.textContent ?? "null");
  data?.remove();
  if (!snapshot) return reloadSoon();
  initStores(snapshot);
  applyPreferences();
  on("settings", applyPreferences);
  listenForCommands();
  const listening = Promise.withResolvers();
  const drafts = isSpectator() ? undefined : startCompose(); // what was written and not sent is in its box then
  const isHurried = isPhone() && parseRoute(location.hash).view === "talk";
  if (!isHurried) listening.resolve(await loadInteractive());
  const drawn = startRouter(loadDialogRoute, Promise.all([drafts, listening.promise]));
  await Promise.race([drawn, new Promise((resolve) => setTimeout(resolve, FIRST_VIEW_MS))]);
  afterPaint(async () => {
    if (isHurried) listening.resolve(await loadInteractive());
    (await lazy("interactive", "startBackground"))();
  });
}

/** @returns {Promise<void>} until the rest of the page is there, and does what is pressed */
async function loadInteractive() {
  const bindInput = await lazy("interactive", "bindInput").catch(reloadSoon);
  bindInput?.();
}

/** The server could not tell where things stand, or has not sent all of the page; a little later it may. */
function reloadSoon() {
  setConnection("reconnecting");
  setTimeout(() => location.reload(), 3000);
}

/** The person's taste. */
function applyPreferences() {
  if (isDense()) document.documentElement.dataset.density = "compact";
  else delete document.documentElement.dataset.density;
  const scheme = setting("color_scheme");
  const root = document.documentElement;
  if (scheme === 2 || scheme === 3) root.dataset.theme = scheme === 2 ? "dark" : "light";
  else delete root.dataset.theme;
  const size = setting("web_font_size_px");
  if (size && size !== 16) root.style.setProperty("font-size", `${(100 * size) / 16}%`);
  else root.style.removeProperty("font-size");
}

/** @param {import("./state/routes.js").Route} route */
async function loadDialogRoute(route) {
  const showDialogRoute = await lazy("dialogs", "showDialogRoute");
  if (location.hash === route.hash) showDialogRoute(route); // else one has gone on
}
