"""Event types of channels and subscriptions."""

from tertulia.events.types.channels import channel, subscriptions
