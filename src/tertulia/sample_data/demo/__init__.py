"""The demo: a small cooperative that puts an old cinema back to work.

`people.py` says who and where, `talk.txt` what they said, `script.py` reads it, and `stage.py`
lets it happen in the past, through the same actions as everybody else.
"""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.sample_data.demo import fake_activity, loader, people, pictures, script
else:
    __getattr__ = on_demand(__name__)
