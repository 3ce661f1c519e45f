"""`tertulia user`: the list of its commands."""

import click

from tertulia.cli.command_group import CommandGroup

USER_COMMANDS = {
    "add": (
        "users.add",
        "Add a person or a bot, and print the API key.",
    ),
    "list": (
        "user_list.list_users",
        "List all accounts, including bots and deactivated ones.",
    ),
    "invite": (
        "user_import.invite",
        "Invite people by mail; without EMAIL, print a link that several people can use.",
    ),
    "import": (
        "user_import.import_people",
        "Create accounts from a CSV file: all of them, or none.",
    ),
    "role": (
        "users.role",
        "Change the role of an account.",
    ),
    "deactivate": (
        "users.deactivate",
        "Deactivate an account; its API key and sessions stop working at once.",
    ),
    "reactivate": (
        "users.reactivate",
        "Reactivate an account; a bot with a deactivated owner gets a new key.",
    ),
    "erase": (
        "users.erase",
        "Deactivate an account and delete its data.",
    ),
    "password": (
        "passwords.set_password",
        "Set a user's password: prompt for it, or read the first line of stdin.",
    ),
    "link": (
        "passwords.make_link",
        "Print a link to choose a password; it works once, for 24 hours.",
    ),
    "end-password": (
        "passwords.end_password",
        "Make passwords invalid, so that users must choose new ones.",
    ),
    "reset-key": (
        "users.reset_key",
        "Replace the API key and print the new one; the old key stops working at once.",
    ),
    "zuliprc": (
        "users.print_zuliprc",
        "Print a zuliprc file for a client or a bot.",
    ),
    "sessions": (
        "users.sessions",
        "List the browser sessions of a user, most recently used first.",
    ),
    "unlock": (
        "users.unlock",
        "Clear the failed login attempts of a user, so that they can log in again.",
    ),
    "second-factor": (
        "users.second_factor",
        "Show or remove the second factor of a user.",
    ),
    "unlink": (
        "users.unlink",
        "Remove the link to a login provider; the next login matches by email address.",
    ),
}


@click.group(cls=CommandGroup, table=USER_COMMANDS)
def user() -> None:
    """Manage accounts: add, list, change, deactivate, erase; passwords and API keys."""
