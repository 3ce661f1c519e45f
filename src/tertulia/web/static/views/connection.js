/** Whether the server is heard, in words that one can read: one bar under the head, always there for
 * assistive technology and seen only when there is something to say. */

import { deleteAccountData, watchLogout } from "../core/account_data.js";
import { fill, h, icon } from "../core/html.js";
import { tell } from "../core/signals.js";
import { part } from "./layout.js";
import { say } from "../core/i18n.js";

/** @typedef {"connecting" | "live" | "reconnecting" | "offline" | "logged-out" | "newer"} State */

/** @type {State} */
let state = "connecting";
/** @type {() => void} */
let tryNow = () => {};

/** @param {() => void} retry what the button does */
export function startConnection(retry) {
  tryNow = retry;
  watchLogout(() => setConnection("logged-out"));
  drawBar();
}

/** @param {State} now */
export function setConnection(now) {
  if (state === now || (state === "newer" && now === "live")) return;
  state = now;
  if (state === "logged-out") deleteAccountData();
  drawBar();
  tell("connection", state);
}

function drawBar() {
  const bar = part(".bar");
  const isQuiet = state === "live" || state === "connecting";
  bar.classList.toggle("quiet-bar", isQuiet);
  bar.dataset.state = state;
  fill(bar, !isQuiet && icon(state === "newer" ? "later" : "off"), h("span", {}, say(`connection.${state}`)), button());
}

function button() {
  if (state === "reconnecting" || state === "offline") return h("button", { class: "b", type: "button", onclick: () => tryNow() }, say("connection.try-now"));
  if (state === "newer") return h("button", { class: "b", type: "button", onclick: () => location.reload() }, say("connection.reload"));
  if (state === "logged-out") return h("a", { class: "b", href: `/login/?next=${encodeURIComponent(`/${location.hash}`)}` }, say("spectator.log-in"));
  return null;
}
