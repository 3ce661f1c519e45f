"""What a search understands: words and their forms, parts, phrases, and writing without spaces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia import domain
from tertulia.domain.search.query import Phrase, SearchedText

SOUP = SearchedText(
    "<p>The <strong>soup</strong>erintendent of the Müller café wasn’t running late.</p>\n"
    "<ul>\n<li>One &amp; two</li>\n<li>foo_bar C++ 2.5</li>\n</ul>",
    "Naïve lunches ✔",
)
SMILE = SearchedText(
    '<p><span aria-label="grinning" class="emoji emoji-1f600" role="img" title="grinning">'
    ":grinning:</span> hi</p>",
    "",
)
TOWER = SearchedText("<p>明日は東京タワーへ行きます。학교에서 만나요 ภาษาไทย</p>", "")


@pytest.mark.parametrize(
    "query, found",
    [
        ("run", True),
        ("runs late", True),
        ("RUNNING", True),
        ("lunch", True),  # the topic
        ("lunch running", True),
        ("lunch dinner", False),
        ("superintendent", False),
        ("souperintend", True),  # across an inline tag
        ("intendent", True),
        ("tenden", True),
        ("ru", False),  # too short for a part
        ("twofoo", False),  # across blocks
        ("muller cafe naive", True),
        ("MÜLLER", True),
        ("ＭＵＬＬＥＲ", True),
        ("wasn't", True),
        ('"wasn’t running"', True),
        ('"The souper"', True),
        ('"cafe wasn"', True),
        ('"running  LATE. one"', True),
        ('"late running"', False),
        ('"c++"', True),
        ('"f+"', False),
        ('"naive lunch"', True),
        ('lunch "two foo_"', True),
        ('"müll', True),  # a quotation mark without its other half is none
        ("foo-bar", True),
        ("2.5", True),
        ("✔", True),
        ("the late", True),  # stop words are left out
        ("if late", True),
        ("the of", True),  # unless there is nothing else
        ("the if", False),
        ("is", False),
        ("!!!", False),
        ('"?"', False),
        ("", False),
    ],
)
def test_a_message_in_english_is_found(query: str, found: bool) -> None:
    assert domain.search.query.parse(query).matches(SOUP) is found


@pytest.mark.parametrize("query, found", [("\U0001f600", True), ("grin", True), ("😎", False)])
def test_an_emoji_is_found_by_character_and_by_name(query: str, found: bool) -> None:
    assert domain.search.query.parse(query).matches(SMILE) is found


@pytest.mark.parametrize(
    "query, found",
    [
        ("東京", True),
        ("京タ", True),
        ("ワー", True),
        ("東京タワー", True),
        ("京", True),
        ("京東", False),
        ("東タ", False),
        ("東京 明日", True),
        ('"東京タワーへ"', True),
        ("ﾀﾜｰ", True),  # narrow letters
        ("학교", True),
        ("만나", True),
        ("교학", False),
        ("ไทย", True),
    ],
)
def test_a_message_in_a_language_without_spaces_is_found(query: str, found: bool) -> None:
    assert domain.search.query.parse(query).matches(TOWER) is found


ENDINGS = (
    *("", "s", "es", "ies", "ied", "ed", "ing", "ingly", "edly", "y", "ly", "e", "er", "ational"),
    *("tional", "ization", "izer", "fulness", "ousness", "iveness", "biliti", "bility", "alism"),
    *("ality", "ement", "ment", "ent", "sion", "tion", "ical", "ness", "able", "'s", "logy"),
)
BASES = (
    "hop",
    "hopp",
    "sk",
    "d",
    "l",
    "t",
    "rel",
    "capa",
    "possi",
    "happ",
    "generous",
    "skat",
    "x",
)


def test_all_forms_of_a_word_share_a_prefix() -> None:
    for word in (base + ending + more for base in BASES for ending in ENDINGS for more in ENDINGS):
        for language in domain.search.languages.STOP_WORDS:
            stem = domain.search.languages.stem(word, language)
            assert word.startswith(domain.search.languages.common_start(stem, language)), word


@pytest.mark.parametrize("text", ["a" * 500, "ab" * 200 + "needle" + "cd" * 200, "x" * 65])
def test_long_words_are_indexed_in_parts(text: str) -> None:
    pieces = domain.search.words.words_in(text)

    assert all(len(piece) <= domain.search.words.MAX_WORD_LENGTH for piece in pieces)
    for start in range(len(text) - domain.search.words.MAX_PART_LENGTH):
        part = text[start : start + domain.search.words.MAX_PART_LENGTH]
        assert any(part in piece for piece in pieces)
    assert domain.search.query.parse(text[3:60]).matches(SearchedText(f"<p>{text}</p>", ""))


@pytest.mark.parametrize(
    "query", ["running", '"soup kitchen"', '"the soup"', "東京タワー", "京", '"c++"', "x" * 200]
)
def test_terms_exclude_no_match(query: str) -> None:
    """The index finds by terms: every match of a query fits all its terms."""
    requested = domain.search.query.parse(query)
    for text in [
        "he runs",
        "a soup kitchen",
        "the soups",
        "東京タワー",
        "京",
        "c++",
        "y" + "x" * 300,
    ]:
        page = SearchedText(f"<p>{text}</p>", "")
        if requested.matches(page):
            assert all(page.has(term) for term in requested.terms)


@given(st.text("abcd12  ''-éß東京タ✔क्", max_size=40), st.data())
def test_joints_exclude_no_match(text: str, data: st.DataObject) -> None:
    """For any text and any phrase cut out of it."""
    page = SearchedText(f"<p>{text}</p>", "")
    start = data.draw(st.integers(0, len(page.folded)))
    end = data.draw(st.integers(start, len(page.folded)))
    phrase = Phrase(" ".join(page.folded[start:end].split()))

    for met in phrase.meetings if page.contains(phrase) else ():
        lefts = [met.left] if met.is_left_sure else with_end(page.words, met.left)
        rights = [met.right] if met.is_right_sure else with_start(page.words, met.right)
        assert met.joints(lefts, rights) & page.joints


def with_end(words: set[str], end: str) -> list[str]:
    return [word for word in words if word.endswith(end)]


def with_start(words: set[str], start: str) -> list[str]:
    return [word for word in words if word.startswith(start)]


FORMS = {
    "german": [
        ("Besprechung", "Besprechungen"),
        ("Häuser", "haus"),
        ("Bücher", "Buches"),
        ("größe", "groesse"),
    ],
    "french": [
        ("réunion", "réunions"),
        ("cheval", "chevaux"),
        ("mangé", "mangées"),
        ("l’élève", "eleves"),
    ],
    "portuguese": [
        ("reunião", "reuniões"),
        ("organização", "organizacoes"),
        ("possível", "possíveis"),
        ("cozinhar", "cozinhando"),
    ],
    "spanish": [
        ("reunión", "reuniones"),
        ("organización", "organizaciones"),
        ("biología", "biologias"),
        ("cocinar", "cocinó"),
    ],
    "arabic": [("كتاب", "الكتاب"), ("اجتماع", "الاجتماعات"), ("مَكتبة", "المكتبات")],
    "english": [("meeting", "meetings"), ("会議", "会議")],
}


@pytest.mark.parametrize(
    "language, one, other",
    [(language, *forms) for language, pairs in FORMS.items() for forms in pairs],
)
def test_forms_of_a_word_have_one_stem_in_its_language(language, one, other):
    stems = {
        domain.search.languages.stem(domain.search.words.fold(word), language)
        for word in (one, other)
    }

    assert len(stems) == 1
    for requested, text in ((one, other), (other, one)):
        page = SearchedText(f"<p>…{text}…</p>", "")
        assert domain.search.query.parse(requested, (language,)).matches(page)


@pytest.mark.parametrize(
    "code, language",
    [("de", "german"), ("pt-br", "portuguese"), ("ja", "english"), ("zh_TW", "english")],
)
def test_a_language_without_a_stemmer_has_english_stems(code, language):
    assert domain.search.languages.of_code(code) == language
