/** German texts of the card "What did I miss?". */

/** @type {Record<string, string | Record<string, string>>} */
export const catchUpTexts = {
  "catchup.close": "Diese Karte schließen",
  "catchup.in": "{topic} in {place}",
  "catchup.mark-all": { one: "{count} als gelesen markieren", other: "Alle {count} als gelesen markieren" },
  "catchup.mark-read": "Als gelesen markieren",
  "catchup.messages": { one: "{count} Nachricht", other: "{count} Nachrichten" },
  "catchup.nothing": "Kein Satz richtet sich an dich.",
  "catchup.older": "Ältere ungelesene Nachrichten sind nicht berücksichtigt.",
  "catchup.others": { one: "{count} weitere Unterhaltung enthält nichts Besonderes für dich.", other: "{count} weitere Unterhaltungen enthalten nichts Besonderes für dich." },
  "catchup.quoted": "Die Sätze sind zitiert, wie sie geschrieben wurden.",
  "catchup.reactions": { one: "{count} Reaktion", other: "{count} Reaktionen" },
  "catchup.reason.date_change": "Ein Termin wurde geändert",
  "catchup.reason.decision": "Entschieden",
  "catchup.reason.link": "Ein Link",
  "catchup.reason.mention": "Erwähnt dich",
  "catchup.reason.poll": "Umfrage, du hast nicht abgestimmt",
  "catchup.reason.question": "Eine Frage",
  "catchup.reason.question_to_you": "Eine Frage an dich",
  "catchup.sentences": { one: "Dieser Satz ist für dich am wichtigsten.", other: "Diese {count} Sätze sind für dich am wichtigsten." },
  "catchup.show-others": "Die anderen Themen zeigen",
  "catchup.since": "Seit {when}: {messages} in {conversations}.",
};
