/** The section of administration about agents: whether the organization allows them, and all that act. */

import { get, patch } from "../core/api.js";
import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { realm } from "../state/session.js";
import { agentList } from "../dialogs/agents.js";
import { formSection, settingRow } from "../dialogs/forms.js";

export async function orgAgents() {
  const { agents } = await get("/realm/agents");
  return [
    formSection(
      t("agents.title"),
      h("p", { class: "quiet" }, t("org.agents-text")),
      settingRow({
        name: "enable_agent_access",
        label: t("org.enable_agent_access"),
        value: realm("enable_agent_access"),
        save: (value) => patch("/realm", { enable_agent_access: value }),
      }),
    ),
    formSection(t("org.agents-list"), agentList(agents, "/realm/agents", true)),
  ];
}
