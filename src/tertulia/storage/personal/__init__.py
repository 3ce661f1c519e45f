"""Personal data of users."""

from tertulia.storage.personal import alert_words, muted_users, topic_policies
