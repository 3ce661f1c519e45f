/** Summaries of topics by the operator's language model. The dialog says what is sent where before it is sent. */

import { get, patch, post } from "../core/api.js";
import { h, setChildren } from "../core/html.js";
import { t } from "../core/i18n.js";
import { withErrorToast } from "../views/message_actions.js";
import { openDialog } from "./dialog.js";
import { formSection, settingRow } from "./forms.js";

/** @param {number} channel
 * @param {string} topic */
export async function summarizeTopic(channel, topic) {
  const rules = await withErrorToast(get(`/streams/${channel}/topic_summaries`));
  if (!rules) return;
  const text = !rules.model_host
    ? t("summary.off")
    : !rules.available
      ? t("summary.forbidden")
      : t("summary.explain", { count: rules.max_messages, host: rules.model_host });
  const place = h("div", { "aria-live": "polite" }, h("p", {}, text));
  const go = h("button", { class: "b go", type: "button" }, t("summary.go"));
  go.addEventListener("click", async () => {
    go.disabled = true;
    setChildren(place, h("p", { class: "quiet" }, t("summary.waiting")));
    const found = await withErrorToast(post(`/streams/${channel}/topic_summaries`, { topic_name: topic }));
    go.disabled = false;
    if (!found) return setChildren(place, h("p", {}, text));
    go.hidden = true;
    const source = t("summary.source", { count: found.message_count, host: found.model_host });
    return setChildren(
      place,
      ...found.summary
        .split("\n")
        .filter(Boolean)
        .map((line) => h("p", { dir: "auto" }, line)),
      h("p", { class: "quiet" }, source),
    );
  });
  openDialog(t("summary.title"), [place], { footer: rules.available ? [go] : [] });
}

/** The row of the channel's settings.
 * @param {number} channel
 * @param {boolean} disabled */
export function summarySection(channel, disabled) {
  const place = h("div");
  get(`/streams/${channel}/topic_summaries`).then(
    (rules) =>
      setChildren(
        place,
        formSection(
          t("summary.title"),
          h(
            "p",
            { class: "quiet" },
            rules.model_host
              ? t("summary.explain", { count: rules.max_messages, host: rules.model_host })
              : t("summary.off"),
          ),
          settingRow({
            disabled,
            name: "allows_summaries",
            label: t("summary.allow"),
            value: rules.allowed_in_channel,
            save: (value) => patch(`/streams/${channel}/topic_summaries`, { allowed: value }),
          }),
        ),
      ),
    () => {},
  );
  return place;
}
