/** Initializes all stores from a snapshot, at the start and after the event queue was lost. */

import { initChannels } from "./channels.js";
import { initDirectMessages } from "./direct_messages.js";
import { initSession } from "./session.js";
import { initPeople } from "./people.js";
import { initPresence } from "./presence.js";
import { initRecentContacts } from "./recent_contacts.js";
import { initTopics } from "./topics.js";
import { initUnread } from "./unread.js";

/** @param {import("./types.d.ts").Snapshot} snapshot */
export function initStores(snapshot) {
  initSession(snapshot);
  initPeople(snapshot);
  initPresence(snapshot);
  initChannels(snapshot);
  initTopics(snapshot);
  initUnread(snapshot);
  initDirectMessages(snapshot);
  initRecentContacts(snapshot);
}
