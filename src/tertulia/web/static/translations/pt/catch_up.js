/** Brazilian Portuguese texts of the card "What did I miss?". */

/** @type {Record<string, string | Record<string, string>>} */
export const catchUpTexts = {
  "catchup.close": "Fechar este cartão",
  "catchup.in": "{topic} em {place}",
  "catchup.mark-all": { one: "Marcar {count} como lida", other: "Marcar todas as {count} como lidas" },
  "catchup.mark-read": "Marcar como lido",
  "catchup.messages": { one: "{count} mensagem", other: "{count} mensagens" },
  "catchup.nothing": "Nenhuma frase pede a sua atenção.",
  "catchup.older": "Mensagens não lidas mais antigas não são consideradas.",
  "catchup.others": { one: "Mais {count} conversa não tem nada em especial para você.", other: "Mais {count} conversas não têm nada em especial para você." },
  "catchup.quoted": "As frases são citadas como foram escritas.",
  "catchup.reactions": { one: "{count} reação", other: "{count} reações" },
  "catchup.reason.date_change": "Uma data mudou",
  "catchup.reason.decision": "Decidido",
  "catchup.reason.link": "Um link",
  "catchup.reason.mention": "Menciona você",
  "catchup.reason.poll": "Enquete, você não votou",
  "catchup.reason.question": "Uma pergunta",
  "catchup.reason.question_to_you": "Uma pergunta para você",
  "catchup.sentences": { one: "Esta frase é a que mais importa para você.", other: "Estas {count} frases são as que mais importam para você." },
  "catchup.show-others": "Ver os outros tópicos",
  "catchup.since": "Desde {when}: {messages} em {conversations}.",
};
