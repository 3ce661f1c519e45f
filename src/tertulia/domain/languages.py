"""Languages that people and organizations can choose."""

LANGUAGES = frozenset(
    {
        "ar", "be", "bg", "ca", "cs", "cy", "da", "de", "el", "en", "en-gb", "eo", "es", "et",
        "eu", "fa", "fi", "fr", "gl", "gu", "hi", "hu", "id", "it", "ja", "ko", "lt", "ml", "mn",
        "nl", "pl", "pt", "pt-br", "pt-pt", "ro", "ru", "si", "sl", "sr", "sv", "ta", "tl", "tr",
        "uk", "uz", "vi", "zh-hans", "zh-hant", "zh-tw",
    }
)  # fmt: skip
