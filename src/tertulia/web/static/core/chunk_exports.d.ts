/** What `lazy` can load: the exports of the modules in each chunk that other chunks ask for by name. */

export interface ChunkExports {
  interactive: typeof import("../startup.js") & typeof import("../views/inbox.js");
  lists: typeof import("../views/quick_reactions.js") & typeof import("../views/recent.js") & typeof import("../views/search.js") & typeof import("../views/switcher.js") & typeof import("../views/topic_list.js");
  forum: typeof import("../views/forum.js");
  composer: typeof import("../views/compose_parts.js") & typeof import("../views/compose_forms.js")
    & typeof import("../state/block_continuation.js") & typeof import("../state/formatting.js") & typeof import("../views/quote_selection.js") & typeof import("../views/video_call.js");
  voice: typeof import("../views/voice_player.js");
  calls: typeof import("../views/calls.js");
  apps: typeof import("../views/apps.js") & typeof import("../views/command_slots.js");
  recorder: typeof import("../views/voice_recorder.js") & typeof import("../sync/recording_upload.js");
  dialogs: typeof import("../dialogs/dialog.js") & typeof import("../dialogs/channel_list.js") & typeof import("../dialogs/channel_settings.js")
    & typeof import("../dialogs/dialog_routes.js") & typeof import("../dialogs/forward.js") & typeof import("../dialogs/keyboard_help.js")
    & typeof import("../dialogs/lightbox.js") & typeof import("../dialogs/menus.js") & typeof import("../dialogs/message_editor.js")
    & typeof import("../dialogs/message_menu.js") & typeof import("../dialogs/move_messages.js") & typeof import("../dialogs/new_conversation.js")
    & typeof import("../dialogs/compose_menu.js") & typeof import("../dialogs/profile.js") & typeof import("../dialogs/prompts.js") & typeof import("../dialogs/row_menu.js") & typeof import("../dialogs/schedule.js")
    & typeof import("../dialogs/settings.js") & typeof import("../dialogs/snippets.js") & typeof import("../dialogs/drop_frame.js") & typeof import("../dialogs/undo.js") & typeof import("../dialogs/widgets.js");
  emoji: typeof import("../dialogs/emoji_picker.js") & typeof import("../dialogs/status.js");
  catchup: typeof import("../views/catch_up_card.js");
  share: typeof import("../sync/shared_files.js") & typeof import("../sync/picture_place.js");
  phone: typeof import("../views/phone.js") & typeof import("../views/phone_card.js") & typeof import("../sync/push_subscription.js");
  desktop: typeof import("../sync/desktop_app.js");
  start: typeof import("../views/start_cards.js");
  answers: typeof import("../views/answers.js");
  errors: typeof import("./server_errors.js");
  admin: typeof import("../admin/administration.js");
  oversight: typeof import("../admin/audit_log.js") & typeof import("../admin/integrations.js") & typeof import("../admin/legal_holds.js")
    & typeof import("../admin/server_health.js") & typeof import("../admin/usage.js");
}
export type Chunk = keyof ChunkExports;
