/** The page: everything learns what the server has put into it, and then the first view is shown. */

import { learnToAct } from "./acting.js";
import { learnChannels } from "./channels.js";
import { command, listenForCommands } from "./commands.js";
import { setConnection, startConnection } from "./connection.js";
import { isDense } from "./density.js";
import { desktopBridge, startDesktop } from "./desktop.js";
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
import { startPeoplePanel, togglePeople } from "./people_panel.js";
import { keepPresence, learnPresence, noteTouch } from "./presence.js";
import { tellWhatIsLeft } from "./reading.js";
import { reshow, shownPlace, startRouter } from "./router.js";
import { startSearch } from "./search.js";
import { afterPaint, on, tell } from "./signals.js";
import { isSheet, startSidebar } from "./sidebar.js";
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
};

const FIRST_VIEW_MS = 1000; // milliseconds for the first view, before the page listens all the same

start();

async function start() {
  const data = document.getElementById("state");
  const state = JSON.parse(data?.textContent ?? "null");
  data?.remove();
  if (!state) return askAgain();
  learnAll(state);
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
  command("people", async (occasion) => togglePeople() || (await later("showMembers"))(occasion));
  const isReady = isSpectator() ? undefined : startWriting();
  if (!isSheet()) startSide();
  startConnection(hurry);
  const shown = startRouter(openOverView, isReady); // what was written and not sent is in its box then
  await Promise.race([shown, new Promise((resolve) => setTimeout(resolve, FIRST_VIEW_MS))]);
  afterPaint(liveOn);
  await shown;
}

/** The server could not tell where things stand; a little later it may. */
function askAgain() {
  setConnection("reconnecting");
  setTimeout(() => location.reload(), 3000);
}

function startSide() {
  startSearch();
  startSidebar(shownPlace());
}

/** All that can wait until something is shown. */
function liveOn() {
  if (isSheet()) startSide();
  startPeoplePanel();
  startTitle();
  startDesktop();
  startNotices();
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, noteTouch, { passive: true });
  startEvents(replaceAll, (words) => tell("words", words));
  keepPresence(isLeading, () => desktopBridge()?.get_idle_on_system?.());
  tellWhatIsLeft();
  startWorker();
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
  if (isDense()) document.documentElement.dataset.density = "compact";
  else delete document.documentElement.dataset.density;
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
  const showOver = await later("showOver");
  if (location.hash === place.hash) showOver(place); // else one has gone on
}
