"""Messages, conversations, and what belongs to them."""
