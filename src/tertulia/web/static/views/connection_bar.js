/** The bar under the header that shows the state of the connection. It is always there for assistive
 * technology, and visible only when something is wrong. */

import { watchLogout } from "../core/account_data.js";
import { h, icon, setChildren } from "../core/html.js";
import { t } from "../core/i18n.js";
import { pageScope } from "../core/scope.js";
import { connectionState, setConnection } from "../state/connection.js";
import { region } from "./layout.js";

/** @type {() => void} */
let retryNow = () => {};

/** Show every change of the connection from now on. */
export function watchConnection() {
  pageScope.on("connection", drawBar);
}

/** @param {() => void} retry what the button of the bar does */
export function startConnectionBar(retry) {
  retryNow = retry;
  watchLogout(() => setConnection("logged-out"));
  drawBar();
}

function drawBar() {
  const state = connectionState();
  const bar = region(".bar");
  const isQuiet = state === "live" || state === "connecting";
  bar.classList.toggle("quiet-bar", isQuiet);
  bar.dataset.state = state;
  setChildren(
    bar,
    !isQuiet && icon(state === "newer" ? "later" : "off"),
    h("span", {}, t(`connection.${state}`)),
    barButton(),
  );
}

function barButton() {
  const state = connectionState();
  if (["reconnecting", "offline", "unreachable"].includes(state))
    return h("button", { class: "b", type: "button", onclick: () => retryNow() }, t("connection.try-now"));
  if (state === "newer")
    return h("button", { class: "b", type: "button", onclick: () => location.reload() }, t("connection.reload"));
  if (state === "logged-out")
    return h(
      "a",
      { class: "b", href: `/login/?next=${encodeURIComponent(`/${location.hash}`)}` },
      t("spectator.log-in"),
    );
  return null;
}
