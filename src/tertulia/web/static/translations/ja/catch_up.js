/** Japanese texts of the card "What did I miss?". */

/** @type {Record<string, string | Record<string, string>>} */
export const catchUpTexts = {
  "catchup.close": "このカードを閉じる",
  "catchup.in": "{place} の {topic}",
  "catchup.mark-all": { other: "{count}件すべてを既読にする" },
  "catchup.mark-read": "既読にする",
  "catchup.messages": { other: "メッセージ{count}件" },
  "catchup.nothing": "あなたの対応が必要な文はありません。",
  "catchup.older": "これより古い未読メッセージは対象外です。",
  "catchup.others": { other: "ほかの{count}件の会話に、特にあなたに関わるものはありません。" },
  "catchup.quoted": "文は書かれたまま引用しています。",
  "catchup.reactions": { other: "リアクション{count}件" },
  "catchup.reason.date_change": "日付の変更",
  "catchup.reason.decision": "決定事項",
  "catchup.reason.link": "リンク",
  "catchup.reason.mention": "メンション",
  "catchup.reason.poll": "投票（未投票）",
  "catchup.reason.question": "質問",
  "catchup.reason.question_to_you": "あなたへの質問",
  "catchup.sentences": { other: "あなたにとって特に重要な文は{count}件です。" },
  "catchup.show-others": "ほかのトピックを表示",
  "catchup.since": "{when}以降: {messages}（{conversations}）",
};
