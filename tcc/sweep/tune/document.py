"""A choice as a versioned JSON document; `SCHEMA` is its JSON Schema, a file of the package."""

import json
from pathlib import Path

from tcc.sweep.tune.found import Found
from tcc.verify.document import exact

VERSION = 1
SCHEMA = Path(__file__).with_name("tune.schema.json")


def document(found: Found, edit: str) -> str:
    """Return the choice; figures are exact, as in `tcc sweep --json`.

    `edit` is the choice as a change of the policy's text, in the form of diff(1).
    """
    trials, choice, fates, seeds = found
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
