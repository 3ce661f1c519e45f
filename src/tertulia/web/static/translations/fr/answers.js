/** French texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.ask-again": "Redemander",
  "answer.begins": "{name} écrit une réponse.",
  "answer.broken": "La réponse s’est interrompue : le bot n’a rien écrit pendant {count} secondes.",
  "answer.delete": "Supprimer",
  "answer.done": "Répondu en {count} s.",
  "answer.go-on": "Continuer",
  "answer.go-on-text": "Continue, s’il te plaît.",
  "answer.growing": "Réponses en cours d’écriture",
  "answer.hide-sources": "Masquer les sources",
  "answer.seconds": "{count} s",
  "answer.show-sources": { one: "Afficher {count} source", other: "Afficher {count} sources" },
  "answer.source": "{name}, {topic}, {when}",
  "answer.stop": "Arrêter",
  "answer.stopped": "Arrêtée. La réponse n’est pas complète.",
  "answer.stopped-by-you": "Arrêté par toi après {count} s. Ce n’est pas une réponse complète.",
  "answer.writing": "Écrit",
};
