"""`tcc schema`: the JSON Schema of policies."""

import click


@click.command()
def command() -> None:
    """Print the JSON Schema (draft 2020-12) that a policy in JSON fits.

    The options of qdiscs are those of the plugins that are installed.
    """
    from tcc.schema import schema_text  # noqa: PLC0415

    click.echo(schema_text(), nl=False)
