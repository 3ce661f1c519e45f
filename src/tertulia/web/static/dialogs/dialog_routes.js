/** The dialogs of addresses such as `#settings`. */

import { lazy } from "../core/lazy.js";
import { closeDialogRoute } from "../core/router.js";
import { showChannels } from "./channel_list.js";
import { bindToAddress } from "./dialog.js";
import { showDrafts } from "./drafts_list.js";
import { formattingHelp } from "./formatting_help.js";
import { keyboardHelp } from "./keyboard_help.js";
import { showLater } from "./later.js";
import { showMembers, showUser } from "./profile.js";
import { newDirect } from "./new_conversation.js";
import { showReminders } from "./reminders.js";
import { showScheduled } from "./schedule.js";
import { showSettings } from "./settings.js";
import { showShare } from "./share.js";

/** @type {Record<string, (route: import("../state/routes.js").Route, isCurrent: () => boolean) => unknown>} */
const dialogs = {
  channels: showChannels,
  drafts: showDrafts,
  groups: ({ rest = [] }, isCurrent) => showOrganization({ rest: ["groups", ...rest] }, isCurrent),
  invite: (_, isCurrent) => showOrganization({ rest: ["invitations"] }, isCurrent),
  "keyboard-shortcuts": keyboardHelp,
  later: showLater,
  members: showMembers,
  "message-formatting": formattingHelp,
  new: () => bindToAddress(newDirect()),
  organization: showOrganization,
  reminders: showReminders,
  scheduled: showScheduled,
  settings: showSettings,
  share: showShare,
  streams: showChannels,
  user: showUser,
};

/** @param {{rest?: string[]}} route
 * @param {() => boolean} isCurrent */
async function showOrganization(route, isCurrent) {
  const show = await lazy("admin", "showAdministration");
  if (isCurrent()) show(route);
}

/** @param {import("../state/routes.js").Route} route
 * @param {() => boolean} isCurrent whether no later navigation has happened */
export function showDialogRoute(route, isCurrent) {
  const open = dialogs[route.view];
  if (open) open(route, isCurrent);
  else closeDialogRoute();
}
