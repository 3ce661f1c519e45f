"""Channels, access to them, their topics and folders."""

from tertulia.domain.channels import access, channel, topics
