"""The page that a browser is shown, and the logo on it."""

import html
from importlib import resources

LOGO = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img"
 aria-label="Tertulia"><rect width="64" height="64" rx="14" fill="#2f6f62"/><g fill="#fff">
<circle cx="22" cy="27" r="9"/><circle cx="42" cy="27" r="9" opacity=".8"/>
<circle cx="32" cy="43" r="9" opacity=".6"/></g></svg>
"""


FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Tertulia</title>
<link rel="icon" href="/static/icon.png">
<style>
  :root {{ color-scheme: light dark; font: 17px/1.6 system-ui, sans-serif; }}
  body {{ max-width: 44rem; margin: 6vh auto; padding: 0 1.2rem; }}
  h1 {{ font-size: 1.9rem; margin: 0 0 .2rem; }}
  h2 {{ font-size: 1.3rem; margin: 2.5rem 0 .2rem; }}
  code {{ background: #8882; padding: .1rem .35rem; border-radius: .3rem; }}
  pre {{ background: #8882; padding: .8rem 1rem; border-radius: .4rem; white-space: pre-wrap;
    overflow-wrap: anywhere; }}
  pre code {{ background: none; padding: 0; }}
  label {{ display: inline-block; margin: 0 1rem .5rem 0; }}
  input, button {{ font: inherit; }}
  ul.columns {{ columns: 3 12rem; }}
  table {{ border-collapse: collapse; }}
  th, td {{ text-align: start; vertical-align: top; padding: .2rem 1rem .2rem 0; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def framed(title: str, body: str) -> str:
    """A page of ours around HTML that is safe already."""
    return FRAME.format(title=html.escape(title), body=body)


def home(name: str, site: str, version: str) -> str:
    """What somebody sees who opens the server's address in a browser."""
    page = (resources.files("tertulia.web") / "home.html").read_text(encoding="utf-8")
    return page.format(name=html.escape(name), site=html.escape(site), version=html.escape(version))
