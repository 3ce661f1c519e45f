"""Search: hits, highlights, and access."""

import pytest
from tests.support.narrows import term

from tertulia import features, storage


def searches(person, *texts, narrow=(), **params):
    """The ids that a search finds; all texts are one search."""
    terms = [*narrow, *({"operator": "search", "operand": text} for text in texts)]
    window = {"anchor": "newest", "num_before": 100} | params
    response = person.get("/messages", narrow=terms, **window).succeeds()
    return [each["id"] for each in response["messages"]]


def is_indexed(chat):
    """Run the job that runs a moment later anyway."""
    chat.server.index_messages()
    assert chat.read(storage.search.index.count_behind, 10) == 0


@pytest.fixture(params=["fresh", "indexed"])
def index_now(request, chat):
    """Every test runs before and after indexing."""
    return (lambda: is_indexed(chat)) if request.param == "indexed" else (lambda: None)


def test_search_finds_words_parts_phrases_and_languages_without_spaces(chat, index_now):
    ana, ben = chat.people("ana", "ben", channels=["kitchen", "attic"])
    sent = {
        "soup": ana.says("The **soup** is _running_ out, Müller!", to="kitchen > lunch plans").id,
        "market": ana.says("supermarkets & such", to="kitchen > shopping").id,
        "tower": ben.says("明日は東京タワーへ行きます", to="attic > 旅行").id,
        "school": ben.says("학교에서 만나요", to="attic > trips").id,
        "direct": ben.says("A soup for the two of us", to=[ana]).id,
    }
    index_now()

    table = {
        ("soup",): {"soup", "direct"},
        ("SOUPS runs",): {"soup"},
        ("soup", "lunch"): {"soup"},
        ("lunch",): {"soup"},
        ("lun",): {"soup"},
        ("muller",): {"soup"},
        ("market",): {"market"},
        ("permark",): {"market"},
        ('"supermarkets & such"',): {"market"},
        ('"the two"',): {"direct"},
        ('"soup running"',): set(),
        ("東京",): {"tower"},
        ("京タ",): {"tower"},
        ("旅行",): {"tower"},
        ("京 東",): {"tower"},
        ("京東",): set(),
        ("학교",): {"school"},
        ("the",): {"soup", "direct"},
        ("nowhere",): set(),
        ("?!",): set(),
    }
    for texts, expected in table.items():
        assert searches(ana, *texts) == sorted(sent[name] for name in expected), texts


def test_search_combines_with_other_terms(chat, index_now):
    ana, ben = chat.people("ana", "ben", channels=["kitchen", "attic"])
    one = ana.says("soup one", to="kitchen > lunch").id
    two = ben.says("soup two", to="kitchen > lunch").id
    three = ben.says("soup three", to="attic > dust").id
    four = ben.says("bread", to="attic > dust").id
    ana.post("/messages/flags", messages=[three, four], op="add", flag="starred").succeeds()
    index_now()

    assert searches(ana, "soup", narrow=[term("channel", "kitchen")]) == [one, two]
    assert searches(ana, "soup", narrow=[term("sender", ben.id)]) == [two, three]
    assert searches(ana, "soup", narrow=[term("sender", ben.id, negated=True)]) == [one]
    assert searches(ana, "soup", narrow=[term("is", "starred")]) == [three]
    assert searches(ana, "soup", narrow=[term("is", "starred", negated=True)]) == [one, two]
    assert searches(ana, "soup", narrow=[term("search", "two", negated=True)]) == [one, three]
    assert searches(ana, narrow=[term("search", '"soup t"', negated=True)]) == [one, four]
    assert searches(ana, narrow=[["search", "soup"], ["search", '"two"']]) == [two]
    assert searches(ana, "soup", anchor=two, num_before=1, num_after=1) == [one, two, three]
    assert searches(ana, "soup", anchor="oldest", num_before=0, num_after=2) == [one, two]
    assert searches(ana, "soup", anchor="first_unread", num_after=1, num_before=0) == [one, two]
    blank = ana.get("/messages", anchor="newest", narrow=[["search", " "]])
    blank.fails("operand cannot be blank.")
    words = " ".join(f"word{number}" for number in range(101))
    endless = ana.get("/messages", anchor="newest", narrow=[["search", words]])
    expected = "Invalid narrow operator: too many words in search (limit: 100)"
    endless.fails(expected, code="BAD_NARROW")
    assert searches(ana, words[:200]) == []


def test_hits_are_highlighted_only_in_a_search(in_kitchen, ana):
    soup = ana.says("Soups & `soup`, soupy [x](https://soup.example)", to="kitchen > <b> soup").id
    ana.says("nothing", to="kitchen > ")
    mark = '<span class="highlight">{}</span>'.format

    def match(narrow, **params):
        window = {} if params else {"anchor": soup}
        (message,) = ana.get("/messages", narrow=narrow, **window, **params).succeeds()["messages"]
        return message.get("match_content"), message.get("match_subject")

    content = (
        f"<p>{mark('Soups')} &amp; <code>{mark('soup')}</code>, {mark('soup')}y"
        ' <a href="https://soup.example">x</a></p>'
    )
    subject = f"&lt;b&gt; {mark('soup')}"
    assert match([["search", "soup"]]) == (content, subject)
    assert match([["search", "soup"]], apply_markdown=False, anchor=soup) == (content, subject)
    assert match([["search", "soup"]], message_ids=[soup]) == (content, subject)
    assert match([["channel", "kitchen"]]) == (None, None)
    response = ana.get("/messages/matches_narrow", msg_ids=[soup], narrow=[["search", "soup"]])
    expected = {"match_content": content, "match_subject": subject}
    assert response.succeeds()["messages"] == {str(soup): expected}
    response = ana.get("/messages/matches_narrow", msg_ids=[soup], narrow=[["search", "bread"]])
    assert response.succeeds()["messages"] == {}


def test_changed_messages_are_found_as_they_are_now(chat, index_now):
    ana = chat.person("ana", role="owner", channels=["kitchen", "attic"])
    number = ana.says("tomato", to="kitchen > lunch").id
    kept = ana.says("tomato too", to="kitchen > lunch").id
    index_now()

    ana.patch(f"/messages/{number}", content="potato").succeeds()
    index_now()
    assert (searches(ana, "tomato"), searches(ana, "potato")) == ([kept], [number])

    ana.patch(f"/messages/{number}", topic="dinner", propagate_mode="change_all").succeeds()
    index_now()
    assert searches(ana, "lunch tomato") == []
    assert searches(ana, "dinner tomato") == [kept]

    attic = chat.channel("attic").id
    ana.patch(f"/messages/{number}", stream_id=attic).succeeds()
    index_now()
    assert searches(ana, "potato", narrow=[["channel", "kitchen"]]) == []
    assert searches(ana, "potato", narrow=[["channel", "attic"]]) == [number]

    ana.delete(f"/messages/{number}").succeeds()
    assert searches(ana, "potato") == []
    ana.post(f"/streams/{chat.channel('kitchen').id}/delete_topic", topic_name="dinner").succeeds()
    assert searches(ana, "tomato") == []
    index_now()
    assert [searches(ana, word) for word in ("tomato", "potato", "toma")] == [[]] * 3
    assert not chat.read(words_like, "%mato%")


def test_retention_leaves_no_word_behind(chat, in_kitchen, ana):
    ana.says("rhubarb", to="kitchen > lunch")
    is_indexed(chat)
    kitchen = chat.channel("kitchen").id
    chat.write(
        lambda tx: tx.execute("UPDATE channel SET retention_days = 1 WHERE id = :id", id=kitchen)
    )

    chat.write(lambda tx: features.retention.delete_batch(tx.at(tx.now + 10 * 86_400), kitchen))

    assert searches(ana, "rhubarb") == []
    assert not chat.read(words_like, "rhubarb")


def words_like(tx, pattern):
    rows = tx.all(
        "SELECT word FROM search_word WHERE realm_id = :realm AND word LIKE :pattern",
        realm=tx.realm_id,
        pattern=pattern,
    )
    return [row["word"] for row in rows]


def test_invisible_messages_are_not_found(chat, in_kitchen, ana, ben, eve, index_now):
    gone = chat.person("gone", channels=["kitchen"])
    guest = chat.person("guest", role="guest")
    closed = [{"name": "vault"}]
    ana.post(
        "/users/me/subscriptions",
        subscriptions=closed,
        invite_only=True,
        history_public_to_subscribers=False,
        principals=[ana.id],
    ).succeeds()
    secrets = [
        ana.says("treasure chest", to="vault > keys").id,
        ana.says("treasure for two", to=[ben]).id,
    ]
    public = ana.says("treasure of the sea", to="kitchen > fish").id
    index_now()
    joined = [{"name": "vault"}]
    ana.post("/users/me/subscriptions", subscriptions=joined, principals=[eve.id]).succeeds()
    gone.leaves("kitchen")

    everything = [*secrets, public]
    assert searches(ana, "treasure") == everything
    assert searches(ben, "treasure") == everything[1:]
    assert searches(eve, "treasure") == [public]  # the vault's history is protected
    assert searches(guest, "treasure") == []
    for person, allowed in ((ben, everything[1:]), (eve, [public]), (guest, [])):
        for terms in ([], [["channel", "vault"]], [["is", "dm"]], [["sender", ana.api_email]]):
            for params in ({"message_ids": everything}, {"anchor": 0, "num_after": 50}):
                narrow = [*terms, ["search", "treas"]]
                response = person.get("/messages", narrow=narrow, **params).json
                assert {each["id"] for each in response.get("messages", [])} <= {*allowed}
        narrow = [["search", "treasure"]]
        matched = person.get("/messages/matches_narrow", msg_ids=everything, narrow=narrow)
        assert {int(number) for number in matched.succeeds()["messages"]} == {*allowed}
        marked = person.post(
            "/messages/flags/narrow",
            anchor="newest",
            num_before=50,
            num_after=0,
            narrow=narrow,
            op="add",
            flag="starred",
        ).succeeds()
        assert marked["processed_count"] == len(allowed)


def test_a_search_far_behind_the_index_indexes_first(chat, in_kitchen, ana):
    first = ana.says("needle", to="kitchen > hay").id
    is_indexed(chat)
    chat.write(as_if_never_indexed)
    chat.write(copied, first, 1100)

    assert searches(ana, "needle", anchor=first, num_before=0) == [first]
    assert len(searches(ana, "needle", num_before=2000)) == 1101


def as_if_never_indexed(tx):
    for table in ("search_document", "search_posting", "search_word", "search_gram"):
        tx.execute(f"DELETE FROM {table} WHERE realm_id = :realm", realm=tx.realm_id)
    tx.execute("DELETE FROM search_head WHERE realm_id = :realm", realm=tx.realm_id)


def copied(tx, message_id, times):
    """Insert the same message again, without events."""
    tx.execute_many(
        "INSERT INTO message (realm_id, sender_id, channel_id, origin_channel_id, topic_id,"
        " content, rendered, render_version, client, sent_at, read_by_sender)"
        " SELECT realm_id, sender_id, channel_id, origin_channel_id, topic_id, content,"
        " rendered, render_version, client, sent_at, read_by_sender FROM message WHERE id = :id",
        [{"id": message_id}] * times,
    )
