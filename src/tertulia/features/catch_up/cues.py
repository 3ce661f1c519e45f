"""Cue words: the phrases by which a decision, a request or a changed date is recognized.

A cue is a sequence of words in the folded form of search. A word that ends with `*` matches every
word that starts so. Scripts without spaces are compared as parts of the text. All languages are
looked up at once, because one team often writes in several.
"""

from tertulia import domain


class Cue:
    """Bits; a text has any number of them."""

    DECISION = 1
    ASK = 2  # asks the whole group: who can, shall we
    REQUEST = 4  # asks for something without a question mark
    INTENTION = 8  # the writer will do something
    CHANGE = 16  # with a date: something was moved
    DATE = 32


# Per language: English, Spanish, German, French, Portuguese, Italian, Dutch, Japanese, Arabic.
_CUES: dict[int, tuple[str, ...]] = {
    Cue.DECISION: (
        "decided, it is decided, decision, we decide, agreed, approved, let's, lets go with,"
        " go with, going with, we go for, we take, we keep, settled, it is final, final,"
        " voted, resolved, from now on, it stays, then it is, sounds like a plan,"
        " we try, we will, we'll, we use, we move, we offer, merge it, ship it",
        "decidido, queda, quedamos, acordado, acordamos, decidimos, se decide, aprobado,"
        " a partir de ahora, nos quedamos, vamos a, elegimos, entonces hacemos,"
        " adelante con, votado, hacemos",
        "beschlossen, entschieden, einigen, geeinigt, abgemacht, wir nehmen, wir machen,"
        " wir bleiben, ab jetzt, ab sofort, genehmigt, freigegeben, also nehmen, verlegen wir,"
        " machen wir, nehmen wir, dann machen, bleibt es bei",
        "decide, c'est decide, on decide, d'accord pour, on garde, on prend, on part sur,"
        " on choisit, adopte, valide, desormais, c'est bon pour, on fait, on passe, retenu",
        "decidido, decidimos, combinado, fechado, ficamos com, vamos com, a partir de agora,"
        " aprovado, fazemos, escolhemos, fica decidido, vamos fazer",
        "deciso, decidiamo, d'accordo, approvato, prendiamo, facciamo, restiamo, scelto,"
        " da ora in poi",
        "besloten, afgesproken, akkoord, we nemen, we doen, we gaan voor, vanaf nu, goedgekeurd",
        "決定, 決まり, 決めました, にしましょう, にします, 合意, 承認",
        "قررنا, تقرر, اتفقنا, القرار, تمت الموافقه, تمت الموافقة, موافق, اعتمدنا, سنختار, من الان",
    ),
    Cue.ASK: (
        "who can, who has, who is, who will, who wants, who could, can we, could we, should we,"
        " shall we, can somebody, can someone, can anyone, could someone, does anyone, is anyone,"
        " does anybody, has anyone, do we, may we, anyone",
        "quien puede, quien tiene, quien sabe, podemos, podriamos, alguien puede, alguien sabe,"
        " alguien tiene, deberiamos",
        "wer kann, wer hat, wer will, weiss jemand, kann jemand, hat jemand, konnen wir,"
        " sollen wir, sollten wir, wollen wir, durfen wir",
        "qui peut, qui a, quelqu'un, peut-on, on peut, est-ce qu'on, doit-on, pourrait-on,"
        " pouvons-nous",
        "quem pode, quem tem, alguem, podemos, poderiamos, devemos",
        "chi puo, chi ha, qualcuno, possiamo, dobbiamo",
        "wie kan, wie heeft, kan iemand, kunnen we, zullen we, moeten we",
        "誰か, できますか, もらえますか, しましょうか, いただけますか",
        "من يستطيع, هل يمكن, هل نستطيع, من لديه, هل يستطيع",
    ),
    Cue.REQUEST: (
        "please, do not, don't, has to, have to, must, need to, needs to, make sure,"
        " remember to, vote, until then, before, deadline",
        "por favor, hay que, tiene que, teneis que, olvid*, antes del, necesitamos",
        "bitte, muss, mussen, nicht vergessen, spatestens, bis zum",
        "merci de, s'il vous plait, s'il te plait, il faut, doit, oubli*, avant le",
        "por favor, precisa, precisamos, tem que, esque*, ate o",
        "per favore, bisogna, deve, dobbiamo, entro",
        "alsjeblieft, graag, moet, moeten, uiterlijk, vergeet niet",
        "ください, お願い, までに",
        "رجاء, من فضلك, يجب, الرجاء, قبل",
    ),
    Cue.INTENTION: (
        "i will, i'll, i am going to, i'm going to, i would, i suggest, i propose, my proposal",
        "voy a, propongo, sugiero, yo me encargo",
        "ich werde, ich schlage, ich wurde, ich ubernehme",
        "je vais, je propose, je m'occupe",
        "vou, proponho, sugiro",
        "propongo, me ne occupo",
        "ik zal, ik ga, ik stel",
        "します, 提案",
        "سوف, ساقوم, اقترح",
    ),
    Cue.CHANGE: (
        "not on, instead of, instead, move*, moving, postpone*, delayed, cancel*, reschedul*,"
        " later, earlier, closed, changed to, stays closed",
        "no el, en vez de, en lugar de, aplaz*, retras*, cancel*, pasamos, pasa al, se adelanta,"
        " cambi*",
        "statt, verleg*, verschoben, verschieben, abgesagt, fallt aus, erst am",
        "au lieu, report*, annul*, decal*, avanc*",
        "em vez, adiad*, adiamos, cancel*, muda*, antecipa*",
        "invece, rimanda*, annulla*, sposta*",
        "in plaats, verplaats*, uitgesteld, geannuleerd, afgelast",
        "変更, 延期, 中止, ではなく",
        "بدلا, تاجيل, تاجل, الغاء, الغي, نقل",
    ),
    Cue.DATE: (
        "monday, tuesday, wednesday, thursday, friday, saturday, sunday, tomorrow, tonight, today,"
        " week, noon, january, february, march, april, june, july, august, september, october,"
        " november, december",
        "lunes, martes, miercoles, jueves, viernes, sabado, domingo, manana, hoy, semana, enero,"
        " febrero, marzo, abril, mayo, junio, julio, agosto, septiembre, octubre, noviembre,"
        " diciembre",
        "montag, dienstag, mittwoch, donnerstag, freitag, samstag, sonntag, morgen, heute, woche,"
        " januar, februar, marz, mai, juni, juli, oktober, dezember",
        "lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche, demain, ce soir, semaine,"
        " janvier, fevrier, mars, avril, juin, juillet, aout, septembre, octobre, novembre,"
        " decembre",
        "segunda-feira, terca, quarta, quinta, sexta, sabado, domingo, amanha, hoje, semana,"
        " janeiro, fevereiro, marco, maio, junho, julho, setembro, outubro, novembro, dezembro",
        "lunedi, martedi, mercoledi, giovedi, venerdi, sabato, domenica, domani, oggi, settimana",
        "maandag, dinsdag, woensdag, donderdag, vrijdag, zaterdag, zondag, morgen, vandaag, week",
        "月曜, 火曜, 水曜, 木曜, 金曜, 土曜, 日曜, 明日, 今日, 来週, 来月",
        "الاثنين, الثلاثاء, الاربعاء, الخميس, الجمعه, الجمعة, السبت, الاحد, غدا, اليوم, الاسبوع",
    ),
}


def cues_in(folded: str, found_words: list[str]) -> int:
    """The cues of a text, which is given folded and as its words, as bits of `Cue`."""
    found = 0
    for index, word in enumerate(found_words):
        if word[:_START_LENGTH] not in _HEADS:  # true of nearly all words
            continue
        found |= _WORDS.get(word, 0)
        for parts, cue in _PHRASES.get(word, ()):
            if found_words[index : index + len(parts)] == parts:
                found |= cue
        for start, cue in _STARTS.get(word[:_START_LENGTH], ()):
            if word.startswith(start):
                found |= cue
    if not folded.isascii():
        for part, cue in _UNSPACED:
            if part in folded:
                found |= cue
    return found


def words_of(folded: str) -> list[str]:
    """The words of a folded text, in order."""
    return domain.search.words.words_in_order(folded)


_START_LENGTH = 4  # letters by which the starts of words are looked up
_WORDS: dict[str, int] = {}
_PHRASES: dict[str, list[tuple[list[str], int]]] = {}  # by their first word
_STARTS: dict[str, list[tuple[str, int]]] = {}  # by their first letters
_UNSPACED: list[tuple[str, int]] = []


def _add(text: str, cue: int) -> None:
    folded = domain.search.words.fold(text.strip())
    found_words = words_of(folded)
    if domain.search.words.is_unspaced(folded):
        _UNSPACED.append((folded, cue))
    elif folded.endswith("*"):
        *before, start = found_words
        if before:
            raise ValueError(f"only a single word may end with *: {text}")
        _STARTS.setdefault(start[:_START_LENGTH], []).append((start, cue))
    elif len(found_words) > 1:
        _PHRASES.setdefault(found_words[0], []).append((found_words, cue))
    else:
        _WORDS[found_words[0]] = _WORDS.get(found_words[0], 0) | cue


for _cue, _languages in _CUES.items():
    for _text in ",".join(_languages).split(","):
        _add(_text, _cue)
# The first letters of all of them.
_HEADS = frozenset(each[:_START_LENGTH] for each in (*_WORDS, *_PHRASES, *_STARTS))
