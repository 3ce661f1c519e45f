/** Legal holds, for owners: the form that begins one, and the list. */

import { get, post, remove } from "../core/api.js";
import { setChildren, h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { actionButton, formSection, labelled, personChoices } from "../dialogs/forms.js";
import { channelName, channels } from "../state/channels.js";
import { nameOf, people } from "../state/people.js";
import { ChoicesField } from "../views/choice_field.js";
import { formatFullTime } from "../views/time.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["LegalHoldObject"]} LegalHold */

/** @param {import("./sections.js").Pane} pane */
export async function holdsPage({ scope }) {
  const list = h("ul", { class: "plain kept" });
  const draw = async () => {
    const { legal_holds: holds } = await get("/realm/legal_holds");
    setChildren(
      list,
      ...(holds.length
        ? holds.reverse().map((hold) => holdRow(hold, draw))
        : [h("li", { class: "quiet" }, t("hold.none"))]),
    );
  };
  await draw();
  scope.on("realm", draw);
  const reason = h("input", { class: "f", "aria-label": t("hold.reason"), maxLength: 1000 });
  const whom = choicesField(t("hold.people"), personChoices([...people.values()].filter((each) => !each.is_bot)));
  const where = choicesField(
    t("hold.channels"),
    [...channels.values()].map(({ stream_id: value, name: label }) => ({ value, label })),
  );
  return [
    formSection(
      t("hold.add"),
      h("p", { class: "quiet" }, t("hold.text")),
      whom.element,
      where.element,
      labelled(t("hold.reason"), reason),
      actionButton(t("hold.do"), () =>
        post("/realm/legal_holds", {
          reason: reason.value,
          held_user_ids: whom.values,
          held_stream_ids: where.values,
        }).then(() => {
          reason.value = "";
          whom.values = where.values = [];
          return draw();
        }),
      ),
    ),
    formSection(t("hold.list"), list),
  ];
}

/** @param {LegalHold} hold
 * @param {() => Promise<void>} draw */
function holdRow(hold, draw) {
  const target =
    hold.user_id === null ? t("admin.channel", { name: channelName(Number(hold.stream_id)) }) : nameOf(hold.user_id);
  const until =
    hold.ended_at === null
      ? t("hold.since", { when: formatFullTime(hold.created_at) })
      : t("hold.ended", { when: formatFullTime(hold.ended_at) });
  return h(
    "li",
    {},
    h(
      "div",
      { class: "of" },
      h("bdi", {}, target),
      " ",
      h("small", {}, until),
      h("p", { class: "quiet" }, hold.reason),
    ),
    hold.ended_at === null && actionButton(t("hold.end"), () => remove(`/realm/legal_holds/${hold.id}`).then(draw)),
  );
}

/** @param {string} label
 * @param {import("../views/choice_field.js").Choice<number>[]} choices */
function choicesField(label, choices) {
  const sorted = choices.sort((a, b) => a.label.localeCompare(b.label));
  return new ChoicesField(label, sorted, t("choice.unknown"), (name) => t("permission.remove", { name }));
}
