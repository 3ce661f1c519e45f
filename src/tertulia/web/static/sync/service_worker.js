/** The service worker: it keeps the page for times without a connection, and hears what is pushed. */

import { scriptUrl } from "../core/html.js";
import { isSpectator } from "../state/session.js";

export function startServiceWorker() {
  if (!("serviceWorker" in navigator) || isSpectator()) return;
  navigator.serviceWorker.register(scriptUrl("/sw.js")).then(cacheOwnFiles).catch(() => {}); // not over plain http
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (typeof data?.hash === "string" && data.hash.startsWith("#")) location.hash = data.hash; // a notification was pressed
  });
}

/** The files of this page came before the worker did: it keeps them now, for times without a line. */
async function cacheOwnFiles() {
  const { active } = await navigator.serviceWorker.ready;
  const own = [...document.querySelectorAll("head [src], head [rel=stylesheet]")].map((each) => each.getAttribute("src") ?? each.getAttribute("href"));
  const { interactive, dialogs } = document.documentElement.dataset;
  active?.postMessage({ keep: [...own, interactive, dialogs] });
}
