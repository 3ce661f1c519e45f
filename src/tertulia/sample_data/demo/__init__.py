"""The demo: a small cooperative that reopens an old cinema.

`people.py` defines users and channels, `talk.txt` is the script of their messages, `script.py`
parses it, and `loader.py` writes it through ordinary actions with times in the past.
"""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.sample_data.demo import fake_activity, loader, people, pictures, script
else:
    __getattr__ = lazy_submodules(__name__)
