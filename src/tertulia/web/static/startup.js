/** The page comes to life: it listens to the person, and then to the server. */

import { learnToAct } from "./views/message_actions.js";
import { desktopBridge, startDesktop } from "./sync/desktop_app.js";
import { hurry, isLeading, startEvents } from "./sync/event_poller.js";
import { listenForKeys } from "./views/keys.js";
import { learnToMove } from "./views/navigation.js";
import { startNotices } from "./views/notifications.js";
import { startPeoplePanel, togglePeople } from "./views/people_panel.js";
import { startSearch } from "./views/search.js";
import { startSidebar } from "./views/sidebar.js";
import { startWorker } from "./sync/service_worker.js";
import { command, doWhatWasAsked } from "./views/commands.js";
import { startConnection } from "./views/connection.js";
import { lazy } from "./core/lazy.js";
import { learnAll } from "./state/stores.js";
import { forgetListings } from "./state/message_lists.js";
import { forgetMessages } from "./state/messages.js";
import { keepPresence, noteTouch } from "./state/presence.js";
import { tellWhatIsLeft } from "./views/reading.js";
import { reshow, shownPlace } from "./core/router.js";
import { tell } from "./core/signals.js";
import { isPhone } from "./views/layout.js";
import { openTalk } from "./views/message_view.js";
import { startTitle } from "./views/title.js";
import { learnToWrite } from "./views/compose_commands.js";

/** Commands of the dialogs chunk, which is loaded when the first of them is run. */
const LAZY = {
  "view-picture": "viewPicture", "view-pictures": "viewPicture", "keyboard-help": "keyboardHelp",
  "send-later": "sendLater", snippets: "showSnippets", "new-direct": "newDirect", "new-topic-anywhere": "newTopic",
  more: "messageMenu", "read-receipts": "readReceipts", edit: "editMessage", history: "showHistory", move: "moveMessages", "move-topic": "moveTopic",
  react: "react", "compose-emoji": "insertEmoji", remind: "remind", report: "report",
  "org-menu": "orgMenu", "gear-menu": "orgMenu", "my-menu": "myMenu", "view-menu": "viewMenu", profile: "showProfile", "sender-profile": "showProfile",
  settings: "showSettings", channels: "showChannels", "channel-settings": "channelSettings", "channel-people": "channelPeople", members: "showMembers",
};

/** What people do with the page. */
export function listenToPerson() {
  listenForKeys(() => {
    const talk = openTalk();
    return talk ? talk.list.articleOf(talk.chosen) ?? talk.list.articleOf(talk.lastInView()) : undefined;
  });
  learnToMove();
  learnToWrite();
  learnToAct();
  for (const [name, exported] of Object.entries(LAZY)) {
    command(name, async (occasion) => (await lazy("dialogs", exported))(occasion));
  }
  command("people", async (occasion) => togglePeople() || (await lazy("dialogs", "showMembers"))(occasion));
  startConnection(hurry);
  if (!isPhone()) startSide();
}

/** All that can wait until something is shown. */
export function liveOn() {
  if (isPhone()) startSide();
  doWhatWasAsked();
  startPeoplePanel();
  startTitle();
  startDesktop();
  startNotices();
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, noteTouch, { passive: true });
  startEvents(replaceAll);
  keepPresence(isLeading, () => desktopBridge()?.get_idle_on_system?.());
  tellWhatIsLeft();
  startWorker();
}

function startSide() {
  startSearch();
  startSidebar(shownPlace());
}

/** Everything was learned anew: what is shown is fetched again, at the same place.
 * @param {Record<string, any>} state */
function replaceAll(state) {
  learnAll(state);
  forgetListings();
  forgetMessages();
  tell("replaced");
  reshow();
}
