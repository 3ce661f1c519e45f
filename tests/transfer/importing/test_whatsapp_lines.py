"""The headers of WhatsApp's texts, which differ by phone and language."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tertulia.transfer.importing.archive_reader import InvalidExport
from tertulia.transfer.importing.sources.whatsapp_lines import is_chat, parse

MORNING = datetime(2025, 6, 13, 8, 5, tzinfo=UTC)
EVENING = datetime(2025, 6, 13, 20, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "moment"),
    [
        ("13/06/25, 08:05 - ", MORNING),
        ("6/13/25, 8:05 AM - ", MORNING),
        ("6/13/25, 8:05\u202fPM - ", EVENING),
        ("13/6/2025, 8:05 p. m. - ", EVENING),
        ("2025-06-13, 8:05 p.m. - ", EVENING),
        ("13.06.25, 20:05 - ", EVENING),
        ("13.06.25 20:05 - ", EVENING),
        ("13-06-2025 20:05 - ", EVENING),
        ("13/06/25 20.05 - ", EVENING),
        ("[13.06.25, 20:05:00] ", EVENING),
        ("\u200e[13/06/2025 20:05:00] ", EVENING),
        ("[6/13/25, 8:05:00\u202fPM] ", EVENING),
        ("[13/06/25 20.05.00] ", EVENING),
        ("[20:05:00, 13/06/2025] ", EVENING),
        ("[13.6.2025 klo 20.05.00] ", EVENING),
        ("[\u200f13\u200f/6\u200f/2025\u060c 8:05:00 \u0645] ", EVENING),
        ("[١٣/٦/٢٠٢٥\u060c ٨:٠٥:٠٠ \u0635] ", MORNING),
        ("[13/6/2568 BE, 20:05:00] ", EVENING),
        ("[2025/06/13 20:05:00] ", EVENING),
    ],
)
def test_headers_of_many_phones_are_read(header, moment):
    text = f"{header}Lena: Hello\nsecond line\n{header}Tom: Bye: now\n"

    first, second = parse(text, UTC)

    assert is_chat(text)
    assert (first.sender, first.text) == ("Lena", "Hello\nsecond line")
    assert (second.sender, second.text) == ("Tom", "Bye: now")
    assert first.at == second.at == moment.timestamp()


def test_dates_that_never_go_back_decide_between_day_and_month():
    day_first = "01/05/25, 08:00 - Lena: a\n02/05/25, 08:00 - Lena: b\n01/06/25, 08:00 - Lena: c"
    month_first = "05/01/25, 08:00 - Lena: a\n05/02/25, 08:00 - Lena: b\n06/01/25, 08:00 - Lena: c"

    assert [each.at for each in parse(day_first, UTC)] == [
        each.at for each in parse(month_first, UTC)
    ]


def test_times_are_in_the_given_zone():
    (line,) = parse("13/06/25, 10:05 - Lena: Hello", ZoneInfo("Europe/Madrid"))

    assert line.at == MORNING.timestamp()


def test_a_notice_has_no_sender_and_a_pasted_header_stays_text():
    text = (
        "13/06/25, 08:05 - Lena added Tom\n13/06/25, 08:05 - Tom: see\n31/31/25, 08:05 - Max: what"
    )

    notice, message = parse(text, UTC)

    assert (notice.sender, notice.is_written) == ("", False)
    assert message.text == "see\n31/31/25, 08:05 - Max: what"


def test_a_text_without_years_is_refused():
    with pytest.raises(InvalidExport, match="without years"):
        parse("[6/13, 8:05 PM] Lena: Hello", UTC)
