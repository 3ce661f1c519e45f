/** Spanish texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.bot": "bot",
  "answer.broken": "La respuesta se interrumpió: el bot no ha escrito en {count} segundos.",
  "answer.growing": "Respuestas que se están escribiendo",
  "answer.seconds": "{count} s",
  "answer.stop": "Parar",
  "answer.stopped": "Parada. No es una respuesta completa.",
  "answer.writing": "Escribiendo",
};
