/** Japanese texts of the lists of conversations. */

/** @type {Record<string, string | Record<string, string>>} */
export const listTexts = {
  "channel.feed": "すべてのメッセージ",
  "channel.join": "参加",
  "channel.newest-first": "新しい順",
  "channel.unknown": "チャンネルが見つかりません",
  "channel.unknown-text": "削除されたか、閲覧権限がない可能性があります。",
  "channel.unread-first": "未読を先に",
  "recent.all": "すべて",
  "recent.direct": "ダイレクトメッセージ",
  "recent.empty": "会話はありません",
  "recent.empty-text": "最近の会話に該当するものはありません。",
  "recent.filter": "絞り込み",
  "recent.mine": "参加した会話",
  "recent.unread": "未読",
};
