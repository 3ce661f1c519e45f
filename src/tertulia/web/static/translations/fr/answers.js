/** French texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.bot": "bot",
  "answer.broken": "La réponse s’est interrompue : le bot n’a rien écrit pendant {count} secondes.",
  "answer.growing": "Réponses en cours d’écriture",
  "answer.seconds": "{count} s",
  "answer.stop": "Arrêter",
  "answer.stopped": "Arrêtée. La réponse n’est pas complète.",
  "answer.writing": "Écrit",
};
