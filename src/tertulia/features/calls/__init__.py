"""Calls between browsers: the server introduces the participants, and sound and pictures go from
browser to browser.

A call belongs to a message of a topic or a direct conversation: who may read the message may join.
A participant is a session of a browser with a lease, so that a dead browser leaves. All that is
stored is who is in which call, so a call goes on while the server is down.
"""

from tertulia.features.calls import endpoints, ice, rings, running_calls
