/** French texts of the card "What did I miss?". */

/** @type {Record<string, string | Record<string, string>>} */
export const catchUpTexts = {
  "catchup.close": "Fermer cette carte",
  "catchup.in": "{topic} dans {place}",
  "catchup.mark-all": { one: "Marquer {count} comme lu", other: "Marquer les {count} comme lus" },
  "catchup.mark-read": "Marquer comme lu",
  "catchup.messages": { one: "{count} message", other: "{count} messages" },
  "catchup.nothing": "Aucune phrase ne te concerne.",
  "catchup.older": "Les messages non lus plus anciens ne sont pas pris en compte.",
  "catchup.others": { one: "{count} autre conversation ne contient rien de particulier pour toi.", other: "{count} autres conversations ne contiennent rien de particulier pour toi." },
  "catchup.quoted": "Les phrases sont citées telles quelles.",
  "catchup.reactions": { one: "{count} réaction", other: "{count} réactions" },
  "catchup.reason.date_change": "Une date a changé",
  "catchup.reason.decision": "Décidé",
  "catchup.reason.link": "Un lien",
  "catchup.reason.mention": "Te mentionne",
  "catchup.reason.poll": "Sondage, tu n’as pas voté",
  "catchup.reason.question": "Une question",
  "catchup.reason.question_to_you": "Une question pour toi",
  "catchup.sentences": { one: "Cette phrase compte le plus pour toi.", other: "Ces {count} phrases comptent le plus pour toi." },
  "catchup.show-others": "Afficher les autres sujets",
  "catchup.since": "Depuis {when} : {messages} dans {conversations}.",
};
