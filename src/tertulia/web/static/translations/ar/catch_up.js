/** Arabic texts of the card "What did I miss?". */

/** @type {Record<string, string | Record<string, string>>} */
export const catchUpTexts = {
  "catchup.close": "إغلاق هذه البطاقة",
  "catchup.in": "{topic} في {place}",
  "catchup.mark-all": { one: "تعليم {count} كمقروء", two: "تعليم {count} كمقروءتين", few: "تعليم {count} كلها كمقروءة", many: "تعليم {count} كلها كمقروءة", other: "تعليم {count} كلها كمقروءة", zero: "تعليم {count} كلها كمقروءة" },
  "catchup.mark-read": "تعليم كمقروء",
  "catchup.messages": { zero: "لا رسائل", one: "رسالة واحدة", two: "رسالتان", few: "{count} رسائل", many: "{count} رسالة", other: "{count} رسالة" },
  "catchup.nothing": "لا توجد جملة تستدعي انتباهك.",
  "catchup.older": "الرسائل غير المقروءة الأقدم ليست محسوبة هنا.",
  "catchup.others": { zero: "لا محادثات أخرى.", one: "محادثة أخرى ليس فيها ما يخصك تحديدًا.", two: "محادثتان أخريان ليس فيهما ما يخصك تحديدًا.", few: "{count} محادثات أخرى ليس فيها ما يخصك تحديدًا.", many: "{count} محادثة أخرى ليس فيها ما يخصك تحديدًا.", other: "{count} محادثة أخرى ليس فيها ما يخصك تحديدًا." },
  "catchup.quoted": "الجمل مقتبسة كما كُتبت.",
  "catchup.reactions": { zero: "لا تفاعلات", one: "تفاعل واحد", two: "تفاعلان", few: "{count} تفاعلات", many: "{count} تفاعلًا", other: "{count} تفاعل" },
  "catchup.reason.date_change": "تغيّر موعد",
  "catchup.reason.decision": "قرار",
  "catchup.reason.link": "رابط",
  "catchup.reason.mention": "يشير إليك",
  "catchup.reason.poll": "استطلاع لم تصوّت فيه",
  "catchup.reason.question": "سؤال",
  "catchup.reason.question_to_you": "سؤال لك",
  "catchup.sentences": { zero: "لا توجد جمل مهمة لك.", one: "هذه الجملة هي الأهم لك.", two: "هاتان الجملتان هما الأهم لك.", few: "هذه الجمل ({count}) هي الأهم لك.", many: "هذه الجمل ({count}) هي الأهم لك.", other: "هذه الجمل ({count}) هي الأهم لك." },
  "catchup.show-others": "عرض المواضيع الأخرى",
  "catchup.since": "منذ {when}: {messages} في {conversations}.",
};
