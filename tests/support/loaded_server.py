"""Everything that a server loads before it answers, loaded on import."""

from tertulia import app, cli
from tertulia.cli import serve
from tertulia.database.dialects import postgres
from tertulia.web import assets

LOADED = (app.description(), assets.build("en"), cli, serve, postgres)
