"""Public pages: web-public channels as pages without scripts, feeds and a sitemap.

They read the same messages by the same rule as callers of the API without an account. Their ETag
is the position in the log of the last event that may have changed them.
"""
