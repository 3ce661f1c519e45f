"""What users keep for themselves."""

from tertulia.api.personal import settings, settings_of_others, topic_policies
