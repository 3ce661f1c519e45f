/** Starts what the compose box needs: the local store, drafts and the outbox. */

import { deleteDatabases } from "../core/account_data.js";
import { saveCompose } from "./compose.js";
import { initDrafts } from "../state/drafts.js";
import { state, myId } from "../state/session.js";
import { openOutbox, wakeOutbox, confirmByKey } from "../sync/outbox.js";
import { openLocalStore } from "../core/local_store.js";
import { on } from "../core/signals.js";

export async function startCompose() {
  deleteDatabases(myId()).catch(() => {});
  await openLocalStore(myId());
  await initDrafts(state);
  await openOutbox();
  on("reset", () => initDrafts(state));
  on("messageArrived", (message) => confirmByKey(message.local_message_id, message.id));
  on("connection", wakeOutbox);
  addEventListener("pagehide", saveCompose);
  addEventListener("visibilitychange", saveCompose);
}
