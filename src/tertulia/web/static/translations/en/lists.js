/** English texts of the lists of conversations. */

/** @type {Record<string, string | Record<string, string>>} */
export const listTexts = {
  "channel.feed": "All messages",
  "channel.join": "Join",
  "channel.newest-first": "Newest first",
  "channel.unknown": "No such channel",
  "channel.unknown-text": "It may have been deleted, or it is not for you to see.",
  "channel.unread-first": "Unread first",
  "recent.all": "All",
  "recent.direct": "Direct messages",
  "recent.empty": "No conversations",
  "recent.empty-text": "None of the last ones is like this.",
  "recent.filter": "Filter",
  "recent.mine": "I took part",
  "recent.unread": "Unread",
};
