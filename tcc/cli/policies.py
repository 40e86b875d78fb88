"""How commands read a policy: with the values of the command line, and of its configuration."""

import click

from tcc.linting import values
from tcc.linting.nearby import ConfigError
from tcc.passes import Built, Given
from tcc.source import Source
from tcc.syntax.read import read_source


def load(policy: str | Source, given: Given, *, complete: bool = False) -> Built:
    """Read a policy.

    Raises:
        click.UsageError: its `tcc.toml` cannot be used.
    """
    try:
        return values.load(policy, given, complete=complete)
    except ConfigError as problem:
        raise click.UsageError(str(problem)) from problem


def below(policy: str | Source, given: Given) -> Given:
    """Return the values of the command line, and below them those of a policy's configuration.

    Of a file that cannot be read nothing is known: whoever reads it says so.

    Raises:
        click.UsageError: its `tcc.toml` cannot be used.
    """
    try:
        source = policy if isinstance(policy, Source) else read_source(policy)
        return values.below(source, given) if isinstance(source, Source) else given
    except ConfigError as problem:
        raise click.UsageError(str(problem)) from problem
