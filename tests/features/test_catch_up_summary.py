"""The judged topics, and the rules by which sentences are chosen."""

from msgspec.structs import replace
from tests.features import judged_topics
from tests.features.judged_topics import READER, JudgedTopic
from tests.support.complexity import cost, grows_linearly

from tertulia import features
from tertulia.features.catch_up.summary import CatchUpMessage, Reader, Reason, Summary, summarize

# What people write after the matter is settled.
TALK = (
    "haha",
    "Thanks!",
    "ok",
    "See you tomorrow, have a good evening everyone",
    "That was a nice film by the way, I had forgotten the ending",
    "Coffee?",
)


def test_the_decision_or_the_open_question_is_quoted_in_most_topics():
    for held_out in (False, True):
        topics = [each for each in judged_topics.read() if each.is_held_out == held_out]
        hits = [each for each in topics if is_quoted(each, summary_of(each))]

        assert len(hits) >= 0.8 * len(topics)


def test_the_decision_is_quoted_also_if_the_conversation_continued():
    for held_out in (False, True):
        topics = [each for each in judged_topics.read() if each.is_held_out == held_out]
        longer = [talked_on(each) for each in topics]
        hits = [each for each in longer if is_quoted(each, summary_of(each))]

        assert len(hits) >= 0.8 * len(topics)


def test_there_are_fifty_labelled_topics_and_fifteen_are_held_out():
    topics = judged_topics.read()

    assert len(topics) == 50
    assert sum(each.is_held_out for each in topics) == 15
    assert all(each.answer for each in topics)
    assert {each.language for each in topics} == {"en", "es", "de", "fr", "pt", "ja", "ar"}


def test_at_most_three_sentences_are_quoted_and_always_the_same():
    for topic in judged_topics.read():
        summary = summary_of(topic)

        assert 1 <= len(summary.sentences) <= 3
        assert summary == summary_of(topic)


def test_a_question_to_the_reader_comes_first():
    messages = [
        message(1, "Then it is decided: doors at 18:30, film at 20:30."),
        message(2, "How many people do you need? I have to plan.", is_mention=True),
    ]

    first, second, *_ = summarize(messages, READER).sentences

    assert (first.reason, first.text) == (Reason.QUESTION_TO_YOU, "How many people do you need?")
    assert second.reason in (Reason.DECISION, Reason.MENTION)


def test_a_sentence_that_was_sent_again_is_quoted_once():
    again = "Can you check the subtitles, Ana?"
    words = [again, "We decided to open on Friday.", again, "Look at https://example.org", again]
    messages = [CatchUpMessage(number, 9, f"<p>{text}</p>") for number, text in enumerate(words, 1)]

    quoted = summarize(messages, Reader("Ana Ruiz")).sentences

    assert [each.text for each in quoted].count(again) == 1
    assert quoted[0].message_id == 5, "the newest"
    assert "We decided to open on Friday." in [each.text for each in quoted]


def test_a_name_counts_only_as_a_whole_word():
    (other,) = summarize(
        [message(1, "The Nourishment fair is in the small hall.")], READER
    ).sentences
    (named,) = summarize(
        [message(1, "I will ask Nour whether the hall is free.")], READER
    ).sentences

    assert other.reason is not Reason.MENTION
    assert named.reason is Reason.MENTION


def test_code_quotations_and_spoilers_are_not_quoted():
    hidden = (
        "<pre><span></span><code>decided = True\n</code></pre>"
        "<blockquote>\n<p>We decided this last year.</p>\n</blockquote>"
        '<div class="spoiler-block"><div class="spoiler-header">\n<p>End</p>\n</div>'
        '<div class="spoiler-content" aria-hidden="true">\n<p>We decided it.</p>\n</div></div>'
        "<p>Read it.</p>"
    )

    summary = summarize([CatchUpMessage(1, 2, hidden)], READER)

    assert not any("ecided" in each.text for each in summary.sentences)


def test_a_link_without_words_is_not_quoted():
    bare = '<p><a href="https://example.org/a">https://example.org/a</a></p>'
    words = '<p>Minutes: <a href="https://example.org/a">https://example.org/a</a></p>'

    assert summarize([CatchUpMessage(1, 2, bare)], READER).sentences == ()
    (only,) = summarize([CatchUpMessage(1, 2, bare), CatchUpMessage(2, 2, words)], READER).sentences
    assert only.text == "Minutes: https://example.org/a"


def test_a_long_sentence_is_cut():
    (only,) = summarize([message(1, "word " * 500)], READER).sentences

    assert len(only.text) <= features.catch_up.summary.MAX_SENTENCE_LENGTH
    assert only.text.endswith("…")


def test_an_abbreviation_and_a_number_do_not_end_a_sentence():
    text = "We ordered approx. forty chairs for 3.180 euros at shop.example for the hall."
    (only,) = summarize([message(1, text)], READER).sentences

    assert only.text == text


def test_a_thousand_messages_cost_at_most_a_hundred_milliseconds():
    """Measured as a ratio to a loop, because the machine may be slow or busy."""
    pool = [each for topic in judged_topics.read() for each in topic.messages]
    messages = [replace(pool[number % len(pool)], id=number) for number in range(1000)]

    def catch_up_on_all() -> None:
        for start in range(0, len(messages), 20):
            summarize(messages[start : start + 20], READER, "Opening night")

    # The loop takes about 50 ms on a machine of 2020.
    ratio = min(cost(catch_up_on_all) for _ in range(5)) / min(cost(count) for _ in range(5))

    assert ratio < 2


def test_the_cost_grows_with_the_number_and_the_length_of_messages_only():
    assert grows_linearly(lambda size: summarize([message(1, "a. " * size)], READER), 100)
    assert grows_linearly(lambda size: summarize([message(1, "?" * size)], READER), 100)
    assert grows_linearly(lambda size: summarize([message(1, "nour" * size)], READER), 100)
    assert grows_linearly(
        lambda size: summarize([message(number, "We go.") for number in range(size)], READER), 30
    )


def count() -> None:
    total = 0
    for number in range(1_000_000):
        total += number


def message(number: int, text: str, *, is_mention: bool = False) -> CatchUpMessage:
    return CatchUpMessage(number, 7, f"<p>{text}</p>", is_mention=is_mention)


def summary_of(topic: JudgedTopic) -> Summary:
    return summarize(topic.messages, READER, topic.title)


def is_quoted(topic: JudgedTopic, summary: Summary) -> bool:
    return any(
        each.message_id == topic.answer_id
        and (each.text in topic.answer or topic.answer in each.text)
        for each in summary.sentences
    )


def talked_on(topic: JudgedTopic) -> JudgedTopic:
    last = len(topic.messages)
    more = [message(last + number, text) for number, text in enumerate(TALK, 1)]
    return replace(topic, messages=[*topic.messages, *more])
