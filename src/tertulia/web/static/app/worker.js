/** The service worker: it keeps the page for times without a connection. */

import { ownScript } from "./html.js";
import { isSpectator } from "./me.js";

export function startWorker() {
  if (!("serviceWorker" in navigator) || isSpectator()) return;
  navigator.serviceWorker.register(ownScript("/sw.js")).catch(() => {}); // not over plain http
}
