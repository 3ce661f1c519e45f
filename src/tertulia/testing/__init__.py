"""For bot authors: a real server for tests, in a temporary folder.

    from tertulia.testing import started

    with started() as chat:
        ana, helper = chat.person("Ana"), chat.bot("Helper")
        chat.channel("general", ana, helper)

A pytest plugin is installed with Tertulia: use its fixture `chat_server`. docs/bots.md shows a bot
of ten lines and its test.
"""

from tertulia.testing.people import Account, ApiRefusal, EventQueue, WatchedAnswer
from tertulia.testing.server import ChatServer, started

__all__ = ["Account", "ApiRefusal", "ChatServer", "EventQueue", "WatchedAnswer", "started"]
