/** Brazilian Portuguese texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.ask-again": "Perguntar de novo",
  "answer.begins": "{name} está escrevendo uma resposta.",
  "answer.broken": "A resposta foi interrompida: o bot ficou {count} segundos sem escrever.",
  "answer.delete": "Excluir",
  "answer.done": "Respondido em {count} s.",
  "answer.go-on": "Continuar",
  "answer.go-on-text": "Continue, por favor.",
  "answer.growing": "Respostas sendo escritas",
  "answer.hide-sources": "Ocultar as fontes",
  "answer.seconds": "{count} s",
  "answer.show-sources": { one: "Mostrar {count} fonte", other: "Mostrar {count} fontes" },
  "answer.source": "{name}, {topic}, {when}",
  "answer.stop": "Parar",
  "answer.stopped": "Parada. Esta resposta não está completa.",
  "answer.stopped-by-you": "Interrompido por você após {count} s. Esta não é uma resposta completa.",
  "answer.writing": "Escrevendo",
};
