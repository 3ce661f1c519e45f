/** Brazilian Portuguese texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.bot": "bot",
  "answer.broken": "A resposta foi interrompida: o bot ficou {count} segundos sem escrever.",
  "answer.growing": "Respostas sendo escritas",
  "answer.seconds": "{count} s",
  "answer.stop": "Parar",
  "answer.stopped": "Parada. Esta resposta não está completa.",
  "answer.writing": "Escrevendo",
};
