/** Invitations: the form that invites people, and the open invitations. */

import { get, post, remove } from "../core/api.js";
import { channels } from "../state/channels.js";
import { h } from "../core/html.js";
import { state } from "../state/session.js";
import { ChoicesField } from "../views/choice_field.js";
import { formatFullTime } from "../views/time.js";
import { t } from "../core/i18n.js";
import { actionButton, labelled } from "../dialogs/forms.js";
import { withErrorToast } from "../views/message_actions.js";
import { itemTable, menuButton, nameCell, sectionHead, settingGroup } from "./parts.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["InvitationObject"]} Invitation */

const INVITED_ROLES = [100, 200, 300, 400, 600];
const DAYS = [1, 3, 10, 30, 0]; // 0 never expires

/** The form that invites people, and the open invitations.
 * @param {import("./sections.js").Pane} pane */
export async function orgInvitations({ scope }) {
  const heads = [t("invite.whom"), t("people.role"), t("status.until")];
  const table = itemTable(t("org.invitations"), heads, t("invite.none"), (/** @type {Invitation} */ invite) => {
    const name = (invite.is_multiuse ? invite.link_url : invite.email) ?? "";
    const path = invite.is_multiuse ? `/invites/multiuse/${invite.id}` : `/invites/${invite.id}`;
    return {
      cells: [
        nameCell(name, t(invite.is_multiuse ? "invite.by-link" : "invite.by-mail")),
        t(`role.${invite.invited_as}`),
        invite.expiry_date ? formatFullTime(invite.expiry_date) : t("invite.for-ever"),
      ],
      end: menuButton(name, [
        invite.is_multiuse
          ? { icon: "copy", text: t("dialog.copy"), act: () => navigator.clipboard.writeText(name) }
          : { icon: "retry", text: t("invite.again"), act: () => withErrorToast(post(`${path}/resend`).then(draw)) },
        {
          icon: "trash",
          risk: true,
          text: t("invite.revoke"),
          act: () => withErrorToast(remove(path).then(draw, draw)),
        },
      ]),
    };
  });
  /** @type {() => Promise<void>} */
  const draw = async () => table.draw((await get("/invites")).invites);
  await draw();
  scope.on("realm", draw);
  const emails = h("textarea", { class: "f", rows: 4, "aria-label": t("invite.emails") });
  const file = h("input", {
    type: "file",
    accept: ".csv,.txt,text/*",
    hidden: true,
    "aria-label": t("invite.file"),
    onchange: async () => {
      emails.value = [emails.value.trim(), ...addressesIn((await file.files?.[0]?.text()) ?? "")]
        .filter(Boolean)
        .join("\n");
      showCount();
    },
  });
  const count = h("small", { class: "quiet", role: "status" });
  const showCount = () => {
    const found = addressesIn(emails.value);
    count.textContent = found.length ? t("invite.count", { count: found.length }) : "";
  };
  emails.addEventListener("input", showCount);
  const link = h("code", { class: "key" });
  const role = h(
    "select",
    { class: "f", "aria-label": t("invite.as") },
    ...INVITED_ROLES.filter((each) => state.is_owner || each > (state.is_admin ? 100 : 200)).map((each) =>
      h("option", { value: each, selected: each === 400 }, t(`role.${each}`)),
    ),
  );
  const days = h(
    "select",
    { class: "f", "aria-label": t("invite.until") },
    ...DAYS.map((each) =>
      h(
        "option",
        { value: each, selected: each === 10 },
        each ? t("limit.days", { count: each }) : t("invite.for-ever"),
      ),
    ),
  );
  const isUsual = h("input", { type: "checkbox", checked: true });
  const joinable = [...channels.values()]
    .filter((each) => !each.is_archived && (each.subscribed || !each.invite_only))
    .sort((a, b) => a.name.localeCompare(b.name));
  const others = new ChoicesField(
    t("invite.channels"),
    joinable.map(({ stream_id: value, name: label }) => ({ value, label })),
    t("choice.unknown"),
    (name) => t("permission.remove", { name }),
  );
  const terms = () => ({
    invite_as: Number(role.value),
    invite_expires_in_minutes: Number(days.value) ? Number(days.value) * 24 * 60 : null,
    include_realm_default_subscriptions: isUsual.checked,
    stream_ids: others.values,
  });
  const send = () =>
    post("/invites", {
      ...terms(),
      invitee_emails: emails.value
        .split(/[\s,;]+/)
        .filter(Boolean)
        .join(","),
    }).then(() => {
      emails.value = "";
      return draw();
    });
  const makeLink = async () => {
    link.textContent = (await post("/invites/multiuse", terms())).invite_link;
    await draw();
  };
  return [
    sectionHead(t("org.invitations"), t("invite.text")),
    settingGroup(t("invite.people"), [
      h(
        "div",
        { class: "fields narrow" },
        labelled(t("invite.emails"), emails),
        h(
          "div",
          { class: "set" },
          h("button", { class: "b", type: "button", onclick: () => file.click() }, t("invite.file")),
          file,
          count,
        ),
        h("div", { class: "row2" }, labelled(t("invite.as"), role), labelled(t("invite.until"), days)),
        h("label", { class: "choice" }, isUsual, t("invite.usual-channels")),
        others.element,
        h(
          "div",
          { class: "set" },
          actionButton(t("invite.send"), send, "go"),
          actionButton(t("invite.link"), makeLink),
        ),
        link,
      ),
    ]),
    settingGroup(t("invite.open"), [table.element]),
  ];
}

/** The addresses in a text with anything between them: a list, or a table as CSV.
 * @param {string} text
 * @returns {string[]} */
function addressesIn(text) {
  return [...new Set(text.split(/[\s,;<>"]+/).filter((word) => word.includes("@")))];
}
