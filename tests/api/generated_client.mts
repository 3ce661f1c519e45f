// Twenty calls with the types that openapi-typescript generates and the client openapi-fetch; run by
// its test: `node generated_client.mjs SITE EMAIL KEY`. It prints the events that it received.

import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

declare const process: { argv: string[] };

const [site, email, key] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl: site,
  headers: { Authorization: `Basic ${btoa(`${email}:${key}`)}` },
});

async function done<T>(answer: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const { data, error } = await answer;
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

function assert(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not so: ${what}`);
}

const me = await done(client.GET("/api/v1/users/me"));
const server = await done(client.GET("/api/v1/server_settings"));
assert(server.zulip_feature_level > 0, "the feature level");
const { members } = await done(client.GET("/api/v1/users"));
assert(members.some((each) => each.user_id === me.user_id), "one of the members");

await done(client.POST("/api/v1/users/me/subscriptions", {
  body: { subscriptions: [{ name: "cellar", description: "Cold things" }], principals: [me.user_id] },
}));
const { subscriptions } = await done(client.GET("/api/v1/users/me/subscriptions"));
const cellar = subscriptions.find((each) => each.name === "cellar")!;
const query = { include_all_active: false };
const { streams } = await done(client.GET("/api/v1/streams", { params: { query } }));
assert(streams.some((each) => each.stream_id === cellar.stream_id), "one of the channels");

const registered = await done(client.POST("/api/v1/register", {
  body: {
    event_types: ["message", "reaction", "update_message", "user_status", "user_group"],
    fetch_event_types: ["user_settings", "presence"],
    client_capabilities: { notification_settings_null: true },
    slim_presence: true,
  },
}));
assert(typeof registered.user_settings?.enter_sends === "boolean", "a typed setting");

const sent = await done(client.POST("/api/v1/messages", {
  body: { type: "channel", to: "cellar", topic: "lunch", content: "Soup's on" },
}));
await done(client.POST("/api/v1/messages", {
  body: { type: "channel", to: cellar.stream_id, topic: "lunch", content: "By id" },
}));
await done(client.POST("/api/v1/messages", {
  body: { type: "direct", to: [me.user_id], content: "To a list" },
}));
await done(client.POST("/api/v1/messages", {
  body: { type: "channel", to: "cellar", topic: "lunch", content: "In a form" },
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
}));

const narrow = JSON.stringify([{ operator: "channel", operand: cellar.stream_id }]);
const found = await done(client.GET("/api/v1/messages", {
  params: { query: { anchor: "newest", num_before: 10, num_after: 0, narrow } },
}));
assert(found.messages.length === 3, "three messages in the channel");

const path = { message_id: sent.id };
await done(client.POST("/api/v1/messages/{message_id}/reactions", {
  params: { path }, body: { emoji_name: "tada" },
}));
await done(client.PATCH("/api/v1/messages/{message_id}", {
  params: { path }, body: { content: "Soup is over" },
}));
const starred = await done(client.POST("/api/v1/messages/flags", {
  body: { messages: [sent.id], op: "add", flag: "starred" },
}));
assert(starred.messages[0] === sent.id, "the starred message");

const uploaded = await done(client.POST("/api/v1/user_uploads", {
  body: { file: "" },
  bodySerializer: () => {
    const form = new FormData();
    form.append("file", new Blob([new Uint8Array([0, 255, 112])]), "peas.bin");
    return form;
  },
}));
assert(uploaded.url.endsWith("peas.bin"), "the file");

await done(client.POST("/api/v1/drafts", {
  body: { drafts: [{ type: "stream", to: [cellar.stream_id], topic: "lunch", content: "Bread" }] },
}));
const { drafts } = await done(client.GET("/api/v1/drafts"));
assert(drafts.some((each) => each.content === "Bread"), "the draft");

await done(client.POST("/api/v1/users/me/status", { body: { status_text: "At lunch" } }));
const { status } = await done(client.GET("/api/v1/users/{user_id}/status", {
  params: { path: { user_id: me.user_id } },
}));
assert(status.status_text === "At lunch", "the status");
const { presences } = await done(client.POST("/api/v1/users/me/presence", {
  body: { status: "active", slim_presence: true },
}));
assert(presences !== undefined && String(me.user_id) in presences, "the presence");
await done(client.POST("/api/v1/user_groups/create", {
  body: { name: "divers", description: "", members: [me.user_id] },
}));

const { events } = await done(client.GET("/api/v1/events", {
  params: { query: { queue_id: registered.queue_id!, last_event_id: -1, dont_block: true } },
}));
await done(client.DELETE("/api/v1/events", { body: { queue_id: registered.queue_id! } }));

/** What TypeScript knows of an event when its type is known. */
function told(event: components["schemas"]["Event"]): string {
  switch (event.type) {
    case "message": return `message ${event.message.id > 0}`;
    case "reaction": return `reaction ${event.op} ${event.emoji_name}`;
    case "user_group": return event.op === "add" ? `user_group ${event.group.name}` : event.op;
    case "update_message": return `update_message ${event.message_ids.length}`;
    default: return event.type;
  }
}

console.log([...new Set(events.map(told))].join("\n"));
