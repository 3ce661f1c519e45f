/** Spanish texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.ask-again": "Preguntar otra vez",
  "answer.begins": "{name} está escribiendo una respuesta.",
  "answer.broken": "La respuesta se interrumpió: el bot no ha escrito en {count} segundos.",
  "answer.delete": "Borrar",
  "answer.done": "Respondido en {count} s.",
  "answer.go-on": "Continuar",
  "answer.go-on-text": "Continúa, por favor.",
  "answer.growing": "Respuestas que se están escribiendo",
  "answer.hide-sources": "Ocultar las fuentes",
  "answer.seconds": "{count} s",
  "answer.show-sources": { one: "Mostrar {count} fuente", other: "Mostrar {count} fuentes" },
  "answer.source": "{name}, {topic}, {when}",
  "answer.stop": "Parar",
  "answer.stopped": "Parada. No es una respuesta completa.",
  "answer.stopped-by-you": "Detenido por ti a los {count} s. No es una respuesta completa.",
  "answer.writing": "Escribiendo",
};
