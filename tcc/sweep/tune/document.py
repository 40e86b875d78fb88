"""A choice as a versioned JSON document; `SCHEMA` is its JSON Schema, a file of the package."""

import json
from collections.abc import Sequence
from pathlib import Path

from tcc.sweep.tune.own import Fate
from tcc.sweep.tune.search import Choice
from tcc.sweep.tune.trial import Trials
from tcc.verify.document import exact

VERSION = 1
SCHEMA = Path(__file__).with_name("tune.schema.json")


def document(
    trials: Trials, choice: Choice, fates: Sequence[Fate], seeds: Sequence[int], edit: str
) -> str:
    """Return the choice; figures are exact, as in `tcc sweep --json`.

    Args:
        trials: all that was tried.
        choice: the best of it.
        fates: what becomes of the policy's own objectives.
        seeds: that every setting was tried with.
        edit: the choice as a change of the policy's text, in the form of diff(1).
    """
    names = [knob.name for knob in trials.knobs]
    return json.dumps(
        {
            "version": VERSION,
            "found": choice.found,
            "settings": {
                name: value
                for name, value in zip(names, choice.best.setting, strict=True)
                if value is not None
            },
            "score": exact(choice.best.score),
            "before": exact(choice.before.score),
            "seeds": list(seeds),
            "tried": len({setting for setting, _ in trials.done}),
            "runs": trials.runs,
            "objectives": [fate._asdict() for fate in fates],
            "diff": edit,
        },
        indent=2,
        sort_keys=True,
    )
