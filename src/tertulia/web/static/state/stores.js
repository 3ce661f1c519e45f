/** What the server tells at the start, or again later, and who has to know of it. */

import { initChannels } from "./channels.js";
import { initDirectMessages } from "./direct_messages.js";
import { initSession } from "./session.js";
import { initPeople } from "./people.js";
import { initPresence } from "./presence.js";
import { initTopics } from "./topics.js";
import { initUnread } from "./unread.js";

/** @param {Record<string, any>} snapshot a register answer */
export function initStores(snapshot) {
  initSession(snapshot);
  initPeople(snapshot);
  initPresence(snapshot);
  initChannels(snapshot);
  initTopics(snapshot);
  initUnread(snapshot);
  initDirectMessages(snapshot);
}
