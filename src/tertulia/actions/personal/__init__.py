"""Personal settings and data of a user."""

from tertulia.actions.personal import settings, topic_policies
