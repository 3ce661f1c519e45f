"""`tertulia setup-code`: the address of the first-run page, with the setup code."""

import click

import tertulia.features  # noqa: F401
from tertulia import features
from tertulia.cli.open_data import OpenOrganization, as_json, in_organization, show_json
from tertulia.errors.authentication import AlreadySetUp


@click.command("setup-code")
@as_json
@in_organization
def setup_code(opened: OpenOrganization, as_json: bool) -> None:
    """Print the address of the first-run page, with the setup code.

    The code is valid until the server has an owner.
    """
    try:
        code = opened.write(features.first_run.setup_code)
    except AlreadySetUp as error:
        raise click.ClickException(
            f"{error.msg} To log in as one, run `tertulia user list` and `tertulia user link"
            " EMAIL`; to add another, `tertulia user add EMAIL --role owner`."
        ) from None
    page = features.first_run.address(opened.site, code)
    if as_json:
        show_json({"code": code, "url": page})
    else:
        click.echo(f"The setup code is {code}. Create the first owner at:", err=True)
        click.echo(page)
