"""For bot authors: a real server for tests, in a folder that is gone afterwards.

    from tertulia.testing import started

    with started() as chat:
        ana, helper = chat.person("Ana"), chat.bot("Helper")
        chat.channel("general", ana, helper)

There is also a pytest plugin, which is there once Tertulia is installed: ask for `chat_server`.
docs/bots.md shows a bot of ten lines and its test.
"""

from tertulia.testing.people import Account, ApiRefusal
from tertulia.testing.server import ChatServer, started

__all__ = ["Account", "ApiRefusal", "ChatServer", "started"]
