/** Sections with settings of the organization: profile, settings, permissions, log-in, new accounts. */

import { get, patch, post, remove } from "../core/api.js";
import { h } from "../core/html.js";
import { formatLabel, t } from "../core/i18n.js";
import { realm, state } from "../state/session.js";
import { confirmAction } from "../dialogs/dialog.js";
import { fileButton } from "../dialogs/file_button.js";
import { actionButton, labelled } from "../dialogs/forms.js";
import { byHeading } from "../dialogs/personal_settings.js";
import { withErrorToast } from "../views/message_actions.js";
import { formDialog, itemTable, nameCell, rowButton, sectionHead, settingGroup } from "./parts.js";
import { organizationRow, visitorsRow } from "./setting_rows.js";

/** @typedef {import("./sections.js").Pane} Pane */

/** The groups of settings of a section. Those that only other clients use are collapsed, below the others.
 * @param {Pane} pane
 * @param {string} section */
function groupsOf({ pending }, section) {
  const { part, settings } = pending.inSection(section);
  const groups = byHeading(settings).map(([heading, own]) => {
    const rows =
      heading === "visitors" ? [visitorsRow(pending)] : own.map(({ name }) => organizationRow(pending, part, name));
    return { isElsewhere: heading === "other-clients", title: t(`part.${heading}`), rows };
  });
  return [
    ...groups.filter((each) => !each.isElsewhere).map(({ title, rows }) => settingGroup(title, rows)),
    ...groups
      .filter((each) => each.isElsewhere)
      .map(({ title, rows }) =>
        h(
          "details",
          { class: "set-group" },
          h("summary", {}, title, h("span", { class: "n soft" }, rows.length)),
          ...rows,
        ),
      ),
  ];
}

/** @param {Pane} pane */
export function orgProfile(pane) {
  const logo = (/** @type {boolean} */ night) =>
    h(
      "div",
      { class: "set" },
      fileButton("/realm/logo", t(night ? "org.logo-night" : "org.logo-day"), "image/*", { night: String(night) }),
      actionButton(t("org.no-logo"), () => remove("/realm/logo", { night })),
    );
  const pictures =
    state.is_admin &&
    settingGroup(t("part.pictures"), [
      h(
        "div",
        { class: "set" },
        h("img", { class: "org-icon", src: realm("icon_url"), alt: "" }),
        fileButton("/realm/icon", t("org.icon"), "image/*"),
        actionButton(t("org.no-icon"), () => remove("/realm/icon")),
      ),
      logo(false),
      logo(true),
    ]);
  return [
    sectionHead(t("org.profile")),
    ...groupsOf(pane, "organization-profile"),
    pictures,
    state.is_owner && endOfOrganization(),
  ];
}

/** @param {Pane} pane */
export function orgSettings(pane) {
  return [
    sectionHead(t("org.settings"), t("admin.settings-text", { name: realm("name") ?? "" })),
    ...groupsOf(pane, "organization-settings"),
  ];
}

/** @param {Pane} pane */
export function orgPermissions(pane) {
  return [
    sectionHead(t("org.permissions"), t("admin.permissions-text")),
    ...groupsOf(pane, "organization-permissions"),
  ];
}

/** @param {Pane} pane */
export async function orgLogin(pane) {
  return [sectionHead(t("admin.log-in")), ...groupsOf(pane, "auth-methods"), await mailDomains(pane)];
}

/** @param {Pane} pane */
export function orgNewAccounts(pane) {
  return [
    sectionHead(t("admin.new-accounts"), t("admin.defaults-text")),
    ...groupsOf(pane, "organization-level-user-defaults"),
  ];
}

/** The domains of email addresses that may have accounts.
 * @param {Pane} pane */
async function mailDomains({ scope }) {
  const heads = [t("domain.name"), t("domain.subdomains")];
  const table = itemTable(
    t("domain.title"),
    heads,
    t("domain.none"),
    (/** @type {import("../core/api_types.d.ts").Schemas["DomainObject"]} */ { domain, allow_subdomains: isWide }) => ({
      cells: [
        nameCell(domain),
        h("input", {
          type: "checkbox",
          checked: isWide,
          disabled: !state.is_owner,
          "aria-label": formatLabel(t("domain.subdomains"), domain),
          onchange: () =>
            withErrorToast(patch(`/realm/domains/${domain}`, { allow_subdomains: !isWide }).then(draw, draw)),
        }),
      ],
      end:
        state.is_owner &&
        rowButton(t("dialog.remove"), t("admin.remove", { name: domain }), () =>
          withErrorToast(remove(`/realm/domains/${domain}`).then(draw)),
        ),
    }),
  );
  /** @type {() => Promise<void>} */
  const draw = async () => table.draw((await get("/realm/domains")).domains);
  const add = () => {
    const name = h("input", { class: "f", placeholder: "example.com", autocomplete: "off" });
    const isWide = h("input", { type: "checkbox" });
    formDialog(
      t("domain.add"),
      [labelled(t("domain.name"), name), h("label", { class: "choice" }, isWide, t("domain.subdomains"))],
      t("dialog.add"),
      () => post("/realm/domains", { domain: name.value.trim(), allow_subdomains: isWide.checked }).then(draw),
    );
  };
  scope.on("realm", draw);
  await draw();
  return settingGroup(t("domain.title"), [
    h("p", { class: "quiet" }, t("domain.text")),
    table.element,
    state.is_owner && h("button", { class: "b", type: "button", onclick: add }, t("domain.add")),
  ]);
}

/** The deactivation of the organization, for owners. */
function endOfOrganization() {
  return settingGroup(t("part.end"), [
    h("p", { class: "quiet" }, t("org.end-text")),
    actionButton(
      t("org.end"),
      async () => {
        if (!(await confirmAction(t("org.end"), t("org.end-confirm", { name: realm("name") ?? "" }), t("org.end"))))
          return " ";
        await post("/realm/deactivate");
        location.assign("/");
        return undefined;
      },
      "risk",
    ),
  ]);
}
