"""All that a server loads and makes before it answers: it is there for whoever imports this."""

from tertulia import app, cli
from tertulia.cli import serve
from tertulia.database.dialects import postgres
from tertulia.web import assets

LOADED = (app.description(), assets.build_all(), cli, serve, postgres)
