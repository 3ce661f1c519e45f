/** Legal holds, for owners: the list, and the form that begins one. */

import { get, post, remove } from "../core/api.js";
import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { labelled, personChoices } from "../dialogs/forms.js";
import { channelName, channels } from "../state/channels.js";
import { nameOf, people } from "../state/people.js";
import { ChoicesField } from "../views/choice_field.js";
import { withErrorToast } from "../views/message_actions.js";
import { formatFullTime } from "../views/time.js";
import { formDialog, headButton, itemTable, nameCell, rowButton, sectionHead } from "./parts.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["LegalHoldObject"]} LegalHold */

/** @param {import("./sections.js").Pane} pane */
export async function holdsPage({ scope }) {
  const heads = [t("hold.target"), t("hold.since"), t("hold.ended")];
  const table = itemTable(t("hold.list"), heads, t("hold.none"), (/** @type {LegalHold} */ hold) => ({
    cells: [
      nameCell(targetOf(hold), hold.reason),
      formatFullTime(hold.created_at),
      hold.ended_at === null ? "–" : formatFullTime(hold.ended_at),
    ],
    end:
      hold.ended_at === null &&
      rowButton(t("hold.end"), `${t("hold.end")}: ${targetOf(hold)}`, () =>
        withErrorToast(remove(`/realm/legal_holds/${hold.id}`).then(draw)),
      ),
  }));
  /** @type {() => Promise<void>} */
  const draw = async () => table.draw((await get("/realm/legal_holds")).legal_holds.reverse());
  await draw();
  scope.on("realm", draw);
  return [
    sectionHead(
      t("org.holds"),
      t("hold.text"),
      headButton(t("hold.add"), () => newHold(draw)),
    ),
    table.element,
  ];
}

/** @param {() => Promise<void>} draw */
function newHold(draw) {
  const reason = h("input", { class: "f", maxLength: 1000 });
  const whom = choicesField(t("hold.people"), personChoices([...people.values()].filter((each) => !each.is_bot)));
  const where = choicesField(
    t("hold.channels"),
    [...channels.values()].map(({ stream_id: value, name: label }) => ({ value, label })),
  );
  const values = () => ({ reason: reason.value, held_user_ids: whom.values, held_stream_ids: where.values });
  formDialog(t("hold.add"), [whom.element, where.element, labelled(t("hold.reason"), reason)], t("hold.do"), () =>
    post("/realm/legal_holds", values()).then(draw),
  );
}

/** @param {LegalHold} hold */
function targetOf(hold) {
  return hold.user_id === null
    ? t("admin.channel", { name: channelName(Number(hold.stream_id)) })
    : nameOf(hold.user_id);
}

/** @param {string} label
 * @param {import("../views/choice_field.js").Choice<number>[]} choices */
function choicesField(label, choices) {
  const sorted = choices.sort((a, b) => a.label.localeCompare(b.label));
  return new ChoicesField(label, sorted, t("choice.unknown"), (name) => t("permission.remove", { name }));
}
