/** Brazilian Portuguese texts of the lists of conversations. */

/** @type {Record<string, string | Record<string, string>>} */
export const listTexts = {
  "channel.feed": "Todas as mensagens",
  "channel.join": "Entrar",
  "channel.newest-first": "Mais recentes",
  "channel.unknown": "Esse canal não existe",
  "channel.unknown-text": "Talvez tenha sido excluído, ou você não tenha acesso a ele.",
  "channel.unread-first": "Não lidas antes",
  "recent.all": "Tudo",
  "recent.direct": "Mensagens diretas",
  "recent.empty": "Nenhuma conversa",
  "recent.empty-text": "Nenhuma das últimas é assim.",
  "recent.filter": "Filtrar",
  "recent.mine": "Participei",
  "recent.unread": "Não lidas",
};
