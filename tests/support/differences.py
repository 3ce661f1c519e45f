"""Where our answers differ from the reference's description on purpose, and why.

A key is searched for in lines such as `GET /users members/*: Additional properties …`.
"""

DIFFERENCES: dict[str, str] = {
    r"GET /users/me : .* not allowed \(('bot_owner_id', )?'bot_type' (was|were) unexpected": (
        "The specification gives every user a bot_type, null for people, and bots their owner."
    ),
}
