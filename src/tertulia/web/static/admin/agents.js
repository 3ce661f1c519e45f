/** The section of administration about agents: whether the organization allows them, and all that act. */

import { get } from "../core/api.js";
import { t } from "../core/i18n.js";
import { agentCells, endAgent } from "../dialogs/agents.js";
import { nameOf } from "../state/people.js";
import { itemTable, nameCell, rowButton, sectionHead, settingGroup } from "./parts.js";
import { organizationRow } from "./setting_rows.js";

/** @param {import("./sections.js").Pane} pane */
export async function orgAgents({ pending }) {
  let { agents } = await get("/realm/agents");
  const heads = [t("agents.one"), t("people.person"), t("status.until")];
  const table = itemTable(t("org.agents-list"), heads, t("agents.none"), (/** @type {typeof agents[0]} */ agent) => {
    const { name, grant, until } = agentCells(agent);
    return {
      cells: [nameCell(name, grant), nameOf(agent.user_id), until],
      end: rowButton(t("agents.end"), t("agents.end-of", { name }), () =>
        endAgent(agent, "/realm/agents", () => {
          agents = agents.filter((each) => each !== agent);
          table.draw(agents);
        }),
      ),
    };
  });
  table.draw(agents);
  return [
    sectionHead(t("agents.title"), t("org.agents-text")),
    settingGroup(t("admin.allowed"), [organizationRow(pending, "settings", "enable_agent_access")]),
    settingGroup(t("org.agents-list"), [table.element]),
  ];
}
