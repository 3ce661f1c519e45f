/** The page comes to life: it listens to the person, and then to the server. */

import { registerMessageCommands } from "./views/message_actions.js";
import { desktopBridge, startDesktop } from "./sync/desktop_app.js";
import { pollNow, isLeaderTab, startEvents } from "./sync/event_poller.js";
import { bindKeys } from "./views/keys.js";
import { registerNavigationCommands } from "./views/navigation.js";
import { startNotifications } from "./views/notifications.js";
import { startPeoplePanel, togglePeople } from "./views/people_panel.js";
import { startSearch } from "./views/search.js";
import { startSidebar } from "./views/sidebar.js";
import { startServiceWorker } from "./sync/service_worker.js";
import { command, replayQueuedCommand } from "./views/commands.js";
import { startConnectionBar } from "./views/connection.js";
import { lazy } from "./core/lazy.js";
import { initStores } from "./state/stores.js";
import { forgetMessageLists } from "./state/message_lists.js";
import { clearMessages } from "./state/messages.js";
import { startPresence, recordActivity } from "./state/presence.js";
import { flushPending } from "./views/reading.js";
import { reloadView, currentRoute } from "./core/router.js";
import { emit } from "./core/signals.js";
import { isPhone } from "./views/layout.js";
import { currentMessageView } from "./views/message_view.js";
import { startTitle } from "./views/title.js";
import { registerComposeCommands } from "./views/compose_commands.js";

/** Commands of the dialogs chunk, which is loaded when the first of them is run. */
const LAZY = {
  "view-picture": "openLightbox", "view-pictures": "openLightbox", "keyboard-help": "keyboardHelp",
  "send-later": "sendLater", snippets: "showSnippets", "new-direct": "newDirect", "new-topic-anywhere": "newTopic",
  more: "messageMenu", "read-receipts": "readReceipts", edit: "editMessage", history: "showHistory", move: "moveMessages", "move-topic": "moveTopic",
  react: "react", "compose-emoji": "insertEmoji", remind: "remind", report: "report",
  "org-menu": "orgMenu", "gear-menu": "orgMenu", "my-menu": "myMenu", "view-menu": "viewMenu", profile: "showProfile", "sender-profile": "showProfile",
  settings: "showSettings", channels: "showChannels", "channel-settings": "channelSettings", "channel-people": "channelPeople", members: "showMembers",
};

/** What people do with the page. */
export function bindInput() {
  bindKeys(() => {
    const view = currentMessageView();
    return view ? view.list.articleOf(view.focusedId) ?? view.list.articleOf(view.lastInView()) : undefined;
  });
  registerNavigationCommands();
  registerComposeCommands();
  registerMessageCommands();
  for (const [name, exported] of Object.entries(LAZY)) {
    command(name, async (context) => (await lazy("dialogs", exported))(context));
  }
  command("people", async (context) => togglePeople() || (await lazy("dialogs", "showMembers"))(context));
  startConnectionBar(pollNow);
  if (!isPhone()) startSidebarAndSearch();
}

/** All that can wait until something is shown. */
export function startBackground() {
  if (isPhone()) startSidebarAndSearch();
  replayQueuedCommand();
  startPeoplePanel();
  startTitle();
  startDesktop();
  startNotifications();
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, recordActivity, { passive: true });
  startEvents(resetStores);
  startPresence(isLeaderTab, () => desktopBridge()?.get_idle_on_system?.());
  flushPending();
  startServiceWorker();
}

function startSidebarAndSearch() {
  startSearch();
  startSidebar(currentRoute());
}

/** Everything was learned anew: what is shown is fetched again, at the same place.
 * @param {Record<string, any>} snapshot */
function resetStores(snapshot) {
  initStores(snapshot);
  forgetMessageLists();
  clearMessages();
  emit("replaced");
  reloadView();
}
