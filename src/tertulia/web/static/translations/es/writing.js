/** Spanish texts of what a compose box has while a person writes in it. */

/** @type {Record<string, string | Record<string, string>>} */
export const writingTexts = {
  "upload.cancel": "Dejar de subir {name}",
  "upload.done": "Subido",
  "upload.failed": "No se subió",
  "upload.large": "Demasiado grande: máximo {most} MB",
  "upload.name": "Adjuntos",
  "upload.not-sent": "No se envió: falló un archivo",
  "upload.progress": "Subiendo {name}",
  "upload.remove": "Quitar {name}",
  "upload.retry": "Volver a subir {name}",
  "upload.waiting": { one: "Esperando {count} archivo", other: "Esperando {count} archivos" },
};
