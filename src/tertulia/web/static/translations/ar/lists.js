/** Arabic texts of the lists of conversations. */

/** @type {Record<string, string | Record<string, string>>} */
export const listTexts = {
  "channel.feed": "كل الرسائل",
  "channel.join": "انضمام",
  "channel.newest-first": "الأحدث أولًا",
  "channel.unknown": "لا توجد قناة كهذه",
  "channel.unknown-text": "ربما حُذفت، أو ليست متاحة لك.",
  "channel.unread-first": "غير المقروء أولًا",
  "recent.all": "الكل",
  "recent.direct": "الرسائل المباشرة",
  "recent.empty": "لا محادثات",
  "recent.empty-text": "لا شيء من المحادثات الأخيرة يطابق هذا.",
  "recent.filter": "تصفية",
  "recent.mine": "شاركت فيها",
  "recent.unread": "غير مقروءة",
};
