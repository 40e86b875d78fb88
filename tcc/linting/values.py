"""Values of parameters from a configuration, for the commands that do something with a policy.

What is given on the command line comes first; below it stand `set` and `vars` of the nearest
`tcc.toml`, for the parameters that the policy has. Nothing else of a configuration counts here:
its facts are for finding, and a plan is about the host that it is asked of.
"""

import os

from tcc import api
from tcc.diagnostics import Diagnostic
from tcc.linting.nearby import ConfigError, has_config
from tcc.passes import Built, Given, Kind
from tcc.source import Source
from tcc.syntax.read import read_source


def load(policy: str | Source, given: Given, *, complete: bool = False) -> Built:
    """Read a policy with the values of the command line, and those of its configuration.

    Raises:
        ConfigError: the configuration cannot be used.
    """
    source = policy if isinstance(policy, Source) else read_source(policy)
    if isinstance(source, Diagnostic):
        return Built(None, {}, frozenset(), (), {}, (), (), (source,))
    return api.load(source, below(source, given), complete=complete)


def below(source: Source, given: Given) -> Given:
    """Return `given`, and below it what a configuration gives to the policy's own parameters.

    Raises:
        ConfigError: the configuration cannot be used, or belongs to somebody else.
    """
    if not has_config(source.path):
        return given
    from tcc.linting.config import config_for  # noqa: PLC0415  (few policies have one)
    from tcc.linting.settings import parts_for, values_for  # noqa: PLC0415

    config = config_for(source.path)
    if config is None:
        return given
    _trust(config.path, source.path)
    merged, shared = values_for(config, parts_for(config, source.path), given)
    declared = {
        definition.name for definition in api.load(source, given).named(Kind.PARAM)
    }  # fmt: skip
    left = {
        name: value
        for name, value in merged.values.items()
        if name in declared or merged.spans[name].path not in shared
    }
    spans = {name: span for name, span in merged.spans.items() if name in left}
    return Given(left, spans, merged.sources)


def _trust(config: str, policy: str) -> None:
    """Refuse, as root, what neither root nor the owner of the policy has written."""
    if os.geteuid() != 0:
        return
    owners = {0}
    if os.path.exists(policy):
        owners.add(os.stat(policy).st_uid)
    if os.stat(config).st_uid not in owners:
        raise ConfigError(
            f"{config}: it belongs to neither root nor the owner of {policy}: root takes no values "
            "from it; give them by --vars"
        )
