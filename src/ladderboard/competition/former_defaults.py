"""Parameters whose default has changed since a competition was committed to: it keeps what it was made with.

A folder that does not state such a parameter means the default of its day. Another one would draw another split,
and the scores shown so far could not be compared with those to come.
"""

from collections.abc import Iterator
from dataclasses import replace

from ladderboard.competition.model import Competition, Rules
from ladderboard.mechanisms import MECHANISMS, make_mechanism


def keep_former_defaults(competition: Competition, committed: Rules) -> Competition:
    """The competition with the former defaults that it was committed to, where its own rules do not state them."""
    rules = competition.rules
    former = type(competition.mechanism).former_defaults if rules.mechanism == committed.mechanism else {}
    kept = {name: value for name, value in former.items() if committed.mechanism_parameters.get(name) == value}
    parameters = {**kept, **rules.mechanism_parameters}
    if parameters == rules.mechanism_parameters:
        return competition
    changed = replace(
        competition,
        rules=replace(rules, mechanism_parameters=parameters),
        mechanism=make_mechanism(rules.mechanism, **parameters),
    )
    # The answer keys depend on no mechanism; computing them again takes long.
    vars(changed).update({name: value for name, value in vars(competition).items() if name not in vars(changed)})
    return changed


def list_readings(rules: Rules) -> Iterator[Rules]:
    """What these rules may mean: with the defaults of today, or with the former ones."""
    yield rules
    made = MECHANISMS.get(rules.mechanism)
    former = {} if made is None else made.former_defaults
    if not former.keys() <= rules.mechanism_parameters.keys():
        yield replace(rules, mechanism_parameters={**former, **rules.mechanism_parameters})
