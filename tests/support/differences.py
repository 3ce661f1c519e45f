"""Where our answers differ from the reference's description on purpose, and why.

A key is searched for in lines such as `GET /users members/*: Additional properties …`.
"""

DIFFERENCES: dict[str, str] = {
    r"reactions/\*/reaction_type: 'service_extra_emoji' is not one of": (
        "The specification calls the type of the special emoji service_extra_emoji."
    ),
    r"GET /users/me : .* not allowed \(('bot_owner_id', )?'bot_type' (was|were) unexpected": (
        "The specification gives every user a bot_type, null for people, and bots their owner."
    ),
    r"GET /events : .* not allowed \('idle_queue_timeout_secs' was unexpected\)$": (
        "The reference answers so when a poll makes a queue, but its description does not say it."
    ),
    r"GET /events events/\*: .* not allowed \('local_id' was unexpected\)$": (
        "The specification calls the echo local_id, clients know it as local_message_id: both."
    ),
    r"reaction_type: 'service_extra_emoji' is not one of": (
        "The specification has its own name for the special type; both are accepted."
    ),
    r"POST /register : .*'wildcard_mentions_notify' were unexpected\)$": (
        "Settings stand at the top level for those who ask for the parts of older terminal clients."
    ),
    r"POST /register realm_linkifiers/\*: .* not allowed \('alternative_url_templates'": (
        "At register a linkifier has all the members that it has everywhere else."
    ),
}
