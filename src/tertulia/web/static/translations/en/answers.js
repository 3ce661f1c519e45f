/** English texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.bot": "bot",
  "answer.broken": "The answer broke off: the bot did not write for {count} seconds.",
  "answer.growing": "Answers that are being written",
  "answer.seconds": "{count} s",
  "answer.stop": "Stop",
  "answer.stopped": "Stopped. This is not a whole answer.",
  "answer.writing": "Writing",
};
