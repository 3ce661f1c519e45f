"""Model Context Protocol: programs read and write through tools, resources and prompts.

Loaded with the first request for it in an organization that allows agents. Tools call endpoints and
actions with the agent as the caller; the rules of access are those of users, see
`domain/people/agents.py`.
"""
