"""The bounds that clients are told at register and that every caller is held to."""

MESSAGE_LENGTH = 10_000
TOPIC_LENGTH = 60
CHANNEL_NAME_LENGTH = 60
CHANNEL_DESCRIPTION_LENGTH = 1024
FOLDER_NAME_LENGTH = 60
FOLDER_DESCRIPTION_LENGTH = 1024
FULL_NAME_LENGTH = 100
REMINDER_NOTE_LENGTH = 1000
REPORT_LENGTH = 1000
PASSWORD_LENGTH = 100
PASSWORD_SHORTEST = 8
SEND_KEY_LENGTH = 200
MAX_UNRESTRICTED_WILDCARD_RECIPIENTS = (
    15  # so many may be woken by a wildcard without a special right
)
MESSAGES_PER_FETCH = 5000
WORDS_PER_SEARCH = 100
NEW_SUBSCRIPTION_NOTICES = 100
RECIPIENTS_PER_MESSAGE = 1000
REACTIONS_PER_MESSAGE = 100  # of one person
EDITS_PER_MESSAGE = 200  # the newest; older ones are forgotten
EDITED_LENGTH = 1_000_000  # characters of them, as text and as HTML
EMOJI_NAME_LENGTH = 100
EMOJI_BYTES = 5 << 20
EDIT_GRACE_SECONDS = 20  # an edit that began in time may end a moment late
DELETE_BATCH = 500
STATUS_LENGTH = 60
SNIPPET_TITLE_LENGTH = 60
NAVIGATION_FRAGMENT_LENGTH = 1000
NAVIGATION_NAME_LENGTH = 60
ALERT_WORD_LENGTH = 100
WEB_ADDRESS_LENGTH = 2000
BOT_MEMORY_KEY_LENGTH = 255
BOT_MEMORY_KEYS_PER_CALL = 1000
BOT_CONFIG_ENTRIES = 100
BOT_CONFIG_LENGTH = 1000  # of a key and of a value
AVATAR_BYTES = 5 << 20
REALM_PICTURE_BYTES = 5 << 20
PROFILE_LABEL_LENGTH = 40
PROFILE_HINT_LENGTH = 80
PROFILE_TEXT_LENGTH = 50
PROFILE_LONG_TEXT_LENGTH = 500
PROFILE_URL_LENGTH = 2000

# How much one person can pile up.
TOPIC_POLICIES = 50_000
MUTED_TOPICS = 2000  # told as a whole whenever one changes
DRAFTS = 1000  # all of them are told at register
SNIPPETS = 1000
SCHEDULED_MESSAGES = 20_000
REMINDERS = 20_000
MUTED_USERS = 2000
BOTS = 200  # deactivated ones included
BOT_MEMORY = 1_000_000  # characters, keys included
ALERT_WORDS = 500
NAVIGATION_VIEWS = 200
PUSH_SUBSCRIPTIONS = 20  # one more takes the place of the oldest
DEVICES = 20  # likewise
PASSKEYS = 20
PASSKEY_NAME_LENGTH = 60
SESSIONS = 100  # one more takes the place of that which was not used for longest

# How much one person can make, with their bots, that all others are told of.
CHANNELS = 5000  # archived ones included
GROUPS = 1000
EMOJI = 500
NEW_CHANNELS_PER_CALL = 100
SUBSCRIPTIONS_PER_CALL = 10_000  # channels times people

FOLDERS = 1000  # of an organization

# How much an organization can ask its people.
PROFILE_FIELDS = 100  # all of them are told whenever one changes
PROFILE_FIELDS_IN_SUMMARY = 2
PROFILE_CHOICES = 100
PROFILE_USERS = 100

LARGEST_ID = 2**63 - 1  # what a database can count to

TYPING_SUBSCRIBERS = 100  # in larger channels nobody is told who types
PRESENCE_USERS = 100  # in larger organizations nobody is told who has come online
