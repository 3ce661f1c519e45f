/** English texts of the card "What did I miss?". */

/** @type {Record<string, string | Record<string, string>>} */
export const catchUpTexts = {
  "catchup.close": "Close this card",
  "catchup.in": "{topic} in {place}",
  "catchup.mark-all": { one: "Mark {count} as read", other: "Mark all {count} as read" },
  "catchup.mark-read": "Mark as read",
  "catchup.messages": { one: "{count} message", other: "{count} messages" },
  "catchup.nothing": "No sentence calls for you.",
  "catchup.older": "Older unread messages are not considered.",
  "catchup.others": { one: "{count} more conversation holds nothing for you in particular.", other: "{count} more conversations hold nothing for you in particular." },
  "catchup.quoted": "Sentences are quoted as they were written.",
  "catchup.reactions": { one: "{count} reaction", other: "{count} reactions" },
  "catchup.reason.date_change": "A date changed",
  "catchup.reason.decision": "Decided",
  "catchup.reason.link": "A link",
  "catchup.reason.mention": "Names you",
  "catchup.reason.poll": "Poll, you have not voted",
  "catchup.reason.question": "A question",
  "catchup.reason.question_to_you": "A question to you",
  "catchup.sentences": { one: "This sentence matters most to you.", other: "These {count} sentences matter most to you." },
  "catchup.show-others": "Show the other topics",
  "catchup.since": "Since {when}: {messages} in {conversations}.",
};
