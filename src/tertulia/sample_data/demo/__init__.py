"""The demo: a small cooperative that puts an old cinema back to work.

`people.py` says who and where, `talk.txt` what they said, `script.py` reads it, and `stage.py`
lets it happen in the past, through the same actions as everybody else.
"""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.sample_data.demo import fake_activity, loader, people, pictures, script
else:
    __getattr__ = lazy_submodules(__name__)
