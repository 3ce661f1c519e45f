/** Arabic texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.ask-again": "اسأل مرة أخرى",
  "answer.begins": "يكتب {name} إجابة.",
  "answer.broken": "انقطعت الإجابة: لم يكتب البوت شيئًا منذ {count} ثانية.",
  "answer.delete": "حذف",
  "answer.done": "تمت الإجابة خلال {count} ث.",
  "answer.go-on": "متابعة",
  "answer.go-on-text": "تابع من فضلك.",
  "answer.growing": "إجابات قيد الكتابة",
  "answer.hide-sources": "إخفاء المصادر",
  "answer.seconds": "{count} ث",
  "answer.show-sources": { one: "عرض مصدر واحد", two: "عرض مصدرين", few: "عرض {count} مصادر", many: "عرض {count} مصدرًا", other: "عرض {count} مصدر", zero: "عرض {count} مصدر" },
  "answer.source": "{name}، {topic}، {when}",
  "answer.stop": "إيقاف",
  "answer.stopped": "أُوقفت. هذه ليست إجابة كاملة.",
  "answer.stopped-by-you": "أوقفتها بعد {count} ث. هذه ليست إجابة كاملة.",
  "answer.writing": "يكتب",
};
