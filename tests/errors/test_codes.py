"""Every error code is explained: in the page `/api` and in docs/errors.md."""

import importlib
import pkgutil
from collections.abc import Iterator

import tertulia.errors
from tertulia.errors import ClientError
from tertulia.errors.codes import error_codes


def test_the_table_explains_exactly_the_codes_that_errors_have():
    for module in pkgutil.iter_modules(tertulia.errors.__path__):
        importlib.import_module(f"tertulia.errors.{module.name}")

    classes: list[type[ClientError]] = [ClientError, *subclasses(ClientError)]
    assert error_codes().keys() == {each.code for each in classes}


def test_each_code_has_an_address_in_the_api_page(chat):
    page = chat.stranger.raw("GET", "/api").body.decode()

    missing = [code for code in error_codes() if f'id="{code}"' not in page]

    assert not missing


def subclasses(of: type[ClientError]) -> Iterator[type[ClientError]]:
    for each in of.__subclasses__():
        yield each
        yield from subclasses(each)
