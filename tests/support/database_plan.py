"""Which tests run, and on which database. This module alone decides it.

A test that uses the fixture `kind`, itself or through `chat` and the like, exists twice: once
marked `sqlite`, once marked `postgres`.

    make test                   SQLite; PostgreSQL too for the paths in ON_BOTH and marked tests;
                                PostgreSQL instead of SQLite for ON_POSTGRES; not RARE
    make test ARGS=--sqlite     the quick run while you work: SQLite, no browser, not SLOW
    make test ARGS=--both       everything, as .ci/run does: both databases, but SQLite alone
                                for ON_ONE and for most cases of a test in FEW_CASES

Three marks change the plan of a single test in `make test`: `on_both` adds PostgreSQL, `on_one`
(the test is about no database) removes it, `thorough` leaves the test to `--both`. Tests that exist
for PostgreSQL alone always run. Some tests take the fixture `thorough` and do fewer rounds, or look
at fewer views, when it is false.

`make test` keeps a browser test of each everyday action, a good call of every operation on both
databases, every refusal, all abuse programs, and each kind of law and crash on PostgreSQL.
"""

import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.support.databases import unreachable

TESTS = Path(__file__).parents[1]

# Below tests/: where the two databases differ most. `--both` runs everything else there, too.
ON_BOTH = (
    "api/test_openapi.py",  # a good call of every operation
    "database/",
    "events/",
    "laws/test_fast_path.py",  # each database has its own statement for a send
    "storage/test_conversations.py",
    "storage/test_integrity.py",
    "storage/test_search.py",
    "transfer/test_round_trip.py",
)

# Where PostgreSQL alone is enough for `make test`: what differs between the databases fails there.
# SQLite is used where no PostgreSQL can be reached.
ON_POSTGRES = ("crash/", "laws/")

# Pages, protocols and bounds. Each statement of theirs is also run by a test that `--both` runs on
# both databases.
ON_ONE = (
    "crash/test_stop.py",
    "http/",
    "laws/test_organization_settings.py",  # one statement stores any setting
    "laws/test_write_bounds.py",  # counts statements, which are the same
    "mcp/test_client_documents.py",
    "mcp/test_tools.py",
    "mcp/test_waiting.py",
    "web/test_administration.py",
    "web/test_call_relay.py",
    "web/test_content_security.py",
    "web/test_error_texts.py",
    "web/test_gestures.py",
    "web/test_link_previews.py",
    "web/test_login_mails.py",
    "web/test_long_sessions.py",
    "web/test_operator.py",
    "web/test_page.py",
    "web/test_passwords.py",
    "web/test_rows.py",
    "web/test_saml.py",
    "web/test_scrolling.py",
    "web/test_signup.py",
    "web/test_spectators.py",
    "web/test_transport.py",
    "web/test_webkit.py",
)

# Where the cases of one test differ in a rule, mostly in what is refused, and cause the same SQL:
# SQLite has all cases of a test, PostgreSQL the first two and the last.
FEW_CASES = ("actions/", "api/", "events/", "features/", "jobs/", "server/")

# What `make test` leaves to `--both`: a file, or one test in it. It runs if you name its file.
RARE = {
    # The same part in one more theme, width, zoom or direction.
    "web/test_accessibility.py::test_axe_finds_nothing_on_a_phone",
    "web/test_accessibility.py::test_axe_finds_nothing_on_pages_before_login",
    "web/test_accessibility.py::test_dialogs_fit_into_a_small_window",
    "web/test_accessibility.py::test_no_element_is_wider_than_a_small_window",
    "web/test_appearance.py::test_a_picture_has_its_link_text_as_alternative_text[soup.png]",
    "web/test_appearance.py::test_an_unreachable_server_is_not_shown_as_an_empty_channel",
    "web/test_appearance.py::test_an_unreachable_server_is_not_shown_as_no_conversations",
    "web/test_appearance.py::test_code_is_set_in_one_font_and_size",
    "web/test_appearance.py::test_the_document_is_as_high_as_the_window",
    "web/test_appearance.py::test_the_frame_of_a_picture_has_the_size_of_the_picture[size1]",
    "web/test_appearance.py::test_the_frame_of_a_picture_has_the_size_of_the_picture[size2]",
    "web/test_forwarding.py::test_axe_finds_nothing_in_the_forward_dialog",
    "web/test_languages.py::test_nothing_scrolls_sideways_between_320_and_1440_pixels",
    "web/test_languages.py::test_pages_before_login_fit_in_every_language",
    "web/test_operator.py::test_buttons_are_large_on_a_phone_and_plots_run_from_left_to_right_in_arabic",
    "web/test_operator.py::test_the_page_is_accessible_and_fits_a_phone",
    "web/test_right_to_left.py::test_a_number_of_more_people_has_its_sign_on_the_left_in_arabic",
    "web/test_right_to_left.py::test_the_login_page_is_right_to_left_in_arabic",
    "web/test_right_to_left.py::test_the_page_is_right_to_left_in_arabic",
    "web/test_right_to_left.py::test_the_placeholder_of_the_message_box_begins_at_the_right_in_arabic",
    "web/test_sidebar.py::test_on_a_phone_a_long_press_opens_the_menu_and_axe_finds_nothing",
    "web/test_switcher.py::test_axe_finds_nothing_in_the_switcher",
    "web/test_switcher.py::test_on_a_phone_the_switcher_fills_the_screen",
    "web/test_views.py::test_the_filters_of_the_inbox_begin_below_its_summary_on_a_phone",
    "web/test_zoom.py",
    # Administration that most owners use once a year.
    "web/test_administration.py::test_a_permission_of_a_channel_is_given_to_groups_and_people",
    "web/test_administration.py::test_a_refusal_in_the_list_of_people_says_who_may",
    "web/test_administration.py::test_a_refused_change_is_explained_and_stays",
    "web/test_administration.py::test_a_retention_says_how_many_messages_it_deletes",
    "web/test_administration.py::test_a_server_without_inbound_mail_says_so",
    "web/test_administration.py::test_a_user_exports_their_own_messages",
    "web/test_administration.py::test_an_administrator_changes_a_channel_exports_it_and_brings_it_back",
    "web/test_administration.py::test_an_administrator_ends_sessions_and_renews_a_key",
    "web/test_administration.py::test_an_administrator_hands_over_a_password_link",
    "web/test_administration.py::test_an_administrator_resets_a_second_factor",
    "web/test_administration.py::test_an_owner_exports_the_messages_of_a_user_who_agrees",
    "web/test_administration.py::test_every_setting_is_changed_in_the_page_and_read_back_by_the_api",
    "web/test_administration.py::test_hundreds_of_people_are_filtered_sorted_and_given_a_role_together",
    "web/test_administration.py::test_leaving_an_open_list_of_channels_changes_nothing",
    "web/test_administration.py::test_more_than_a_page_of_people_is_listed_and_searched",
    "web/test_administration.py::test_others_learn_who_may_change_a_setting",
    "web/test_administration.py::test_others_read_who_has_a_permission",
    "web/test_administration.py::test_people_are_found_sorted_and_given_roles_together",
    "web/test_administration.py::test_people_fit_on_a_small_phone_and_are_accessible",
    "web/test_administration.py::test_permissions_of_a_channel_are_explained_in_sentences",
    "web/test_administration.py::test_settings_are_changed_with_the_keyboard_alone",
    "web/test_administration.py::test_the_details_of_a_person_have_groups_storage_and_sessions",
    "web/test_administration.py::test_the_log_of_a_person_opens_from_their_account",
    "web/test_administration.py::test_the_mail_address_of_a_channel_is_renewed",
    "web/test_administration.py::test_the_mail_address_of_a_channel_is_shown_on_request",
    "web/test_administration.py::test_what_the_server_fixes_is_shown_with_its_setting",
    "web/test_agents.py::test_an_agent_is_ended_in_the_settings",
    "web/test_agents.py::test_somebody_else_at_the_same_browser_logs_in_and_decides",
    "web/test_agents.py::test_the_consent_page_leads_to_what_an_agent_is",
    "web/test_first_run.py::test_new_members_see_the_introduction_to_topics_once",
    "web/test_operator.py::test_the_check_shows_what_it_found",
    "web/test_operator.py::test_the_support_bundle_has_no_contents_and_no_secrets",
    "web/test_oversight.py::test_a_template_is_previewed_in_the_page",
    "web/test_oversight.py::test_an_entry_has_a_permanent_link",
    "web/test_oversight.py::test_an_example_is_sent_from_the_page_of_a_service",
    "web/test_oversight.py::test_axe_finds_nothing",
    "web/test_oversight.py::test_bots_are_shown_with_owner_key_and_failures",
    "web/test_oversight.py::test_no_element_is_wider_than_a_small_phone",
    "web/test_oversight.py::test_owners_put_people_and_channels_on_hold_and_end_it",
    "web/test_oversight.py::test_owners_see_the_state_of_the_server",
    "web/test_oversight.py::test_the_audit_log_says_what_was_changed_from_and_to",
    "web/test_oversight.py::test_the_filtered_log_is_downloaded_as_csv",
    "web/test_oversight.py::test_the_filters_are_part_of_the_address",
    "web/test_oversight.py::test_the_list_of_holds_follows_what_another_owner_does",
    "web/test_oversight.py::test_usage_has_plots_and_tables",
    # Dialogs and buttons that are opened seldom.
    "web/test_answers.py::test_a_finished_answer_says_how_long_it_took",
    "web/test_answers.py::test_a_message_of_an_agent_names_the_program",
    "web/test_answers.py::test_a_message_of_the_bot_is_not_shown_beside_its_growing_text",
    "web/test_answers.py::test_a_stopped_answer_is_deleted_from_its_menu",
    "web/test_answers.py::test_an_answer_that_broke_off_can_be_asked_for_again",
    "web/test_answers.py::test_others_see_no_stop_button_and_the_text_from_before_they_came",
    "web/test_answers.py::test_the_asking_user_and_the_owner_of_the_bot_can_delete_a_stopped_answer",
    "web/test_answers.py::test_the_messages_to_which_an_answer_links_are_its_sources",
    "web/test_attachments.py::test_a_file_that_is_too_large_is_refused_before_it_is_sent",
    "web/test_attachments.py::test_an_upload_goes_on_while_another_conversation_is_open",
    "web/test_catch_up.py::test_a_conversation_is_marked_as_read_in_the_card",
    "web/test_catch_up.py::test_a_topic_is_summarized_after_the_page_has_said_where_it_is_sent",
    "web/test_catch_up.py::test_all_of_the_card_is_marked_as_read_by_keyboard_and_undone",
    "web/test_catch_up.py::test_the_card_opens_from_any_view_and_closes_by_keyboard",
    "web/test_compose.py::test_an_administrator_sets_the_send_key_of_new_accounts",
    "web/test_compose.py::test_the_key_that_sends_is_shown_and_can_be_changed_in_its_menu",
    "web/test_compose.py::test_the_link_of_a_topic_is_copied",
    "web/test_compose.py::test_the_source_of_a_message_is_shown",
    "web/test_compose_box.py::test_the_box_fills_the_view_and_escape_brings_the_messages_back",
    "web/test_compose_box.py::test_the_box_is_resized_by_keys_and_by_dragging",
    "web/test_desktop.py::test_the_page_provides_the_interface_of_the_desktop_app",
    "web/test_emoji_and_status.py::test_the_picker_has_groups_tones_and_all_emoji_but_few_elements",
    "web/test_emoji_and_status.py::test_the_server_stores_the_end_of_a_status",
    "web/test_error_texts.py::test_an_error_without_a_text_is_shown_with_the_words_of_the_server",
    "web/test_forms.py::test_a_call_is_offered_where_the_organization_has_a_provider",
    "web/test_forms.py::test_a_card_shows_shared_channels_and_groups",
    "web/test_forms.py::test_a_heading_gets_its_own_line",
    "web/test_forms.py::test_every_form_that_asks_for_a_moment_has_the_same_field",
    "web/test_forms.py::test_a_spoiler_hides_the_selected_text",
    "web/test_forms.py::test_a_table_is_written_without_its_syntax",
    "web/test_forms.py::test_a_time_is_inserted_with_its_offset",
    "web/test_forms.py::test_a_time_of_another_zone_is_found_by_its_city",
    "web/test_forms.py::test_a_to_do_list_is_sent",
    "web/test_forms.py::test_an_empty_list_says_how_it_is_filled_and_leads_on",
    "web/test_forms.py::test_an_outgoing_webhook_is_added_with_its_address",
    "web/test_forms.py::test_escape_asks_before_it_discards_a_form",
    "web/test_forms.py::test_options_of_a_poll_are_moved_by_their_grips_and_by_keys",
    "web/test_forms.py::test_people_of_a_profile_field_are_found_by_some_letters",
    "web/test_forms.py::test_the_author_of_a_poll_can_keep_its_options",
    "web/test_forms.py::test_the_card_of_a_person_who_has_left_offers_no_conversation",
    "web/test_forms.py::test_the_list_of_drafts_says_so_when_its_last_one_is_deleted",
    "web/test_forms.py::test_the_menu_holds_what_a_narrow_toolbar_leaves_out",
    "web/test_forms.py::test_the_own_time_zone_is_found_by_its_city",
    "web/test_forms.py::test_the_zuliprc_of_a_bot_with_a_long_address_is_one_word",
    "web/test_forms.py::test_uploaded_files_are_listed_and_deleted",
    "web/test_forwarding.py::test_forwarding_needs_the_permission_to_send",
    "web/test_forwarding.py::test_the_source_and_the_links_of_topic_and_channel_are_copied",
    "web/test_link_previews.py::test_a_preview_is_hidden_by_its_sender_for_all_and_by_others_for_them",
    "web/test_long_content.py::test_a_message_at_the_end_grows_downwards",
    "web/test_message_actions.py::test_a_channel_opens_in_the_view_of_the_setting",
    "web/test_message_actions.py::test_a_message_is_reported_and_its_channel_left",
    "web/test_message_actions.py::test_a_restored_message_is_shown_in_its_old_place",
    "web/test_message_actions.py::test_a_topic_is_moved_to_a_channel_that_is_found_by_a_few_letters",
    "web/test_sidebar.py::test_the_menu_of_the_open_channel_names_its_keys_and_they_work",
    "web/test_sidebar.py::test_the_menus_of_topics_and_people_act_on_them",
    "web/test_single_sign_on.py::test_the_window_of_the_desktop_app_reads_the_token_from_the_clipboard",
    "web/test_switcher.py::test_control_enter_opens_a_new_tab_and_the_switcher_is_used_again",
    "web/test_switcher.py::test_rows_end_with_the_time_of_the_last_message_or_visit",
    "web/test_undo.py::test_after_six_seconds_the_message_is_deleted",
    "web/test_undo.py::test_control_z_unmutes_a_topic_and_restores_unread_messages",
    "web/test_undo.py::test_leaving_a_channel_and_moving_messages_can_be_undone",
    # One more case of an everyday action: another test of the same file does the action itself.
    "web/test_attachments.py::test_a_draft_keeps_its_attachments",
    "web/test_attachments.py::test_a_removed_attachment_is_not_sent_and_the_keyboard_goes_on",
    "web/test_compose.py::test_a_key_that_edits_the_text_does_not_end_the_typing[ArrowLeft]",
    "web/test_compose.py::test_a_key_that_edits_the_text_does_not_end_the_typing[Shift]",
    "web/test_compose.py::test_a_key_typed_when_the_page_gets_the_focus_is_entered_in_the_box",
    "web/test_compose.py::test_a_renamed_channel_changes_only_the_name_of_the_destination",
    "web/test_compose.py::test_a_topic_that_is_being_entered_keeps_the_focus",
    "web/test_compose.py::test_messages_are_sent_after_the_browser_storage_was_cleared",
    "web/test_compose.py::test_shortcuts_are_ignored_right_after_a_text_field_is_removed",
    "web/test_compose_box.py::test_a_message_is_quoted_whole_if_another_one_is_selected",
    "web/test_compose_box.py::test_a_message_of_exactly_the_longest_length_is_sent",
    "web/test_compose_box.py::test_a_message_to_another_topic_waits_for_the_connection",
    "web/test_compose_box.py::test_a_new_topic_and_the_way_back",
    "web/test_compose_box.py::test_a_refusal_is_said_where_the_message_is_not_shown",
    "web/test_compose_box.py::test_a_renamed_topic_elsewhere_changes_only_the_destination",
    "web/test_compose_box.py::test_a_writer_who_is_not_subscribed_can_subscribe",
    "web/test_compose_box.py::test_escape_closes_the_list_of_destinations_and_changes_nothing",
    "web/test_compose_box.py::test_notices_are_at_the_start_of_the_frame_above_the_compose_box",
    "web/test_compose_box.py::test_only_the_selected_part_of_a_message_is_quoted[key]",
    "web/test_compose_box.py::test_sent_to_another_topic_is_said_only_after_the_answer",
    "web/test_compose_box.py::test_unresolving_is_offered_only_to_those_who_may",
    "web/test_message_actions.py::test_a_channel_that_a_guest_may_not_see_is_explained",
    "web/test_message_actions.py::test_a_message_to_a_person_who_has_left_meanwhile_is_refused_in_plain_words",
    "web/test_message_actions.py::test_an_empty_archived_topic_does_not_invite_to_write",
    "web/test_message_actions.py::test_deleting_a_topic_says_how_many_messages_go_and_since_when",
    "web/test_message_actions.py::test_where_a_group_writes_others_can_answer_the_author_directly",
    "web/test_sidebar.py::test_a_message_changes_the_sum_of_a_closed_section",
    "web/test_sidebar.py::test_a_message_in_the_open_topic_leaves_the_header_alone",
    "web/test_sidebar.py::test_a_message_redraws_only_changed_rows",
    "web/test_sidebar.py::test_a_name_is_clipped_only_if_it_may_be_too_long",
    "web/test_switcher.py::test_escape_restores_focus_and_text",
    "web/test_views.py::test_a_search_for_an_unknown_name_links_the_nearest_ones",
    "web/test_views.py::test_a_search_that_the_server_rejects_shows_a_text_of_the_page",
    "web/test_views.py::test_search_suggests_dates_and_finds_by_them",
    # What happens to one page in thousands: many tabs, another language, an import at the start.
    "crash/test_page.py",
    "web/test_account_data.py::test_logging_out_in_one_tab_deletes_the_data_of_all_tabs",
    "web/test_first_run.py::test_an_import_replaces_the_setup_form",
    "web/test_first_run.py::test_the_log_of_the_start_precedes_the_address_of_the_page",
    "web/test_long_content.py::test_long_code_is_shortened_on_its_own",
    "web/test_long_content.py::test_more_than_thirty_reactions_are_shortened",
    "web/test_long_content.py::test_the_focus_on_a_hidden_link_shows_all",
    "web/test_long_sessions.py::test_a_reload_keeps_edits_and_dialogs",
    "web/test_long_sessions.py::test_a_right_to_left_name_does_not_reorder_its_line",
    "web/test_long_sessions.py::test_a_view_at_its_end_follows_many_messages_a_second",
    "web/test_long_sessions.py::test_an_own_message_sent_after_a_reload_is_not_marked_new",
    "web/test_long_sessions.py::test_five_tabs_share_one_poll",
    "web/test_long_sessions.py::test_only_messages_in_view_are_marked_read_at_a_restored_position",
    "web/test_long_sessions.py::test_switching_dialogs_quickly_leaves_one_open",
    "web/test_long_sessions.py::test_what_was_read_just_before_a_reload_is_marked_after_it",
    "web/test_race_conditions.py::test_a_late_answer_does_not_affect_the_next_view",
    "web/test_race_conditions.py::test_a_poll_whose_code_did_not_load_is_drawn_later",
    "web/test_race_conditions.py::test_a_section_drawn_late_does_not_take_the_address_back",
    "web/test_race_conditions.py::test_going_to_and_fro_while_a_dialog_loads_opens_it_once",
    "web/test_race_conditions.py::test_events_during_a_request_are_not_overwritten_by_its_answer",
    "web/test_race_conditions.py::test_loading_older_messages_at_the_upper_edge_moves_no_row",
    "web/test_service_worker.py::test_a_page_reloads_at_once_after_its_language_changed",
    # Another user of the system, or a browser beside a command: a few tests with many processes.
    "cli/test_file_owner.py",
    "transfer/backup/test_connected_clients.py::test_clients_register_again_after_a_restore",
    "transfer/exporting/test_html_archive.py::test_the_search_of_an_archive_works_without_a_server",
    # Bounds of the search index on thousands of messages.
    "storage/test_search_batches.py::test_a_message_of_an_older_index_loses_its_words_a_few_at_a_time",
    "storage/test_search_batches.py::test_deleting_messages_writes_a_bounded_number_of_rows_of_the_index",
    "storage/test_search_batches.py::test_signatures_exclude_nearly_all_messages_without_a_phrase",
    # `make check` runs them.
    "test_architecture.py",
    # Guides and examples; their parts have tests.
    "mcp/test_guide.py",
    "tools/test_generated_organization.py",
}

# Fixtures and paths of the tests that `--sqlite` leaves out besides: they take most of the time.
# A file of SLOW runs if you name it.
BROWSERS = {"chromium", "window"}
SLOW = (
    "crash/",
    "laws/",
    "simulation/",
    "transfer/",
    # They start processes.
    "abuse/test_connections.py",
    "abuse/test_file_modes.py",
    "cli/test_secret.py",
    "server/test_certificates.py",
    "server/test_process.py",
    "test_acme.py",
    "test_monitoring_files.py",
    "test_package.py",
    # Bounds of time and space, and thousands of random requests.
    "abuse/test_fuzzing.py",
    "abuse/test_index_load.py",
    "abuse/test_latency_guard.py",
    "markdown/test_time.py",
    "storage/test_search_batches.py",
)

NEEDS_POSTGRES = {"pair", "two_servers"}  # fixtures that start servers on PostgreSQL by themselves


def thorough_except(quick: Iterable[Any], values: Iterable[Any]) -> list[Any]:
    """Parameters of a test: `make test` runs the quick ones, `--both` all."""
    chosen = list(quick)
    return [
        pytest.param(each, marks=() if each in chosen else pytest.mark.thorough) for each in values
    ]


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("databases")
    group.addoption("--sqlite", action="store_true", help="the quick run: SQLite, no browser")
    group.addoption("--both", action="store_true", help="run every test on both databases")


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Drop the tests that the plan leaves out."""
    if config.getoption("sqlite"):
        os.environ["TERTULIA_TEST_POSTGRES"] = ""
    missing = [
        each for each in (*ON_BOTH, *ON_POSTGRES, *ON_ONE, *RARE, *SLOW) if not _exists(each)
    ]
    if missing:
        raise pytest.UsageError(f"the plan names tests that do not exist: {missing}")
    names = {item.nodeid for item in items}
    left_out = [item for item in items if not _is_planned(item, config, names)]
    left_out += set(_further_cases(items, names)).difference(left_out)
    dropped = set(left_out)
    items[:] = [item for item in items if item not in dropped]
    config.hook.pytest_deselected(items=left_out)


def _is_planned(item: pytest.Item, config: pytest.Config, names: set[str]) -> bool:
    path, fixtures = item.nodeid.removeprefix("tests/"), getattr(item, "fixturenames", ())
    if NEEDS_POSTGRES.intersection(fixtures):
        item.add_marker(pytest.mark.postgres)
    has_twin = _has_twin(item, names)
    if has_twin and path.startswith(ON_ONE):
        return False
    if config.getoption("both"):
        return True
    if item.get_closest_marker("thorough"):
        return False
    if _is_rare(path) and not _is_named(path, config):
        return False
    if config.getoption("sqlite"):
        is_slow = path.startswith(SLOW) and not _is_named(path, config)
        is_slow = is_slow or bool(BROWSERS.intersection(fixtures))
        return not (is_slow or item.get_closest_marker("postgres"))
    if not item.get_closest_marker("postgres"):
        twin = item.nodeid.replace("sqlite", "postgres")
        is_doubled = twin != item.nodeid and twin in names
        is_on_one = item.get_closest_marker("on_one") or path.startswith(ON_ONE)
        return bool(is_on_one) or not (is_doubled and _is_on_postgres(path))
    if not has_twin:
        return True
    if item.get_closest_marker("on_one"):
        return False
    return bool(item.get_closest_marker("on_both")) or path.startswith((*ON_BOTH, *ON_POSTGRES))


def _further_cases(items: list[pytest.Item], names: set[str]) -> list[pytest.Item]:
    """Cases of tests on PostgreSQL that are like those before them."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        test = item.nodeid.removeprefix("tests/").partition("[")[0]
        if test.startswith(FEW_CASES) and _has_twin(item, names):
            cases[test].append(item)
    return [
        item
        for found in cases.values()
        for item in found[2:-1]
        if not item.get_closest_marker("on_both")
    ]


def _has_twin(item: pytest.Item, names: set[str]) -> bool:
    """Whether a test on PostgreSQL is also one on SQLite."""
    twin = item.nodeid.replace("postgres", "sqlite")
    return twin != item.nodeid and twin in names and bool(item.get_closest_marker("postgres"))


def _is_rare(path: str) -> bool:
    test = path.partition("[")[0]
    return path in RARE or test in RARE or test.partition("::")[0] in RARE


def _is_named(path: str, config: pytest.Config) -> bool:
    """Whether the command line names the file of a test, as in `pytest tests/web/test_zoom.py`."""
    file = path.partition("::")[0]
    return any(each.partition("::")[0].endswith(file) for each in config.args)


def _is_on_postgres(path: str) -> bool:
    return path.startswith(ON_POSTGRES) and not path.startswith(ON_BOTH) and not unreachable()


def _exists(planned: str) -> bool:
    path, _, name = planned.partition("::")
    if not name:
        return (TESTS / path).exists()
    source = TESTS / path
    function = name.partition("[")[0]
    return source.exists() and f"def {function}(" in source.read_text(encoding="utf-8")


def summary(reporter: pytest.TerminalReporter) -> str:
    """How many tests ran on each database."""
    ran = [each for outcome in ("passed", "failed") for each in reporter.stats.get(outcome, [])]
    counts = {kind: sum(kind in each.keywords for each in ran) for kind in ("sqlite", "postgres")}
    without = len(ran) - sum(counts.values())
    return (
        f"Databases: {counts['sqlite']} tests on SQLite, {counts['postgres']} on PostgreSQL,"
        f" {without} without one"
    )
