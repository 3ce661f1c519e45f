/** Whether the page can reach the server. */

import { deleteAccountData } from "../core/account_data.js";
import { emit } from "../core/signals.js";

/** @typedef {"connecting" | "live" | "reconnecting" | "offline" | "unreachable" | "logged-out" | "newer"}
 *   ConnectionState `offline`: this computer has no network; `unreachable`: the server does not answer; `newer`:
 *   connected, and the server has a newer version of the page */

/** @type {ConnectionState} */
let connection = "connecting";

export function connectionState() {
  return connection;
}

/** @param {ConnectionState} next */
export function setConnection(next) {
  if (connection === next || (connection === "newer" && next === "live")) return;
  connection = next;
  if (connection === "logged-out") deleteAccountData();
  emit("connection", connection);
}
