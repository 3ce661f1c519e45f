#!/bin/sh
# slim.sh VENV: take out of a virtual environment what nothing that runs needs: pip and setuptools,
# the C sources of compiled modules, and, where there is `strip`, what only a debugger reads in them.
# Bytecode is kept of what the server loads; together that is two fifths of the whole.
set -e
python="$1/bin/python"
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')

"$python" -m pip uninstall -qq --yes --disable-pip-version-check setuptools pip
find "$packages" -name __pycache__ -type d -prune -exec rm -rf {} +
find "$packages" -type f \( -name '*.c' -o -name '*.h' -o -name '*.pyx' -o -name '*.pxd' \) -delete
if [ "$(uname)" = Linux ] && command -v strip > /dev/null; then
	find "$packages" -name '*.so' -not -path '*.libs/*' -exec strip -S {} +
fi

"$python" -c 'import tertulia.app, tertulia.server.metrics
import tertulia.database.dialects.postgres
import tertulia.external.sso.ldap, tertulia.external.sso.openid, tertulia.external.sso.saml, tertulia.external.push.web_push'
