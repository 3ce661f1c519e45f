"""Which tests run, and on which database. This module alone decides it.

A test that uses the fixture `kind`, itself or through `chat` and the like, exists twice: once
marked `sqlite`, once marked `postgres`.

    make test                   SQLite; PostgreSQL too for the paths in ON_BOTH and marked tests;
                                PostgreSQL instead of SQLite for ON_POSTGRES; not RARE
    make test ARGS=--sqlite     the quick run while you work: SQLite, no browser, not SLOW
    make test ARGS=--both       both databases, everything, as .ci/run does

Three marks change the plan of a single test in `make test`: `on_both` adds PostgreSQL, `on_one`
(the test is about no database) removes it, `thorough` leaves the test to `--both`. Tests that exist
for PostgreSQL alone always run. Some tests take the fixture `thorough` and do fewer rounds, or look
at fewer views, when it is false.

`make test` keeps a browser test of each everyday action, a good call of every operation on both
databases, every refusal, all abuse programs, and each kind of law and crash on PostgreSQL.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.support.databases import unreachable

TESTS = Path(__file__).parents[1]

# Below tests/: where the two databases differ most. `--both` runs everything else there, too.
ON_BOTH = (
    "api/test_openapi.py",  # a good call of every operation
    "crash/test_kill.py",
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

# What `make test` leaves to `--both`: a file, or one test in it. It runs if you name its file.
RARE = {
    # The same part in one more theme, width, zoom or direction.
    "web/test_accessibility.py::test_axe_finds_nothing_on_a_phone",
    "web/test_appearance.py::test_the_document_is_as_high_as_the_window",
    "web/test_forwarding.py::test_axe_finds_nothing_in_the_forward_dialog",
    "web/test_languages.py::test_nothing_scrolls_sideways_between_320_and_1440_pixels",
    "web/test_operator.py::test_the_page_is_accessible_and_fits_a_phone",
    "web/test_right_to_left.py::test_the_login_page_is_right_to_left_in_arabic[320]",
    "web/test_right_to_left.py::test_the_page_is_right_to_left_in_arabic[320]",
    "web/test_sidebar.py::test_on_a_phone_a_long_press_opens_the_menu_and_axe_finds_nothing",
    "web/test_switcher.py::test_axe_finds_nothing_in_the_switcher",
    "web/test_switcher.py::test_on_a_phone_the_switcher_fills_the_screen",
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
    "web/test_administration.py::test_an_administrator_resets_a_second_factor",
    "web/test_administration.py::test_an_owner_exports_the_messages_of_a_user_who_agrees",
    "web/test_administration.py::test_every_setting_is_changed_in_the_page_and_read_back_by_the_api",
    "web/test_administration.py::test_hundreds_of_people_are_filtered_sorted_and_given_a_role_together",
    "web/test_administration.py::test_leaving_an_open_list_of_channels_changes_nothing",
    "web/test_administration.py::test_more_than_a_page_of_people_is_listed_and_searched",
    "web/test_administration.py::test_others_learn_who_may_change_a_setting",
    "web/test_administration.py::test_others_read_who_has_a_permission",
    "web/test_administration.py::test_people_fit_on_a_small_phone_and_are_accessible",
    "web/test_administration.py::test_sections_of_settings_are_accessible_and_fit",
    "web/test_administration.py::test_settings_are_changed_with_the_keyboard_alone",
    "web/test_administration.py::test_the_details_of_a_person_have_groups_storage_and_sessions",
    "web/test_administration.py::test_the_log_of_a_person_opens_from_their_account",
    "web/test_administration.py::test_the_mail_address_of_a_channel_is_renewed",
    "web/test_administration.py::test_what_the_server_fixes_is_shown_with_its_setting",
    "web/test_agents.py::test_an_agent_is_ended_in_the_settings",
    "web/test_operator.py::test_the_check_shows_what_it_found",
    "web/test_oversight.py::test_a_template_is_previewed_in_the_page",
    "web/test_oversight.py::test_an_entry_has_a_permanent_link",
    "web/test_oversight.py::test_an_example_is_sent_from_the_page_of_a_service",
    "web/test_oversight.py::test_axe_finds_nothing",
    "web/test_oversight.py::test_bots_are_shown_with_owner_key_and_failures",
    "web/test_oversight.py::test_no_element_is_wider_than_a_small_phone",
    "web/test_oversight.py::test_owners_put_people_and_channels_on_hold_and_end_it",
    "web/test_oversight.py::test_the_filtered_log_is_downloaded_as_csv",
    "web/test_oversight.py::test_the_filters_are_part_of_the_address",
    "web/test_oversight.py::test_the_list_of_holds_follows_what_another_owner_does",
    "web/test_oversight.py::test_usage_has_plots_and_tables",
    # Dialogs and buttons that are opened seldom.
    "web/test_answers.py::test_a_finished_answer_says_how_long_it_took",
    "web/test_answers.py::test_a_stopped_answer_is_deleted_from_its_menu",
    "web/test_answers.py::test_an_answer_that_broke_off_can_be_asked_for_again",
    "web/test_answers.py::test_the_asking_user_and_the_owner_of_the_bot_can_delete_a_stopped_answer",
    "web/test_answers.py::test_the_messages_to_which_an_answer_links_are_its_sources",
    "web/test_attachments.py::test_a_draft_keeps_its_attachments[reload]",
    "web/test_attachments.py::test_an_upload_goes_on_while_another_conversation_is_open",
    "web/test_catch_up.py::test_a_topic_is_summarized_after_the_page_has_said_where_it_is_sent",
    "web/test_catch_up.py::test_all_of_the_card_is_marked_as_read_by_keyboard_and_undone",
    "web/test_compose.py::test_an_administrator_sets_the_send_key_of_new_accounts",
    "web/test_compose_box.py::test_the_box_fills_the_view_and_escape_brings_the_messages_back",
    "web/test_compose_box.py::test_the_box_is_resized_by_keys_and_by_dragging",
    "web/test_desktop.py::test_the_page_provides_the_interface_of_the_desktop_app",
    "web/test_emoji_and_status.py::test_the_server_stores_the_end_of_a_status",
    "web/test_error_texts.py::test_an_error_without_a_text_is_shown_with_the_words_of_the_server",
    "web/test_forms.py::test_a_call_is_offered_where_the_organization_has_a_provider",
    "web/test_forms.py::test_a_heading_gets_its_own_line",
    "web/test_forms.py::test_a_reminder_offers_the_times_of_scheduled_messages",
    "web/test_forms.py::test_a_spoiler_hides_the_selected_text",
    "web/test_forms.py::test_a_table_is_written_without_its_syntax",
    "web/test_forms.py::test_a_time_of_another_zone_is_found_by_its_city",
    "web/test_forms.py::test_a_to_do_list_is_sent",
    "web/test_forms.py::test_an_empty_list_says_how_it_is_filled_and_leads_on",
    "web/test_forms.py::test_an_outgoing_webhook_is_added_with_its_address",
    "web/test_forms.py::test_options_of_a_poll_are_moved_by_their_grips_and_by_keys",
    "web/test_forms.py::test_people_of_a_profile_field_are_found_by_some_letters",
    "web/test_forms.py::test_the_author_of_a_poll_can_keep_its_options",
    "web/test_forms.py::test_the_menu_holds_what_a_narrow_toolbar_leaves_out",
    "web/test_forms.py::test_the_own_time_zone_is_found_by_its_city",
    "web/test_forms.py::test_uploaded_files_are_listed_and_deleted",
    "web/test_forwarding.py::test_forwarding_needs_the_permission_to_send",
    "web/test_link_previews.py::test_a_preview_is_hidden_by_its_sender_for_all_and_by_others_for_them",
    "web/test_long_content.py::test_a_message_at_the_end_grows_downwards",
    "web/test_message_actions.py::test_a_channel_opens_in_the_view_of_the_setting",
    "web/test_message_actions.py::test_a_message_is_reported_and_its_channel_left",
    "web/test_message_actions.py::test_a_restored_message_is_shown_in_its_old_place",
    "web/test_message_actions.py::test_a_topic_is_moved_to_a_channel_that_is_found_by_a_few_letters",
    "web/test_single_sign_on.py::test_the_window_of_the_desktop_app_reads_the_token_from_the_clipboard",
    "web/test_switcher.py::test_control_enter_opens_a_new_tab_and_the_switcher_is_used_again",
    "web/test_switcher.py::test_rows_end_with_the_time_of_the_last_message_or_visit",
    "web/test_undo.py::test_after_six_seconds_the_message_is_deleted",
    "web/test_undo.py::test_control_z_unmutes_a_topic_and_restores_unread_messages",
    "web/test_undo.py::test_leaving_a_channel_and_moving_messages_can_be_undone",
    # What happens to one page in thousands: many tabs, another language, an import at the start.
    "web/test_first_run.py::test_an_import_replaces_the_setup_form",
    "web/test_first_run.py::test_the_log_of_the_start_precedes_the_address_of_the_page",
    "web/test_long_sessions.py::test_a_reload_keeps_edits_and_dialogs",
    "web/test_long_sessions.py::test_a_view_at_its_end_follows_many_messages_a_second",
    "web/test_long_sessions.py::test_five_tabs_share_one_poll",
    "web/test_service_worker.py::test_a_page_reloads_at_once_after_its_language_changed",
    # Another user of the system, or a browser beside a command: a few tests with many processes.
    "cli/test_file_owner.py",
    "transfer/backup/test_connected_clients.py::test_clients_register_again_after_a_restore",
    "transfer/exporting/test_html_archive.py::test_the_search_of_an_archive_works_without_a_server",
    # Bounds of the search index on thousands of messages.
    "storage/test_search_batches.py::test_deleting_messages_writes_a_bounded_number_of_rows_of_the_index",
    "storage/test_search_batches.py::test_signatures_exclude_nearly_all_messages_without_a_phrase",
    # The same due messages without a kill.
    "crash/test_scheduled_messages.py::test_messages_due_at_once_are_sent_once_and_in_order_while_users_chat",
    # Guides and examples; their parts have tests.
    "mcp/test_guide.py",
    "sample_data/test_generated.py",
}

# Fixtures and paths of the tests that `--sqlite` leaves out besides: they take most of the time.
BROWSERS = {"chromium", "window"}
SLOW = ("crash/", "laws/", "storage/test_search_batches.py")

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
    missing = [each for each in (*ON_BOTH, *ON_POSTGRES, *RARE, *SLOW) if not _exists(each)]
    if missing:
        raise pytest.UsageError(f"the plan names tests that do not exist: {missing}")
    names = {item.nodeid for item in items}
    left_out = [item for item in items if not _is_planned(item, config, names)]
    dropped = set(left_out)
    items[:] = [item for item in items if item not in dropped]
    config.hook.pytest_deselected(items=left_out)


def _is_planned(item: pytest.Item, config: pytest.Config, names: set[str]) -> bool:
    path, fixtures = item.nodeid.removeprefix("tests/"), getattr(item, "fixturenames", ())
    if NEEDS_POSTGRES.intersection(fixtures):
        item.add_marker(pytest.mark.postgres)
    if config.getoption("both"):
        return True
    if item.get_closest_marker("thorough"):
        return False
    if _is_rare(path) and not _is_named(path, config):
        return False
    if config.getoption("sqlite"):
        is_slow = path.startswith(SLOW) or BROWSERS.intersection(fixtures)
        return not (is_slow or item.get_closest_marker("postgres"))
    if not item.get_closest_marker("postgres"):
        twin = item.nodeid.replace("sqlite", "postgres")
        has_twin = twin != item.nodeid and twin in names
        return not (has_twin and _is_on_postgres(path)) or bool(item.get_closest_marker("on_one"))
    if item.nodeid.replace("postgres", "sqlite") not in names:
        return True
    if item.get_closest_marker("on_one"):
        return False
    return bool(item.get_closest_marker("on_both")) or path.startswith((*ON_BOTH, *ON_POSTGRES))


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
