"""Texts of documents by language. English has all of them."""

from datetime import UTC, datetime

ENGLISH = {
    "months": "January February March April May June July August September October November"
    " December",
    "days": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "date": "{day} {month} {year}",
    "short_date": "{day} {short_month} {year}",
    "long_date": "{weekday}, {day} {month} {year}",
    "log_in": "Log in",
    "create_account": "Create an account",
    "skip_to_messages": "Skip to the conversation",
    "skip_to_topics": "Skip to the topics",
    "breadcrumb": "Breadcrumb",
    "messages": "Messages",
    "reactions": "Reactions",
    "public_channels": "Public channels",
    "newest_topics": "Newest topics",
    "no_topics": "There are no messages here yet.",
    "one_message": "1 message",
    "several_messages": "{count} messages",
    "many_messages": "{count}+ messages",
    "by_one": "by one person",
    "by_several": "by {count} people",
    "newest_first": "Newest topics first",
    "resolved": "Resolved",
    "bot": "bot",
    "edited": "edited",
    "pages": "Pages",
    "page_of": "Page {number} of {count}",
    "earlier_messages": "Earlier messages",
    "later_messages": "Later messages",
    "earlier_topics": "Earlier topics",
    "take_part": "Take part",
    "continue": "Continue in the chat",
    "continue_topic": "Answer, follow the topic, or ask something else. Reading needs no account.",
    "continue_channel": "Ask a question yourself. Reading needs no account.",
    "continue_index": "Members see all channels and can write. Reading these needs no account.",
    "open_chat": "Open in the chat",
    "foot": "Read-only pages of the chat of {name}, made with Tertulia.",
    "feed": "Feed (Atom)",
    "as_text": "As text",
    "description_topic": "Messages about “{topic}” in the channel {channel} of {name}.",
    "description_channel": "Topics of the channel {channel} of {name}.",
    "description_index": "Public channels of {name}.",
    "not_found": "This page does not exist",
    "not_found_explained": "It may have been moved or deleted, or it is not public.",
    "votes": "{count} votes",
    "one_vote": "1 vote",
    "done": "done",
    "general_chat": "general chat",
    "channels": "Channels",
    "direct_messages": "Direct messages",
    "search": "Search",
    "search_needs_script": "Searching needs JavaScript. Everything else works without it.",
    "pages_found": "{count} pages found",
    "page": "Page {number}",
    "later_topics": "Later topics",
    "one_topic": "1 topic",
    "several_topics": "{count} topics",
    "earlier_version": "Earlier version, {date}",
    "moved_here": "Moved from another topic",
    "archive_foot": "Archive of {name}, written by Tertulia on {date}.",
    "archive_of_person": "Messages that {name} wrote and received.",
}

SPANISH = {
    "months": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre"
    " diciembre",
    "days": "lunes martes miércoles jueves viernes sábado domingo",
    "date": "{day} de {month} de {year}",
    "short_date": "{day} {short_month} {year}",
    "long_date": "{weekday}, {day} de {month} de {year}",
    "log_in": "Entrar",
    "create_account": "Crear una cuenta",
    "skip_to_messages": "Ir a la conversación",
    "skip_to_topics": "Ir a los temas",
    "breadcrumb": "Ruta de navegación",
    "messages": "Mensajes",
    "reactions": "Reacciones",
    "public_channels": "Canales públicos",
    "newest_topics": "Temas más recientes",
    "no_topics": "Todavía no hay mensajes aquí.",
    "one_message": "1 mensaje",
    "several_messages": "{count} mensajes",
    "many_messages": "{count}+ mensajes",
    "by_one": "de una persona",
    "by_several": "de {count} personas",
    "newest_first": "Primero los temas más recientes",
    "resolved": "Resuelto",
    "bot": "bot",
    "edited": "editado",
    "pages": "Páginas",
    "page_of": "Página {number} de {count}",
    "earlier_messages": "Mensajes anteriores",
    "later_messages": "Mensajes posteriores",
    "earlier_topics": "Temas anteriores",
    "take_part": "Participar",
    "continue": "Continuar en el chat",
    "continue_topic": "Responde, sigue el tema o pregunta otra cosa. Para leer no hace falta"
    " una cuenta.",
    "continue_channel": "Haz una pregunta. Para leer no hace falta una cuenta.",
    "continue_index": "Los miembros ven todos los canales y pueden escribir. Para leer estos no"
    " hace falta una cuenta.",
    "open_chat": "Abrir en el chat",
    "foot": "Páginas de solo lectura del chat de {name}, hechas con Tertulia.",
    "feed": "Suscripción (Atom)",
    "as_text": "Como texto",
    "description_topic": "Mensajes sobre «{topic}» en el canal {channel} de {name}.",
    "description_channel": "Temas del canal {channel} de {name}.",
    "description_index": "Canales públicos de {name}.",
    "not_found": "Esta página no existe",
    "not_found_explained": "Puede que se haya movido o borrado, o que no sea pública.",
    "votes": "{count} votos",
    "one_vote": "1 voto",
    "done": "hecho",
    "general_chat": "chat general",
    "channels": "Canales",
    "direct_messages": "Mensajes directos",
    "search": "Buscar",
    "search_needs_script": "La búsqueda necesita JavaScript. Todo lo demás funciona sin él.",
    "pages_found": "{count} páginas encontradas",
    "page": "Página {number}",
    "later_topics": "Temas posteriores",
    "one_topic": "1 tema",
    "several_topics": "{count} temas",
    "earlier_version": "Versión anterior, {date}",
    "moved_here": "Movido desde otro tema",
    "archive_foot": "Archivo de {name}, escrito por Tertulia el {date}.",
    "archive_of_person": "Mensajes que {name} escribió y recibió.",
}

LANGUAGES = {"en": ENGLISH, "es": SPANISH}


class Texts:
    """The texts in one language, and dates written in it. Times are UTC."""

    def __init__(self, language: str) -> None:
        base = language.partition("-")[0].lower()
        self.language = base if base in LANGUAGES else "en"
        self._texts = LANGUAGES[self.language]

    def __getattr__(self, name: str) -> str:
        try:
            return self._texts[name]
        except KeyError:
            raise AttributeError(name) from None

    def count(self, number: int, most: int | None = None) -> str:
        """A number of messages; with `most`, that number means as many or more."""
        if number == 1:
            return self.one_message
        several = self.many_messages if number == most else self.several_messages
        return several.format(count=f"{number:,}")

    def votes_of(self, voters: list[int]) -> str:
        return self.one_vote if len(voters) == 1 else self.votes.format(count=len(voters))

    def date(self, at: float) -> str:
        return self._written("date", at)

    def short_date(self, at: float) -> str:
        return self._written("short_date", at)

    def long_date(self, at: float) -> str:
        return self._written("long_date", at)

    def _written(self, form: str, at: float) -> str:
        moment = datetime.fromtimestamp(at, UTC)
        month = self.months.split(" ")[moment.month - 1]
        return self._texts[form].format(
            day=moment.day,
            month=month,
            short_month=month[:3],
            year=moment.year,
            weekday=self.days.split(" ")[moment.weekday()],
        )
