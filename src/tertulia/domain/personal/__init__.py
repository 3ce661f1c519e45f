"""Personal settings, drafts, devices and notifications of a user."""
