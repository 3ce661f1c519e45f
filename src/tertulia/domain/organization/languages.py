"""Languages that users and organizations can choose, each by its own name."""

LANGUAGES = {
    "ar": "العربيّة",
    "be": "беларуская",
    "bg": "български",
    "ca": "català",
    "cs": "česky",
    "cy": "Cymraeg",
    "da": "dansk",
    "de": "Deutsch",
    "el": "Ελληνικά",
    "en": "English",
    "en-gb": "British English",
    "eo": "Esperanto",
    "es": "español",
    "et": "eesti",
    "eu": "Basque",
    "fa": "فارسی",
    "fi": "suomi",
    "fr": "français",
    "gl": "galego",
    "gu": "ગુજરાતી",
    "he": "עברית",
    "hi": "हिंदी",
    "hu": "Magyar",
    "id": "Bahasa Indonesia",
    "it": "italiano",
    "ja": "日本語",
    "kk": "Қазақ",
    "ko": "한국어",
    "lt": "Lietuviškai",
    "lv": "latviešu",
    "ml": "മലയാളം",
    "mn": "Монгол",
    "nb": "norsk (bokmål)",
    "nl": "Nederlands",
    "pl": "polski",
    "pt": "Português",
    "pt-br": "Português Brasileiro",
    "pt-pt": "Português europeu",
    "ro": "Română",
    "ru": "Русский",
    "si": "සිංහල",
    "sk": "slovenčina",
    "sl": "slovenščina",
    "sr": "српски",
    "sv": "svenska",
    "ta": "தமிழ்",
    "th": "ภาษาไทย",
    "tl": "Tagalog",
    "tr": "Türkçe",
    "uk": "Українська",
    "uz": "oʻzbek tili",
    "vi": "Tiếng Việt",
    "zh-hans": "简体中文",
    "zh-hant": "繁體中文",
    "zh-tw": "繁體中文 (台灣)",
}

# Languages with a translation of the page, the pages before login, the public pages and mails.
TRANSLATED = ("en", "ar", "de", "es", "fr", "ja", "pt")
RIGHT_TO_LEFT = ("ar",)


def translated(code: str) -> str:
    """The translation for a language such as `pt-br`; English if there is none."""
    base = code.replace("_", "-").partition("-")[0].lower()
    return base if base in TRANSLATED else "en"


def direction(code: str) -> str:
    return "rtl" if code in RIGHT_TO_LEFT else "ltr"
