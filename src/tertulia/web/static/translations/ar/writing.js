/** Arabic texts of what a compose box has while a person writes in it. */

/** @type {Record<string, string | Record<string, string>>} */
export const writingTexts = {
  "upload.cancel": "إيقاف رفع {name}",
  "upload.done": "تم الرفع",
  "upload.failed": "لم يُرفع",
  "upload.large": "كبير جدًا: {most} MB كحد أقصى",
  "upload.name": "المرفقات",
  "upload.not-sent": "لم تُرسل: تعذّر رفع ملف",
  "upload.progress": "جارٍ رفع {name}",
  "upload.remove": "إزالة {name}",
  "upload.retry": "إعادة رفع {name}",
  "upload.waiting": { zero: "لا ملفات قيد الانتظار", one: "في انتظار ملف واحد", two: "في انتظار ملفين", few: "في انتظار {count} ملفات", many: "في انتظار {count} ملفًا", other: "في انتظار {count} ملف" },
};
