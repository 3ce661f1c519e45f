/** Whether the server is heard, in words that one can read: one bar under the head, always there for
 * assistive technology and seen only when there is something to say. */

import { deleteAccountData, watchLogout } from "../core/account_data.js";
import { setChildren, h, icon } from "../core/html.js";
import { emit } from "../core/signals.js";
import { region } from "./layout.js";
import { t } from "../core/i18n.js";

/** @typedef {"connecting" | "live" | "reconnecting" | "offline" | "logged-out" | "newer"} ConnectionState */

/** @type {ConnectionState} */
let connection = "connecting";
/** @type {() => void} */
let retryNow = () => {};

/** @param {() => void} retry what the button does */
export function startConnectionBar(retry) {
  retryNow = retry;
  watchLogout(() => setConnection("logged-out"));
  drawBar();
}

/** @param {ConnectionState} now */
export function setConnection(now) {
  if (connection === now || (connection === "newer" && now === "live")) return;
  connection = now;
  if (connection === "logged-out") deleteAccountData();
  drawBar();
  emit("connection", connection);
}

function drawBar() {
  const bar = region(".bar");
  const isQuiet = connection === "live" || connection === "connecting";
  bar.classList.toggle("quiet-bar", isQuiet);
  bar.dataset.state = connection;
  setChildren(bar, !isQuiet && icon(connection === "newer" ? "later" : "off"), h("span", {}, t(`connection.${connection}`)), barButton());
}

function barButton() {
  if (connection === "reconnecting" || connection === "offline") return h("button", { class: "b", type: "button", onclick: () => retryNow() }, t("connection.try-now"));
  if (connection === "newer") return h("button", { class: "b", type: "button", onclick: () => location.reload() }, t("connection.reload"));
  if (connection === "logged-out") return h("a", { class: "b", href: `/login/?next=${encodeURIComponent(`/${location.hash}`)}` }, t("spectator.log-in"));
  return null;
}
