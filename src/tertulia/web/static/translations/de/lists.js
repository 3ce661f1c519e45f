/** German texts of the lists of conversations. */

/** @type {Record<string, string | Record<string, string>>} */
export const listTexts = {
  "channel.feed": "Alle Nachrichten",
  "channel.join": "Beitreten",
  "channel.newest-first": "Neueste zuerst",
  "channel.unknown": "Diesen Kanal gibt es nicht",
  "channel.unknown-text": "Vielleicht wurde er gelöscht, oder du darfst ihn nicht sehen.",
  "channel.unread-first": "Ungelesene zuerst",
  "recent.all": "Alle",
  "recent.direct": "Direktnachrichten",
  "recent.empty": "Keine Unterhaltungen",
  "recent.empty-text": "Keine der letzten passt dazu.",
  "recent.filter": "Filter",
  "recent.mine": "Mit mir",
  "recent.unread": "Ungelesen",
};
