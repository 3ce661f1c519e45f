/** Accounts with their roles, and invitations. */

import { get, patch, post, remove } from "../core/api.js";
import { channels } from "../state/channels.js";
import { normalizeText } from "../state/typeahead_sources.js";
import { setChildren, h, iconButton } from "../core/html.js";
import { avatar } from "../views/avatars.js";
import { state, myId } from "../state/session.js";
import { people } from "../state/people.js";
import { on } from "../core/signals.js";
import { formatFullTime } from "../views/time.js";
import { t } from "../core/i18n.js";
import { confirmAction } from "../dialogs/dialog.js";
import { actionButton, formSection, labelled } from "../dialogs/forms.js";

const ROLES = [100, 200, 300, 400, 600];
const DAYS = [1, 3, 10, 30, 0]; // 0 never expires

/** All accounts, deactivated ones last. */
export function orgUsers() {
  const list = h("ul", { class: "plain kept" });
  const note = h("p", { class: "wrong", role: "alert" });
  const field = h("input", { class: "f", type: "search", "aria-label": t("org.find-person"), placeholder: t("org.find-person") });
  const draw = () => {
    const query = normalizeText(field.value);
    const found = [...people.values()].filter((person) => !person.is_system_bot && normalizeText(`${person.full_name} ${person.delivery_email ?? ""}`).includes(query))
      .sort((a, b) => Number(b.is_active) - Number(a.is_active) || a.full_name.localeCompare(b.full_name));
    setChildren(list, ...found.slice(0, 200).map((person) => userRow(person, (text) => (note.textContent = text))));
  };
  field.addEventListener("input", draw);
  const stop = on("people", () => (list.isConnected ? draw() : stop()));
  draw();
  return [formSection(t("org.users"), field, note, list)];
}

/** @param {import("../state/people.js").Person} person
 * @param {(text: string) => void} complain */
function userRow(person, complain) {
  const mayChange = state.is_admin && person.user_id !== myId();
  const attempt = (/** @type {Promise<unknown>} */ work) => work.then(() => complain(""), (error) => complain(error.message));
  const role = h("select", { class: "f", "aria-label": t("org.role-of", { name: person.full_name }), disabled: !mayChange || !person.is_active, onchange: (/** @type {Event} */ event) =>
    attempt(patch(`/users/${person.user_id}`, { role: Number(/** @type {HTMLSelectElement} */ (event.target).value) })) }, ...ROLES.map((each) => h("option", { value: each, selected: person.role === each }, t(`role.${each}`))));
  const end = person.is_active
    ? h("button", { class: "b", type: "button", "aria-label": t("org.deactivate-whom", { name: person.full_name }), onclick: async () => {
      if (await confirmAction(t("org.deactivate"), t("org.deactivate-text", { name: person.full_name }), t("org.deactivate"))) await attempt(remove(`/users/${person.user_id}`));
    } }, t("org.deactivate"))
    : h("button", { class: "b", type: "button", "aria-label": t("org.reactivate-whom", { name: person.full_name }), onclick: () => attempt(post(`/users/${person.user_id}/reactivate`)) }, t("org.reactivate"));
  return h("li", { class: !person.is_active && "quiet" }, avatar(person.user_id), h("bdi", {}, person.full_name), h("small", { class: "cut" }, person.delivery_email ?? ""),
    h("span", { class: "set" }, person.is_bot ? h("small", {}, t("people.bot")) : role, mayChange && end));
}

/** The form that invites people, and the open invitations. */
export async function orgInvitations() {
  const list = h("ul", { class: "plain kept" });
  const draw = async () => {
    const { invites } = await get("/invites");
    setChildren(list, ...(invites.length ? invites.map((invite) => inviteRow(invite, draw)) : [h("li", { class: "quiet" }, t("invite.none"))]));
  };
  await draw();
  const emails = h("textarea", { class: "f", rows: 2, "aria-label": t("invite.emails") });
  const link = h("code", { class: "key" });
  const role = h("select", { class: "f", "aria-label": t("invite.as") }, ...ROLES.filter((each) => state.is_owner || each > (state.is_admin ? 100 : 200)).map((each) => h("option", { value: each, selected: each === 400 }, t(`role.${each}`))));
  const days = h("select", { class: "f", "aria-label": t("invite.until") }, ...DAYS.map((each) => h("option", { value: each, selected: each === 10 }, each ? t("invite.days", { count: each }) : t("invite.for-ever"))));
  const isUsual = h("input", { type: "checkbox", checked: true });
  const others = h("select", { class: "f", multiple: true, size: 5, "aria-label": t("invite.channels") }, ...[...channels.values()].filter((each) => !each.is_archived && (each.subscribed || !each.invite_only))
    .sort((a, b) => a.name.localeCompare(b.name)).map((each) => h("option", { value: each.stream_id }, each.name)));
  const terms = () => ({ invite_as: Number(role.value), invite_expires_in_minutes: Number(days.value) ? Number(days.value) * 24 * 60 : null, include_realm_default_subscriptions: isUsual.checked, stream_ids: [...others.selectedOptions].map((each) => Number(each.value)) });
  return [formSection(t("invite.people"), labelled(t("invite.emails"), emails), labelled(t("invite.as"), role), labelled(t("invite.until"), days),
    h("label", { class: "choice" }, isUsual, t("invite.usual-channels")), labelled(t("invite.channels"), others),
    actionButton(t("invite.send"), () => post("/invites", { ...terms(), invitee_emails: emails.value.split(/[\s,;]+/).filter(Boolean).join(",") }).then(() => { emails.value = ""; return draw(); })),
    actionButton(t("invite.link"), async () => { link.textContent = (await post("/invites/multiuse", terms())).invite_link; await draw(); }), link),
  formSection(t("org.invitations"), list)];
}

/** @param {import("../core/api_types.d.ts").Schemas["InvitationObject"]} invite
 * @param {() => unknown} draw */
function inviteRow(invite, draw) {
  const path = invite.is_multiuse ? `/invites/multiuse/${invite.id}` : `/invites/${invite.id}`;
  const until = invite.expiry_date ? t("invite.ends", { when: formatFullTime(invite.expiry_date) }) : t("invite.for-ever");
  return h("li", {}, h("span", { class: "cut" }, invite.is_multiuse ? invite.link_url : invite.email), h("small", {}, t(`role.${invite.invited_as}`)), h("small", {}, until), h("span", { class: "set" },
    !invite.is_multiuse && h("button", { class: "b", type: "button", onclick: () => post(`${path}/resend`).then(draw, draw) }, t("invite.again")),
    iconButton("trash", t("invite.revoke"), { onclick: () => remove(path).then(draw, draw) })));
}
