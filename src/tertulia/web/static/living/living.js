/** The page comes to life: it listens to the person, and then to the server. */

import { learnToAct } from "./acting.js";
import { desktopBridge, startDesktop } from "./desktop.js";
import { hurry, isLeading, startEvents } from "./events.js";
import { listenForKeys } from "./keys.js";
import { learnToMove } from "./moving.js";
import { startNotices } from "./notify.js";
import { startPeoplePanel, togglePeople } from "./people_panel.js";
import { startSearch } from "./search.js";
import { startSidebar } from "./sidebar.js";
import { startWorker } from "./worker.js";
import { command, doWhatWasAsked } from "../app/commands.js";
import { startConnection } from "../app/connection.js";
import { later } from "../app/files.js";
import { learnAll } from "../app/learning.js";
import { forgetListings } from "../app/lists.js";
import { forgetMessages } from "../app/messages.js";
import { keepPresence, noteTouch } from "../app/presence.js";
import { tellWhatIsLeft } from "../app/reading.js";
import { reshow, shownPlace } from "../app/router.js";
import { tell } from "../app/signals.js";
import { isPhone } from "../app/stage.js";
import { openTalk } from "../app/talk.js";
import { startTitle } from "../app/title.js";
import { learnToWrite } from "../app/writing.js";

/** Commands of the later file: they are fetched when they are first wanted. */
const LATER = {
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
  for (const [name, exported] of Object.entries(LATER)) {
    command(name, async (occasion) => (await later(exported))(occasion));
  }
  command("people", async (occasion) => togglePeople() || (await later("showMembers"))(occasion));
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
