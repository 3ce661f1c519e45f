/** The page as an installed app: whether it is one, and the browser's offer to install it. */

import { emit } from "../core/signals.js";

/** @typedef {Event & {prompt(): Promise<{outcome: "accepted" | "dismissed"}>}} InstallOffer not in the types of
 *   browsers yet */

/** @type {InstallOffer | undefined} */
let offer;

/** The browser offers it once, some time after the page was loaded. */
export function watchInstallOffer() {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault(); // the page has a card of its own
    offer = /** @type {InstallOffer} */ (event);
    emit("installOffer");
  });
}

export function hasInstallOffer() {
  return offer !== undefined;
}

/** Show the dialog of the browser. An offer is good for one time.
 * @returns {Promise<boolean>} whether the person has agreed */
export async function acceptInstallOffer() {
  const choice = await offer?.prompt();
  offer = undefined;
  return choice?.outcome === "accepted";
}
