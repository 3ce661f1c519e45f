/** Portuguese texts of what a compose box has while a person writes in it. */

/** @type {Record<string, string | Record<string, string>>} */
export const writingTexts = {
  "upload.cancel": "Parar o envio de {name}",
  "upload.done": "Enviado",
  "upload.failed": "Não enviado",
  "upload.large": "Grande demais: no máximo {most} MB",
  "upload.name": "Anexos",
  "upload.not-sent": "Não enviado: um arquivo falhou",
  "upload.progress": "Enviando {name}",
  "upload.remove": "Remover {name}",
  "upload.retry": "Enviar {name} de novo",
  "upload.waiting": { one: "Esperando {count} arquivo", other: "Esperando {count} arquivos" },
};
