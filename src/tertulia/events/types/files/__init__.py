"""Event types of uploaded files."""

from tertulia.events.types.files import attachments
