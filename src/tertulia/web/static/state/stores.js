/** What the server tells at the start, or again later, and who has to know of it. */

import { learnChannels } from "./channels.js";
import { learnDirects } from "./direct_messages.js";
import { learnMe } from "./session.js";
import { learnPeople } from "./people.js";
import { learnPresence } from "./presence.js";
import { learnTopics } from "./topics.js";
import { learnUnread } from "./unread.js";

/** @param {Record<string, any>} state a register answer */
export function learnAll(state) {
  learnMe(state);
  learnPeople(state);
  learnPresence(state);
  learnChannels(state);
  learnTopics(state);
  learnUnread(state);
  learnDirects(state);
}
