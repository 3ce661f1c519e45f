"""Scheduled messages: written now, sent later."""

from tertulia.features.scheduled import endpoints, entry, sender, transactions
