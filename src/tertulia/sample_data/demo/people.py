"""Users and channels of the demo. Days are counted backwards from today."""

from dataclasses import dataclass, field

from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.people.user import BotType, Role, User

ORGANIZATION = "Cine Linterna"
DOMAIN = "linterna.example"
FOUNDED = 30  # days ago


@dataclass(frozen=True, slots=True)
class DemoPeople:
    """The users who can log in, and their common password."""

    people: list[User]
    password: str
    # By name the address and the API key, if the accounts were just created.
    new_keys: dict[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Character:
    key: str  # their name in the script
    full_name: str
    role: Role = Role.MEMBER
    since: int = FOUNDED
    bot_type: BotType | None = None
    owner: str | None = None

    @property
    def email(self) -> str:
        return address(self.key)


@dataclass(frozen=True, slots=True)
class DemoRoom:
    channel: NewChannel
    creator: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LateJoin:
    """A user who joins a channel later than the others."""

    days_ago: int
    person: str
    room: str


def address(key: str) -> str:
    return f"{key}@{DOMAIN}"


PEOPLE = (
    Character("marta", "Marta Olmedo", Role.OWNER),
    Character("jonas", "Jonas Weber", Role.ADMINISTRATOR),
    Character("aiko", "Aiko Tanaka", Role.MODERATOR),
    Character("tomas", "Tomás Rey"),
    Character("nour", "Nour Haddad"),
    Character("priya", "Priya Raman"),
    Character("lucia", "Lucía Vidal"),
    Character("sam", "Sam Okafor"),
    Character("olek", "Olek Nowak"),
    Character("henrik", "Henrik Dahl", Role.GUEST, since=15),
    Character("box-office", "Box Office", since=26, bot_type=BotType.GENERIC, owner="priya"),
    Character("weather", "Weather", since=19, bot_type=BotType.INCOMING_WEBHOOK, owner="olek"),
)

GUEST = address("nour")  # the account for visitors

# Besides `general` and `sandbox`, which every organization has.
ROOMS = (
    DemoRoom(
        NewChannel("programme", "What we show, and when, and why."),
        creator="aiko",
        members=("aiko", "marta", "tomas", "lucia", "sam", "olek", "nour", "priya", "jonas"),
    ),
    DemoRoom(
        NewChannel("projection", "Light, sound, and the machine that makes them."),
        creator="tomas",
        members=("tomas", "olek", "sam", "aiko", "lucia", "jonas"),
    ),
    DemoRoom(
        NewChannel("website", "Tickets, pages, and where the numbers come from."),
        creator="priya",
        members=("priya", "lucia", "olek", "jonas", "nour", "marta", "aiko", "sam"),
    ),
    DemoRoom(
        NewChannel("kitchen", "The café: soup, bread, popcorn and **the other thing**."),
        creator="nour",
        members=("nour", "lucia", "sam", "tomas", "aiko", "jonas", "olek", "marta"),
    ),
    DemoRoom(
        NewChannel(
            "grant application",
            "Private. New members can read the whole history.",
            invite_only=True,
            history_public=True,
        ),
        creator="marta",
        members=("marta", "jonas", "aiko"),
    ),
    DemoRoom(
        NewChannel(
            "board",
            "Private. New members can read what is sent after they join.",
            invite_only=True,
            history_public=False,
        ),
        creator="marta",
        members=("marta", "jonas"),
    ),
)

# Folders, in the order of the sidebar, and the channels in them.
FOLDERS = {
    "The house": ("general", "programme", "kitchen"),
    "Behind the screen": ("projection", "website", "sandbox"),
    "Office": ("grant application", "board"),
}

# Statuses: an emoji and a text.
STATUSES = {
    "nour": ("stew", "making stock"),
    "tomas": ("movie_camera", "in the booth, do not knock"),
    "olek": ("ladder", "on the roof"),
    "priya": ("ticket", "counting"),
}

PUBLIC = ("general", "programme", "website")  # where the server allows web-public channels
MUTED_CHANNELS = (("nour", "sandbox"), ("priya", "sandbox"))  # muted channels by user

LATE_JOINS = (
    LateJoin(15, "henrik", "projection"),
    LateJoin(15, "henrik", "sandbox"),
    LateJoin(10, "aiko", "board"),
)
