/** Agents: programs that act for people, and what each may do. */

import { get, remove } from "../core/api.js";
import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { channelName } from "../state/channels.js";
import { realm } from "../state/session.js";
import { withErrorToast } from "../views/message_actions.js";
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
      agentList(agents),
    ),
  ];
}

/** @param {AgentObject[]} agents */
function agentList(agents) {
  if (!agents.length) return h("p", { class: "quiet" }, t("agents.none"));
  return h("ul", { class: "plain kept" }, ...agents.map(agentRow));
}

/** @param {AgentObject} agent */
function agentRow(agent) {
  const { name, grant, until } = agentCells(agent);
  const end = () => endAgent(agent, "/users/me/agents", () => row.remove());
  const row = h(
    "li",
    {},
    h("span", { class: "of" }, h("bdi", {}, name), h("p", {}, grant)),
    h("small", {}, until),
    h(
      "button",
      { class: "b", type: "button", "aria-label": t("agents.end-of", { name }), onclick: end },
      t("agents.end"),
    ),
  );
  return row;
}

/** What lists say of an agent.
 * @param {AgentObject} agent */
export function agentCells(agent) {
  const until = agent.expires ? t("agents.until", { date: formatFullTime(agent.expires) }) : t("agents.open");
  return { name: agent.name, grant: describeGrant(agent), until };
}

/** @param {AgentObject} agent
 * @param {"/users/me/agents" | "/realm/agents"} path where they are ended
 * @param {() => void} ended */
export async function endAgent(agent, path, ended) {
  if (await confirmAction(t("agents.end"), t("agents.end-text", { name: agent.name }), t("agents.end")))
    await withErrorToast(remove(`${path}/${agent.id}`).then(ended));
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
