/** Japanese texts of growing answers. */

/** @type {Record<string, string | Record<string, string>>} */
export const answersTexts = {
  "answer.ask-again": "もう一度質問",
  "answer.begins": "{name}が回答を書いています。",
  "answer.broken": "回答が途切れました。ボットからの書き込みが{count}秒間ありませんでした。",
  "answer.delete": "削除",
  "answer.done": "{count}秒で回答しました。",
  "answer.go-on": "続ける",
  "answer.go-on-text": "続けてください。",
  "answer.growing": "作成中の回答",
  "answer.hide-sources": "出典を隠す",
  "answer.seconds": "{count}秒",
  "answer.show-sources": { other: "出典 {count} 件を表示" },
  "answer.source": "{name}、{topic}、{when}",
  "answer.stop": "停止",
  "answer.stopped": "停止しました。回答は途中までです。",
  "answer.stopped-by-you": "{count}秒後にあなたが停止しました。これは完全な回答ではありません。",
  "answer.writing": "作成中",
};
