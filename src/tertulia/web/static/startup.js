/** The second step of the start: binds input, then starts the parts that can wait until the first view is shown. */

import { accountValue } from "./core/account_values.js";
import { callLoaded, lazy } from "./core/lazy.js";
import { currentRoute, reloadView } from "./core/router.js";
import { pageScope } from "./core/scope.js";
import { emit } from "./core/signals.js";
import { forgetMessageLists } from "./state/message_lists.js";
import { clearMessages } from "./state/messages.js";
import { state } from "./state/session.js";
import { initStores } from "./state/stores.js";
import { startVisits } from "./state/visits.js";
import { desktopBridge } from "./sync/desktop_bridge.js";
import { isLeaderTab, pollNow, startEvents } from "./sync/event_poller.js";
import { recordActivity, startPresence } from "./sync/presence_pings.js";
import { flushPending } from "./sync/read_flags.js";
import { startServiceWorker } from "./sync/service_worker.js";
import { command, replayQueuedCommand } from "./views/commands.js";
import { registerComposeCommands } from "./views/compose_commands.js";
import { startConnectionBar } from "./views/connection_bar.js";
import { bindKeys } from "./views/keys.js";
import { isPhone } from "./views/layout.js";
import { registerMessageCommands } from "./views/message_actions.js";
import { currentMessageView } from "./views/message_view.js";
import { registerNavigationCommands } from "./views/navigation.js";
import { startNotifications } from "./views/notifications.js";
import { startPeoplePanel, togglePeople } from "./views/people_panel.js";
import { startSidebar } from "./views/sidebar.js";
import { startUnreadIcon } from "./views/unread_icon.js";

/** @typedef {import("./views/commands.js").CommandContext} CommandContext */

/** Commands of the dialogs chunk, which is loaded when the first of them is run.
 * @type {Record<string, keyof import("./core/chunk_exports.d.ts").ChunkExports["dialogs"]>} */
const LAZY = {
  "view-picture": "openLightbox",
  "view-pictures": "openLightbox",
  "keyboard-help": "keyboardHelp",
  "send-later": "sendLater",
  "send-menu": "sendMenu",
  snippets: "showSnippets",
  "compose-menu": "composeMenu",
  "new-direct": "newDirect",
  "new-topic-anywhere": "newTopic",
  more: "messageMenu",
  "read-receipts": "readReceipts",
  edit: "editMessage",
  history: "showHistory",
  forward: "forwardMessage",
  move: "moveMessages",
  "move-topic": "moveTopic",
  remind: "remind",
  report: "report",
  "org-menu": "orgMenu",
  "gear-menu": "orgMenu",
  "my-menu": "myMenu",
  "view-menu": "viewMenu",
  "row-menu": "rowMenu",
  "read-place": "markPlaceRead",
  profile: "showProfile",
  "sender-profile": "showProfile",
  settings: "showSettings",
  channels: "showChannels",
  "channel-settings": "channelSettings",
  "channel-people": "channelPeople",
  members: "showMembers",
};

/** Commands of the chunk that loads with the compose box.
 * @type {Record<string, keyof import("./core/chunk_exports.d.ts").ChunkExports["composer"]>} */
const COMPOSER = {
  "poll-form": "pollForm",
  "todo-form": "todoForm",
  "time-form": "timeForm",
  "table-form": "tableForm",
  "spoiler-form": "spoilerForm",
  "heading-form": "headingForm",
  "video-call": "insertCall",
};

/** Commands of the emoji chunk.
 * @type {Record<string, keyof import("./core/chunk_exports.d.ts").ChunkExports["emoji"]>} */
const EMOJI = { react: "react", "compose-emoji": "insertEmoji", status: "editStatus", away: "toggleAway" };

/** Handle keys, commands and clicks. */
export function bindInput() {
  bindKeys(() => {
    const view = currentMessageView();
    return view ? (view.list.articleOf(view.focusedId) ?? view.list.articleOf(view.lastInView())) : undefined;
  });
  registerNavigationCommands();
  registerComposeCommands();
  registerMessageCommands();
  for (const [name, exported] of Object.entries(LAZY)) {
    command(name, async (context) =>
      /** @type {(context: CommandContext) => unknown} */ (await lazy("dialogs", exported))(context),
    );
  }
  for (const [name, exported] of Object.entries(COMPOSER))
    command(name, async () => /** @type {() => unknown} */ (await lazy("composer", exported))());
  for (const [name, exported] of Object.entries(EMOJI)) {
    command(name, async (context) =>
      /** @type {(context: CommandContext) => unknown} */ (await lazy("emoji", exported))(context),
    );
  }
  command("record", async () => {
    await lazy("voice", "drawVoice"); // with its styles
    return (await lazy("recorder", "record"))();
  });
  pageScope.listen(document, "pointerdown", async (/** @type {PointerEvent} */ event) => {
    const isOnMicrophone = event.target instanceof Element && event.target.closest('[data-do="record"]');
    if (event.pointerType === "touch" && isOnMicrophone) (await lazy("recorder", "holdToRecord"))(event);
  });
  command("start-call", async () => (await lazy("calls", "startCall"))());
  command("people", async () => togglePeople() || (await lazy("dialogs", "showMembers"))());
  command("switcher", async () => (await lazy("lists", "toggleSwitcher"))());
  startVisits(currentRoute());
  startConnectionBar(pollNow);
  if (!isPhone()) startSidebar(currentRoute());
}

/** Start events, presence, notifications and what else the first view does not need. */
export function startBackground() {
  if (isPhone()) startSidebar(currentRoute());
  replayQueuedCommand();
  startPeoplePanel();
  startUnreadIcon();
  if (desktopBridge()) callLoaded(lazy("desktop", "startDesktop"));
  startNotifications();
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, recordActivity, { passive: true });
  startEvents(resetStores);
  startPresence(isLeaderTab, () => desktopBridge()?.get_idle_on_system?.());
  flushPending();
  startServiceWorker();
  if (isPhone() || matchMedia("(pointer: coarse)").matches) callLoaded(lazy("phone", "startPhone")); // gestures and the way back
  if (state.running_calls?.length) lazy("calls", "applyCall").catch(() => {}); // one may ring
  if (accountValue("open-interactions")) callLoaded(lazy("apps", "resume"));
  callLoaded(lazy("lists", "startQuickReactions")); // and "/" and Ctrl+K open at once
}

/** Replace the content of all stores, and show the view again at the same scroll position.
 * @param {import("./state/types.d.ts").Snapshot} snapshot */
function resetStores(snapshot) {
  initStores(snapshot);
  forgetMessageLists();
  clearMessages();
  emit("reset");
  reloadView();
}
