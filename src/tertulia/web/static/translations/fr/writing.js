/** French texts of what a compose box has while a person writes in it. */

/** @type {Record<string, string | Record<string, string>>} */
export const writingTexts = {
  "upload.cancel": "Arrêter l’envoi de {name}",
  "upload.done": "Envoyé",
  "upload.failed": "Pas envoyé",
  "upload.large": "Trop gros : {most} Mo au maximum",
  "upload.name": "Pièces jointes",
  "upload.not-sent": "Pas envoyé : un fichier a échoué",
  "upload.progress": "Envoi de {name}",
  "upload.remove": "Retirer {name}",
  "upload.retry": "Renvoyer {name}",
  "upload.waiting": { one: "En attente de {count} fichier", other: "En attente de {count} fichiers" },
};
