"""Login providers: OpenID Connect, SAML, LDAP, GitHub, JWT, passkeys.

Most of these modules need a large library that few servers use. So the function that calls one
imports it; `eager_imports.py` imports those that the settings require.
"""
