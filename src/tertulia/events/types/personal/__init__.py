"""Event types of personal settings and data. Only the user's own clients receive them."""
