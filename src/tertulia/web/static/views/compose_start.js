/** Starts what the compose box needs: the local store, drafts and the outbox. */

import { deleteDatabases } from "../core/account_data.js";
import { saveCompose } from "./compose.js";
import { initDrafts } from "../state/drafts.js";
import { state, myId } from "../state/session.js";
import { openOutbox, wakeOutbox, confirmByKey } from "../sync/outbox.js";
import { openLocalStore } from "../core/local_store.js";
import { pageScope } from "../core/scope.js";

export async function startCompose() {
  deleteDatabases(myId()).catch(() => {});
  await openLocalStore(myId());
  await initDrafts(state);
  await openOutbox();
  pageScope.on("reset", () => initDrafts(state));
  pageScope.on("messageArrived", (message) => confirmByKey(message.local_message_id, message.id));
  pageScope.on("connection", wakeOutbox);
  pageScope.listen(window, "pagehide", saveCompose);
  pageScope.listen(window, "visibilitychange", saveCompose);
}
