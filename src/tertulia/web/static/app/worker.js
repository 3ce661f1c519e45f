/** The service worker: it keeps the page for times without a connection, and hears what is pushed. */

import { ownScript } from "./html.js";
import { isSpectator } from "./me.js";

export function startWorker() {
  if (!("serviceWorker" in navigator) || isSpectator()) return;
  navigator.serviceWorker.register(ownScript("/sw.js")).catch(() => {}); // not over plain http
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (typeof data?.hash === "string" && data.hash.startsWith("#")) location.hash = data.hash; // a notification was pressed
  });
}
