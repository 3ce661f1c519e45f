/** The section of administration about the commands of bots: where they work, who may use them, and whether their bots
 * answer. */

import { get, patch, remove } from "../core/api.js";
import { h, icon } from "../core/html.js";
import { formatNumber, t } from "../core/i18n.js";
import { channelName } from "../state/channels.js";
import { nameOf } from "../state/people.js";
import { state } from "../state/session.js";
import { channelChoices, groupName } from "../dialogs/forms.js";
import { PermissionField } from "../dialogs/permission_field.js";
import { formDialog, itemTable, menuButton, nameCell, removal, sectionHead } from "./parts.js";

/** @typedef {Awaited<ReturnType<typeof import("../core/api.js").get<"/commands/managed">>>["commands"][number]} Managed */

export async function orgCommands() {
  let { commands } = await get("/commands/managed");
  const heads = ["one", "bot", "where", "who", "used", "state"].map((key) =>
    t(/** @type {"commands.one"} */ (`commands.${key}`)),
  );
  const table = itemTable(t("org.commands"), heads, t("commands.none"), (/** @type {Managed} */ item) => {
    const { command, may_use, used } = item;
    const parameters = command.parameters.map((each) => each.label || each.name).join(", ");
    const change = { icon: "draft", text: t("commands.change"), act: () => editCommand(item, redraw) };
    const end = removal(async () => {
      await remove(`/commands/${command.id}`);
      commands = commands.filter((each) => each !== item);
      table.draw(commands);
    });
    return {
      cells: [
        nameCell(`/${command.name}`, parameters || t("commands.no-parameters")),
        command.agent ?? nameOf(command.bot_id),
        command.stream_ids?.map(channelName).join(", ") ?? t("commands.everywhere"),
        pressers(may_use),
        formatNumber(used),
        stateOf(item),
      ],
      end: menuButton(`/${command.name}`, [change, end]),
    };
  });
  const redraw = async () => {
    ({ commands } = await get("/commands/managed"));
    table.draw(commands);
  };
  table.draw(commands);
  return [sectionHead(t("org.commands"), t("org.commands-text")), table.element];
}

/** Change where a command works and who may use it.
 * @param {Managed} item
 * @param {() => Promise<void>} changed */
function editCommand({ command, may_use }, changed) {
  let who = may_use;
  const groups = (state.realm_user_groups ?? []).filter((each) => !each.deactivated).map((each) => each.id);
  const field = new PermissionField({
    id: "command-who",
    label: t("commands.who"),
    value: may_use,
    groups,
    change: (value) => {
      who = value;
    },
  });
  const boxes = channelChoices().map(({ value, label }) => ({
    value,
    label,
    box: h("input", { type: "checkbox", checked: command.stream_ids?.includes(value) ?? false }),
  }));
  const direct = h("input", { type: "checkbox", checked: command.in_direct });
  formDialog(
    `/${command.name}`,
    [
      h("div", { class: "field" }, h("span", {}, t("commands.who")), field.element),
      h(
        "fieldset",
        { class: "field" },
        h("legend", {}, t("commands.where")),
        h("small", { class: "hint" }, t("commands.where-help")),
        ...boxes.map(({ box, label }) => h("label", { class: "choice" }, box, h("span", {}, label))),
      ),
      h("label", { class: "choice" }, direct, h("span", {}, t("commands.in-direct"))),
    ],
    t("dialog.save"),
    async () => {
      const shown = new Set(boxes.map(({ value }) => value));
      const others = (command.stream_ids ?? []).filter((id) => !shown.has(id)); // channels that are not listed here
      const chosen = boxes.filter(({ box }) => box.checked).map(({ value }) => value);
      const where = { channel_ids: [...others, ...chosen], in_direct: direct.checked };
      await patch(`/commands/${command.id}`, { ...where, may_use: who });
      await changed();
    },
  );
}

/** @param {Managed["may_use"]} permission */
function pressers(permission) {
  const groupOf = (/** @type {number} */ id) => {
    const group = (state.realm_user_groups ?? []).find((each) => each.id === id);
    return group ? groupName(group) : "";
  };
  if (typeof permission === "number") return groupOf(permission);
  return [...permission.direct_subgroups.map(groupOf), ...permission.direct_members.map((id) => nameOf(id))].join(", ");
}

/** @param {Managed} item */
function stateOf({ is_active, used, unanswered }) {
  if (!is_active) return t("commands.off");
  if (!unanswered) return h("span", {}, icon("check", "s"), t("commands.on"));
  const text = t("commands.fails", { failed: formatNumber(unanswered), used: formatNumber(used) });
  return h("span", { class: "wrong" }, icon("alert", "s"), text);
}
