/** German texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.ask-again": "Noch einmal fragen",
  "answer.begins": "{name} schreibt eine Antwort.",
  "answer.broken": "Die Antwort brach ab: Der Bot hat {count} Sekunden lang nichts geschrieben.",
  "answer.delete": "Löschen",
  "answer.done": "Nach {count} s beantwortet.",
  "answer.go-on": "Weiter",
  "answer.go-on-text": "Bitte mach weiter.",
  "answer.growing": "Antworten, die gerade geschrieben werden",
  "answer.hide-sources": "Quellen ausblenden",
  "answer.seconds": "{count} s",
  "answer.show-sources": { one: "{count} Quelle zeigen", other: "{count} Quellen zeigen" },
  "answer.source": "{name}, {topic}, {when}",
  "answer.stop": "Stopp",
  "answer.stopped": "Angehalten. Diese Antwort ist nicht vollständig.",
  "answer.stopped-by-you": "Von dir nach {count} s angehalten. Das ist keine ganze Antwort.",
  "answer.writing": "Schreibt",
};
