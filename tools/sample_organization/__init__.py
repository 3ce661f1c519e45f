"""Generated organizations of any size, for capacity planning: `make generate`.

`vocabulary.py` has the words and `texts.py` makes messages of them. `members.py` creates users and
channels, `history.py` the messages, `read_state.py` what is read; `organization.py` runs them all.
"""
