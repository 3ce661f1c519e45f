/** Japanese texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.bot": "ボット",
  "answer.broken": "回答が途切れました。ボットからの書き込みが{count}秒間ありませんでした。",
  "answer.growing": "作成中の回答",
  "answer.seconds": "{count}秒",
  "answer.stop": "停止",
  "answer.stopped": "停止しました。回答は途中までです。",
  "answer.writing": "作成中",
};
