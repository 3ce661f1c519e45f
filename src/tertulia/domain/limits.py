"""Limits of the API. Clients get some of them at register."""

MAX_MESSAGE_LENGTH = 10_000
MAX_TOPIC_LENGTH = 60
MAX_CHANNEL_NAME_LENGTH = 60
MAX_CHANNEL_DESCRIPTION_LENGTH = 1024
MAX_FOLDER_NAME_LENGTH = 60
MAX_FOLDER_DESCRIPTION_LENGTH = 1024
MAX_FULL_NAME_LENGTH = 100
MAX_REMINDER_NOTE_LENGTH = 1000
MAX_PASSWORD_LENGTH = 100
MIN_PASSWORD_LENGTH = 8
MAX_SEND_KEY_LENGTH = 200
MAX_UNRESTRICTED_WILDCARD_RECIPIENTS = (
    15  # channels with more members need a permission for wildcard mentions
)
MAX_MESSAGES_PER_FETCH = 5000
MAX_WORDS_PER_NARROW = 100  # in all its searches together
MAX_NEW_SUBSCRIPTION_NOTICES = 100
MAX_RECIPIENTS_PER_MESSAGE = 1000
MAX_REACTIONS_PER_MESSAGE = 100  # by one user
MAX_EDITS_PER_MESSAGE = 200  # the newest; older ones are deleted
MAX_EDITED_LENGTH = 1_000_000  # characters of all edits, as text and as HTML
MAX_EMOJI_NAME_LENGTH = 100
MAX_EMOJI_BYTES = 5 << 20
EDIT_GRACE_SECONDS = 20  # an edit that began in time may arrive later
DELETE_BATCH = 50  # messages
MAX_STATUS_LENGTH = 60
MAX_WEB_ADDRESS_LENGTH = 2000
MAX_SLOW_MODE_SECONDS = 3600
MAX_BOT_CONFIG_ENTRIES = 100
MAX_BOT_CONFIG_LENGTH = 1000  # of a key and of a value
MAX_AVATAR_BYTES = 5 << 20
MAX_REALM_PICTURE_BYTES = 5 << 20
MAX_PROFILE_LABEL_LENGTH = 40
MAX_PROFILE_HINT_LENGTH = 80
MAX_PROFILE_TEXT_LENGTH = 50
MAX_PROFILE_LONG_TEXT_LENGTH = 500
MAX_PROFILE_URL_LENGTH = 2000

# Limits per user.
MAX_TOPIC_POLICIES = 50_000
MAX_MUTED_TOPICS = 2000  # sent as a whole whenever one changes
# Characters of all scheduled messages, and of all reminders, as text and as HTML: all of them are
# in the register response. The first ones are not counted: that takes as long as reading them.
MAX_LATER_LENGTH = 10_000_000
LATER_UNCOUNTED = 500
MAX_BOTS = 200  # including deactivated ones
MAX_PUSH_SUBSCRIPTIONS = 20  # one more replaces the oldest
MAX_DEVICES = 20  # one more replaces the oldest
MAX_PASSKEYS = 20
MAX_PASSKEY_NAME_LENGTH = 60
MAX_SESSIONS = 100  # one more replaces the least recently used

# Limits per user, with their bots, of things that all others receive.
MAX_CHANNELS = 5000  # including archived ones
MAX_GROUPS = 1000
MAX_EMOJI = 500
MAX_NEW_CHANNELS_PER_CALL = 100
MAX_SUBSCRIPTIONS_PER_CALL = 10_000  # channels times users
MAX_SUBSCRIPTIONS_PER_WRITE = 400  # the others follow in writes of their own
MAX_MEMBERS_PER_WRITE = 1000  # of a group, also in writes of their own
MAX_NOTICES_PER_WRITE = 20  # to users who were subscribed
MAX_SUBSCRIPTION_SETTINGS_PER_CALL = 1000

MAX_MEMBERS_PER_PERMISSION = 1000  # users, and groups, that are named in place

# Limits per organization.
MAX_PROFILE_FIELDS = 100  # all of them are sent whenever one changes
MAX_PROFILE_FIELDS_IN_SUMMARY = 2
MAX_PROFILE_CHOICES = 100
MAX_PROFILE_USERS = 100

MAX_ID = 2**63 - 1  # maximum of a database integer
MAX_ID_DIGITS = 18  # as many always fit into one

MAX_PRESENCE_USERS = 100  # no events when a user becomes active in larger organizations
MAX_TIME = 253_402_300_799  # the last second of the year 9999
