/** A small organization for the tests: Ana, who looks at the page, Ben, Cleo, and two channels. */

import { forgetMessageLists } from "../../../src/tertulia/web/static/state/message_lists.js";
import { clearMessages } from "../../../src/tertulia/web/static/state/messages.js";
import { initStores } from "../../../src/tertulia/web/static/state/stores.js";

export const ANA = 1;
export const BEN = 2;
export const CLEO = 3;
export const KITCHEN = 10;
export const OFFICE = 11;

const PEOPLE = [[ANA, "Ana"], [BEN, "Ben Blue"], [CLEO, "Cleo"]].map(([user_id, full_name]) => ({ user_id, full_name, email: `${user_id}@x.org` }));
const CHANNELS = [[KITCHEN, "kitchen"], [OFFICE, "back office"]].map(([stream_id, name]) => ({ stream_id, name, description: "", is_archived: false, is_muted: false, folder_id: null }));

/** Initialize all stores; `more` are fields of the snapshot. */
export function start(more = {}) {
  forgetMessageLists();
  clearMessages();
  initStores({ user_id: ANA, realm_users: PEOPLE, subscriptions: CHANNELS.map((channel) => ({ ...channel })), user_settings: {}, realm_empty_topic_display_name: "general chat", ...more });
}

let lastId = 100;

/** A message in kitchen > lunch from Ben, or as `more` says. */
export function message(more = {}) {
  const id = more.id ?? ++lastId;
  return { id, type: "stream", stream_id: KITCHEN, subject: "lunch", display_recipient: "kitchen", sender_id: BEN, sender_full_name: "Ben Blue", content: "<p>Soup</p>", timestamp: 1000 + id,
    flags: [], reactions: [], submessages: [], topic_links: [], is_me_message: false, ...more };
}

/** A direct message between Ana and others. */
export function direct(others, more = {}) {
  const people = [ANA, ...others].map((id) => ({ id, email: "", full_name: "" }));
  return message({ type: "private", stream_id: undefined, subject: "", display_recipient: people, ...more });
}

/** Answer requests of the page: `respond` gets the path and the parameters, and returns the body. */
export function serve(respond) {
  const requests = [];
  globalThis.fetch = async (url, options = {}) => {
    const { pathname, searchParams } = new URL(url, location.href);
    const params = Object.fromEntries(options.body ?? searchParams);
    requests.push({ method: options.method, path: pathname, params });
    const body = await respond(pathname, params);
    return { ok: true, status: 200, json: async () => body };
  };
  return requests;
}
