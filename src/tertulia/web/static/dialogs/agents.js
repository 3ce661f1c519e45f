/** Agents: programs that act for people, and what each may do. */

import { get, remove } from "../core/api.js";
import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { channelName } from "../state/channels.js";
import { realm } from "../state/session.js";
import { nameOf } from "../state/people.js";
import { toast } from "../views/layout.js";
import { formatDate, formatFullTime } from "../views/time.js";
import { confirmAction } from "./dialog.js";
import { formSection } from "./forms.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["AgentObject"]} AgentObject */

export async function agentsPage() {
  const { agents } = await get("/users/me/agents");
  return [
    formSection(
      t("agents.title"),
      h("p", { class: "quiet" }, t(realm("enable_agent_access") ? "agents.text" : "agents.off")),
      agentList(agents, "/users/me/agents"),
    ),
  ];
}

/** @param {AgentObject[]} agents
 * @param {"/users/me/agents" | "/realm/agents"} path where they are ended
 * @param {boolean} [withPerson] */
export function agentList(agents, path, withPerson = false) {
  if (!agents.length) return h("p", { class: "quiet" }, t("agents.none"));
  return h("ul", { class: "plain kept" }, ...agents.map((agent) => agentRow(agent, path, withPerson)));
}

/** @param {AgentObject} agent
 * @param {string} path
 * @param {boolean} withPerson */
function agentRow(agent, path, withPerson) {
  const row = h(
    "li",
    { class: "agent" },
    h(
      "span",
      { class: "of" },
      h("bdi", {}, agent.name),
      withPerson && ` · ${nameOf(agent.user_id)}`,
      h("p", {}, describeGrant(agent)),
    ),
    h("small", {}, agent.expires ? t("agents.until", { date: formatFullTime(agent.expires) }) : t("agents.open")),
    h(
      "button",
      { class: "b", type: "button", "aria-label": t("agents.end-of", { name: agent.name }), onclick: end },
      t("agents.end"),
    ),
  );
  return row;

  async function end() {
    if (!(await confirmAction(t("agents.end"), t("agents.end-text", { name: agent.name }), t("agents.end")))) return;
    await remove(`${path}/${agent.id}`).then(
      () => row.remove(),
      (error) => toast(error.message),
    );
  }
}

/** @param {AgentObject} agent */
function describeGrant(agent) {
  const writable = new Set(agent.writable_channels);
  const names = (/** @type {number[]} */ ids) => ids.map((id) => `#${channelName(id)}`).join(", ");
  const readable = agent.readable_channels.filter((id) => !writable.has(id));
  return [
    writable.size > 0 && t("agents.writes", { channels: names(agent.writable_channels) }),
    readable.length > 0 && t("agents.reads", { channels: names(readable) }),
    agent.reads_direct_messages && t("agents.direct"),
    agent.sees_people && t("agents.people"),
    agent.last_used ? t("agents.used", { date: formatDate(agent.last_used) }) : t("agents.unused"),
  ]
    .filter(Boolean)
    .join(" · ");
}
