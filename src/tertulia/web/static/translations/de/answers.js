/** German texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.bot": "Bot",
  "answer.broken": "Die Antwort brach ab: Der Bot hat {count} Sekunden lang nichts geschrieben.",
  "answer.growing": "Antworten, die gerade geschrieben werden",
  "answer.seconds": "{count} s",
  "answer.stop": "Stopp",
  "answer.stopped": "Angehalten. Diese Antwort ist nicht vollständig.",
  "answer.writing": "Schreibt",
};
