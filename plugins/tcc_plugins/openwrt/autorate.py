"""cake-autorate beside sqm, where a policy gives a rate with bounds."""

from collections.abc import Iterator, Sequence

from tcc.diagnostics import Diagnostic, note
from tcc.express import Loss, autorate
from tcc.plan.state import FileItem
from tcc.tcwords.sqm import ifb_of
from tcc_plugins.openwrt.links import Shaped

FOLDER = "root/cake-autorate"


def autorate_files(made: Sequence[Shaped], head: str) -> dict[str, FileItem]:
    """Return a configuration of cake-autorate for each device whose rate moves."""
    return {
        _path(one): FileItem(
            head + autorate.configuration(ifb_of(one.device), one.device, one.ends)
        )
        for one in made
        if autorate.works(one.ends)
    }


def autorate_losses(made: Sequence[Shaped]) -> Iterator[Loss]:
    """Yield what keeps the daemon from doing it."""
    return autorate.losses((one.ends for one in made), "sqm-cannot")


def autorate_notes(made: Sequence[Shaped]) -> Iterator[Diagnostic]:
    """Yield `sqm-daemon-rate` for each rate that another daemon has to move."""
    for one in made:
        for end in one.ends.values():
            if autorate.moves(end):
                yield note(
                    "sqm-daemon-rate",
                    end.wish.at("bandwidth"),
                    "sqm keeps the rate that it starts with: cake-autorate moves it",
                    f"its configuration is among the files: {_path(one)}",
                )


def _path(one: Shaped) -> str:
    return f"{FOLDER}/config.{one.section.name}.sh"
