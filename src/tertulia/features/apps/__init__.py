"""Commands, buttons and forms: what bots offer to people, and what people answer."""

from tertulia.features.apps import buttons, commands, endpoints, fields, interactions, webhooks
