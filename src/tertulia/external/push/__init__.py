"""Push notifications: browsers, and the push service of the phone apps."""
