"""Who is in the demo, and the rooms they meet in. Days are counted backwards from today."""

from dataclasses import dataclass

from tertulia.domain.channels import NewChannel
from tertulia.domain.users import BotType, Role

ORGANIZATION = "Cine Linterna"
DOMAIN = "linterna.example"
FOUNDED = 30  # days ago


@dataclass(frozen=True, slots=True)
class Person:
    key: str  # how the script calls them
    full_name: str
    role: Role = Role.MEMBER
    since: int = FOUNDED
    bot_type: BotType | None = None
    owner: str | None = None

    @property
    def email(self) -> str:
        return address(self.key)


@dataclass(frozen=True, slots=True)
class Room:
    channel: NewChannel
    creator: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody comes into a room later than the others."""

    days_ago: int
    person: str
    room: str


def address(key: str) -> str:
    return f"{key}@{DOMAIN}"


PEOPLE = (
    Person("marta", "Marta Olmedo", Role.OWNER),
    Person("jonas", "Jonas Weber", Role.ADMINISTRATOR),
    Person("aiko", "Aiko Tanaka", Role.MODERATOR),
    Person("tomas", "Tomás Rey"),
    Person("nour", "Nour Haddad"),
    Person("priya", "Priya Raman"),
    Person("lucia", "Lucía Vidal"),
    Person("sam", "Sam Okafor"),
    Person("olek", "Olek Nowak"),
    Person("henrik", "Henrik Dahl", Role.GUEST, since=15),
    Person("box-office", "Box Office", since=26, bot_type=BotType.GENERIC, owner="priya"),
    Person("weather", "Weather", since=19, bot_type=BotType.INCOMING_WEBHOOK, owner="olek"),
)

# Besides `general` and `sandbox`, which every organization has from its first day on.
ROOMS = (
    Room(
        NewChannel("programme", "What we show, and when, and why."),
        creator="aiko",
        members=("aiko", "marta", "tomas", "lucia", "sam", "olek", "nour", "priya", "jonas"),
    ),
    Room(
        NewChannel("projection", "Light, sound, and the machine that makes them."),
        creator="tomas",
        members=("tomas", "olek", "sam", "aiko", "lucia", "jonas"),
    ),
    Room(
        NewChannel("website", "Tickets, pages, and where the numbers come from."),
        creator="priya",
        members=("priya", "lucia", "olek", "jonas", "nour", "marta", "aiko", "sam"),
    ),
    Room(
        NewChannel("kitchen", "The café: soup, bread, popcorn and **the other thing**."),
        creator="nour",
        members=("nour", "lucia", "sam", "tomas", "aiko", "jonas", "olek", "marta"),
    ),
    Room(
        NewChannel(
            "grant application",
            "Private. Whoever joins can read everything.",
            invite_only=True,
            history_public=True,
        ),
        creator="marta",
        members=("marta", "jonas", "aiko"),
    ),
    Room(
        NewChannel(
            "board",
            "Private. Whoever joins reads what is said from then on.",
            invite_only=True,
            history_public=False,
        ),
        creator="marta",
        members=("marta", "jonas"),
    ),
)

ARRIVALS = (
    Arrival(15, "henrik", "projection"),
    Arrival(15, "henrik", "sandbox"),
    Arrival(10, "aiko", "board"),
)
