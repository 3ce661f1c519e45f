/** The sections of administration, in the order of the navigation. A section of another chunk is loaded when it is
 * opened. */

import { lazy } from "../core/lazy.js";
import { people } from "../state/people.js";
import { state } from "../state/session.js";
import { orgAgents } from "./agents.js";
import { orgFolders } from "./channel_folders.js";
import { orgCommands } from "./commands.js";
import { orgGroups } from "./groups.js";
import {
  archivedChannels,
  orgArchived,
  orgDefaults,
  orgEmoji,
  orgExport,
  orgLinkifiers,
  orgPlaygrounds,
} from "./lists.js";
import { orgLogin, orgNewAccounts, orgPermissions, orgProfile, orgSettings } from "./organization.js";
import { orgInvitations } from "./invitations.js";
import { orgUsers } from "./people.js";
import { orgFields } from "./profile_fields.js";

/** @typedef {import("../core/html.js").Child} Child */
/** @typedef {import("../core/chunk_exports.d.ts").ChunkExports} ChunkExports */
/** @typedef {"organization" | "people" | "content" | "oversight"} Group a heading of the navigation */
/** @typedef {{rest: string[], scope: import("../core/scope.js").Scope, pending:
 *   import("./pending_changes.js").PendingChanges, setRest(rest: string[]): void, show(key: string, rest?: string[]):
 *   void}} Pane `rest` is what follows the section in the address; `scope` ends when something else is shown; `pending`
 *   are settings and their unsaved changes; `setRest` changes the address, `show` opens another section */
/** @typedef {(pane: Pane) => Child[] | Promise<Child[]>} Draw */
/** @typedef {{key: string, group: Group, title: PlainTextKey, draw: Draw, isShown?: () => boolean, count?: () => number
 *   | undefined}} Section `key` is its address, `title` names a text; without `isShown` every member sees it; `count`
 *   is shown beside the title */

/** @type {Section[]} */
export const SECTIONS = [
  { key: "organization-profile", group: "organization", title: "org.profile", draw: orgProfile },
  { key: "organization-settings", group: "organization", title: "org.settings", draw: orgSettings },
  { key: "organization-permissions", group: "organization", title: "org.permissions", draw: orgPermissions },
  { key: "auth-methods", group: "organization", title: "admin.log-in", draw: orgLogin },
  {
    key: "organization-level-user-defaults",
    group: "organization",
    title: "admin.new-accounts",
    draw: orgNewAccounts,
    isShown: isAdministrator,
  },
  {
    key: "users",
    group: "people",
    title: "org.users",
    draw: orgUsers,
    count: () => [...people.values()].filter((person) => person.is_active && !person.is_bot).length,
  },
  { key: "groups", group: "people", title: "groups.title", draw: orgGroups, isShown: isMember },
  { key: "invitations", group: "people", title: "org.invitations", draw: orgInvitations },
  { key: "profile-field-settings", group: "people", title: "org.fields", draw: orgFields },
  { key: "default-channels-list", group: "content", title: "org.defaults", draw: orgDefaults },
  {
    key: "archived-channels",
    group: "content",
    title: "org.archived",
    draw: orgArchived,
    count: () => archivedChannels().length || undefined,
  },
  { key: "channel-folders", group: "content", title: "org.folders", draw: orgFolders },
  { key: "emoji-settings", group: "content", title: "org.emoji", draw: orgEmoji },
  { key: "commands", group: "content", title: "org.commands", draw: orgCommands, isShown: isAdministrator },
  { key: "linkifier-settings", group: "content", title: "org.linkifiers", draw: orgLinkifiers },
  { key: "playground-settings", group: "content", title: "org.playgrounds", draw: orgPlaygrounds },
  { key: "data-exports-admin", group: "content", title: "org.export", draw: orgExport, isShown: isAdministrator },
  { key: "agents", group: "oversight", title: "agents.title", draw: orgAgents, isShown: isOwner },
  {
    key: "audit-log",
    group: "oversight",
    title: "org.audit",
    draw: drawnBy("oversight", "auditPage"),
    isShown: isAdministrator,
  },
  {
    key: "legal-holds",
    group: "oversight",
    title: "org.holds",
    draw: drawnBy("oversight", "holdsPage"),
    isShown: isOwner,
  },
  {
    key: "usage",
    group: "oversight",
    title: "org.usage",
    draw: drawnBy("oversight", "usagePage"),
    isShown: isAdministrator,
  },
  {
    key: "integrations",
    group: "content",
    title: "org.integrations",
    draw: drawnBy("oversight", "integrationsPage"),
    isShown: isMember,
  },
  {
    key: "server-health",
    group: "oversight",
    title: "org.health",
    draw: drawnBy("oversight", "healthPage"),
    isShown: isOwner,
  },
];

function isAdministrator() {
  return Boolean(state.is_admin);
}

function isOwner() {
  return Boolean(state.is_owner);
}

function isMember() {
  return !state.is_guest;
}

/** A function that loads a chunk and draws a section with one of its exports.
 * @template {keyof ChunkExports} C
 * @param {C} chunk
 * @param {keyof ChunkExports[C]} name
 * @returns {Draw} */
export function drawnBy(chunk, name) {
  return async (pane) => /** @type {Draw} */ (await lazy(chunk, name))(pane);
}
