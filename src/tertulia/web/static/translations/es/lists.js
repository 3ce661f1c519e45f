/** Spanish texts of the lists of conversations. */

/** @type {Record<string, string | Record<string, string>>} */
export const listTexts = {
  "channel.feed": "Todos los mensajes",
  "channel.join": "Entrar",
  "channel.newest-first": "Lo último primero",
  "channel.unknown": "No hay tal canal",
  "channel.unknown-text": "Puede que lo hayan borrado, o que no sea para ti.",
  "channel.unread-first": "Sin leer primero",
  "recent.all": "Todo",
  "recent.direct": "Mensajes directos",
  "recent.empty": "Ninguna conversación",
  "recent.empty-text": "Ninguna de las últimas es así.",
  "recent.filter": "Filtrar",
  "recent.mine": "He participado",
  "recent.unread": "Sin leer",
};
