/** Spanish texts of the card "What did I miss?". */

/** @type {Record<string, string | Record<string, string>>} */
export const catchUpTexts = {
  "catchup.close": "Cerrar esta tarjeta",
  "catchup.in": "{topic} en {place}",
  "catchup.mark-all": { one: "Marcar {count} como leído", other: "Marcar los {count} como leídos" },
  "catchup.mark-read": "Marcar como leído",
  "catchup.messages": { one: "{count} mensaje", other: "{count} mensajes" },
  "catchup.nothing": "Ninguna frase te reclama.",
  "catchup.older": "Los mensajes no leídos más antiguos no se tienen en cuenta.",
  "catchup.others": { one: "{count} conversación más no tiene nada en particular para ti.", other: "{count} conversaciones más no tienen nada en particular para ti." },
  "catchup.quoted": "Las frases se citan tal como se escribieron.",
  "catchup.reactions": { one: "{count} reacción", other: "{count} reacciones" },
  "catchup.reason.date_change": "Cambió una fecha",
  "catchup.reason.decision": "Decidido",
  "catchup.reason.link": "Un enlace",
  "catchup.reason.mention": "Te nombra",
  "catchup.reason.poll": "Encuesta, no has votado",
  "catchup.reason.question": "Una pregunta",
  "catchup.reason.question_to_you": "Una pregunta para ti",
  "catchup.sentences": { one: "Esta frase es la que más te importa.", other: "Estas {count} frases son las que más te importan." },
  "catchup.show-others": "Ver los demás temas",
  "catchup.since": "Desde {when}: {messages} en {conversations}.",
};
