/** Japanese texts of what a compose box has while a person writes in it. */

/** @type {Record<string, string | Record<string, string>>} */
export const writingTexts = {
  "upload.cancel": "{name} のアップロードを中止",
  "upload.done": "アップロード済み",
  "upload.failed": "アップロード失敗",
  "upload.large": "大きすぎます: 最大 {most} MB",
  "upload.name": "添付ファイル",
  "upload.not-sent": "未送信: アップロードに失敗",
  "upload.progress": "{name} をアップロード中",
  "upload.remove": "{name} を取り除く",
  "upload.retry": "{name} をもう一度アップロード",
  "upload.waiting": { other: "{count} 件のファイルを待っています" },
};
