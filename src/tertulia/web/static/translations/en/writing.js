/** English texts of what a compose box has while a person writes in it. */

/** @type {Record<string, string | Record<string, string>>} */
export const writingTexts = {
  "upload.cancel": "Stop uploading {name}",
  "upload.done": "Uploaded",
  "upload.failed": "Not uploaded",
  "upload.large": "Too large: {most} MB at most",
  "upload.name": "Attachments",
  "upload.not-sent": "Not sent: a file failed",
  "upload.progress": "Uploading {name}",
  "upload.remove": "Remove {name}",
  "upload.retry": "Upload {name} again",
  "upload.waiting": { one: "Waiting for {count} file", other: "Waiting for {count} files" },
};
