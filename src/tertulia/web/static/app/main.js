/** The page: everything learns what the server has put into it, and then the first view is shown. */

import { learnToAct } from "./acting.js";
import { learnChannels } from "./channels.js";
import { command, listenForCommands } from "./commands.js";
import { startConnection } from "./connection.js";
import { startDesktop } from "./desktop.js";
import { learnDirects } from "./directs.js";
import { hurry, isLeading, startEvents } from "./events.js";
import { listenForKeys } from "./keys.js";
import { later } from "./later.js";
import { forgetListings } from "./lists.js";
import { isSpectator, learnMe, setting } from "./me.js";
import { forgetMessages } from "./messages.js";
import { learnToMove } from "./moving.js";
import { startNotices } from "./notify.js";
import { learnPeople } from "./people.js";
import { keepPresence, learnPresence, noteTouch } from "./presence.js";
import { tellWhatIsLeft } from "./reading.js";
import { reshow, startRouter } from "./router.js";
import { startSearch } from "./search.js";
import { on, tell } from "./signals.js";
import { startSidebar } from "./sidebar.js";
import { startTitle } from "./title.js";
import { openTalk } from "./talk.js";
import { learnTopics } from "./topics.js";
import { learnUnread } from "./unread.js";
import { startWorker } from "./worker.js";
import { learnToWrite, startWriting } from "./writing.js";

/** Commands of the later file: they are fetched when they are first wanted. */
const LATER = {
  "view-picture": "viewPicture", "view-pictures": "viewPicture", "keyboard-help": "keyboardHelp",
  "send-later": "sendLater", snippets: "showSnippets", "new-direct": "newDirect", "new-topic-anywhere": "newTopic",
  more: "messageMenu", "read-receipts": "readReceipts", edit: "editMessage", history: "showHistory", move: "moveMessages", "move-topic": "moveTopic",
  react: "react", "compose-emoji": "insertEmoji", remind: "remind", report: "report",
  "org-menu": "orgMenu", "gear-menu": "orgMenu", "my-menu": "myMenu", "view-menu": "viewMenu", profile: "showProfile", "sender-profile": "showProfile",
  settings: "showSettings", channels: "showChannels", "channel-settings": "channelSettings", "channel-people": "channelPeople", members: "showMembers",
  people: "showMembers",
};

start();

async function start() {
  const data = document.getElementById("state");
  learnAll(JSON.parse(data?.textContent ?? "{}"));
  data?.remove();
  dress();
  on("settings", dress);
  listenForCommands();
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
  const isReady = isSpectator() ? undefined : startWriting();
  startSearch();
  startSidebar();
  startConnection(hurry);
  startTitle();
  startDesktop();
  startNotices();
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, noteTouch, { passive: true });
  startEvents(replaceAll, (words) => tell("words", words));
  keepPresence(isLeading);
  tellWhatIsLeft();
  startWorker();
  await isReady; // what was written and not sent is in its box when the first view is shown
  await startRouter(openOverView);
}

/** @param {Record<string, any>} state a register answer */
function learnAll(state) {
  learnMe(state);
  learnPeople(state);
  learnPresence(state);
  learnChannels(state);
  learnTopics(state);
  learnUnread(state);
  learnDirects(state);
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

/** The person's taste. */
function dress() {
  const scheme = setting("color_scheme");
  const root = document.documentElement;
  if (scheme === 2 || scheme === 3) root.dataset.theme = scheme === 2 ? "dark" : "light";
  else delete root.dataset.theme;
  const size = setting("web_font_size_px");
  if (size && size !== 16) root.style.setProperty("font-size", `${(100 * size) / 16}%`);
  else root.style.removeProperty("font-size");
}

/** @param {import("./places.js").Place} place */
async function openOverView(place) {
  (await later("showOver"))(place);
}
