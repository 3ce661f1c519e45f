/** Arabic texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.bot": "بوت",
  "answer.broken": "انقطعت الإجابة: لم يكتب البوت شيئًا منذ {count} ثانية.",
  "answer.growing": "إجابات قيد الكتابة",
  "answer.seconds": "{count} ث",
  "answer.stop": "إيقاف",
  "answer.stopped": "أُوقفت. هذه ليست إجابة كاملة.",
  "answer.writing": "يكتب",
};
