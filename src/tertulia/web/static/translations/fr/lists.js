/** French texts of the lists of conversations. */

/** @type {Record<string, string | Record<string, string>>} */
export const listTexts = {
  "channel.feed": "Tous les messages",
  "channel.join": "Rejoindre",
  "channel.newest-first": "Récents d’abord",
  "channel.unknown": "Ce canal n’existe pas",
  "channel.unknown-text": "Il a peut-être été supprimé, ou tu n’y as pas accès.",
  "channel.unread-first": "Non lus d’abord",
  "recent.all": "Tout",
  "recent.direct": "Messages directs",
  "recent.empty": "Aucune conversation",
  "recent.empty-text": "Aucune ne correspond.",
  "recent.filter": "Filtrer",
  "recent.mine": "J’ai participé",
  "recent.unread": "Non lus",
};
