/** German texts of what a compose box has while a person writes in it. */

/** @type {Record<string, string | Record<string, string>>} */
export const writingTexts = {
  "upload.cancel": "Hochladen von {name} abbrechen",
  "upload.done": "Hochgeladen",
  "upload.failed": "Nicht hochgeladen",
  "upload.large": "Zu groß: höchstens {most} MB",
  "upload.name": "Anhänge",
  "upload.not-sent": "Nicht gesendet: eine Datei fehlt",
  "upload.progress": "{name} wird hochgeladen",
  "upload.remove": "{name} entfernen",
  "upload.retry": "{name} noch einmal hochladen",
  "upload.waiting": { one: "Wartet auf {count} Datei", other: "Wartet auf {count} Dateien" },
};
