/** English texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.ask-again": "Ask again",
  "answer.begins": "{name} is writing an answer.",
  "answer.broken": "The answer broke off: the bot did not write for {count} seconds.",
  "answer.delete": "Delete",
  "answer.done": "Answered in {count} s.",
  "answer.go-on": "Go on",
  "answer.go-on-text": "Please go on.",
  "answer.growing": "Answers that are being written",
  "answer.hide-sources": "Hide sources",
  "answer.seconds": "{count} s",
  "answer.show-sources": { one: "Show {count} source", other: "Show {count} sources" },
  "answer.source": "{name}, {topic}, {when}",
  "answer.stop": "Stop",
  "answer.stopped": "Stopped. This is not a whole answer.",
  "answer.stopped-by-you": "Stopped by you after {count} s. This is not a whole answer.",
  "answer.writing": "Writing",
};
