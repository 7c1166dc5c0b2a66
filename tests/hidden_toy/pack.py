"""The pack of the game of ambushes: five by five hexes, two camps beside the map."""

from __future__ import annotations

from core.pack import Pack, setting
from core.setting import Setting
from tests.hidden_toy.ruleset import CARDS, KINDS, RULESET, SIDES

_UNIT = (
    '[[unit]]\nid = "{side}_{kind}"\nside = "{side}"\nnation = "{side}"\nkind = "infantry"\nsize = "X"\nstacking = "any"\n'
    'name = "{side} {kind} {{id}}"\nsteps = 2\nvalues = {{ strength = {strength} }}\n'
)
_STAFF = (
    '[[unit]]\nid = "{side}_staff"\nside = "{side}"\nnation = "{side}"\nkind = "staff"\nsize = "HQ"\nstacking = "any"\n'
    'name = "{side} staff"\ncup = "deck"\nvalues = {{ strength = 0 }}\n'
)


def files() -> dict[str, bytes]:
    """Return the pack's files."""
    hexes = [f"T{line:02}{place:02},clear,,,,,," for line in range(1, 6) for place in range(1, 6)]
    twice = list(enumerate([*KINDS, *KINDS], 1))
    setup = [[f"{side}_camp", f"{side}_{kind}", f"{side}-{number}-{kind}"] for side in SIDES for number, kind in twice]
    setup += [["T0101", "red_staff", "A"], ["T0505", "blue_staff", "B"]]
    nations = "".join(f'[[nation]]\nid = "{side}"\ntitle = "{side}"\nside = "{side}"\ncolour = "#808080"\n' for side in SIDES)
    kinds = "".join(_UNIT.format(side=side, kind=kind, strength=strength) for side in SIDES for kind, strength in KINDS.items())
    texts = {
        "pack.toml": 'ruleset = "ambush"\ntitle = "Ambush"\nsides = ["red", "blue"]\nboxes = ["red_camp", "blue_camp"]\n'
        '[side_titles]\nred = "Red"\nblue = "Blue"\n[side_colours]\nred = "#aa0000"\nblue = "#0000aa"\n' + nations,
        "units.toml": kinds + "".join(_STAFF.format(side=side) for side in SIDES),
        "scenarios/ambush.toml": 'id = "ambush"\ntitle = "Ambush"\nrule = "1"\nsections = ["T"]\nfirst_turn = 1\nlast_turn = 4\n'
        f'source = "rulebook"\nsetup = {setup}\n',
        "map/T/section.toml": 'letter = "T"\norientation = "pointy-top"\nline_grows = "south"\nposition_grows = "west"\nshift_even = 0.0\n'
        "shift_odd = 0.5\n",
        "map/T/hexes.csv": "hex,terrain,city,name,port,country,features,note\n" + "\n".join(hexes) + "\n",
        "map/T/hexsides.csv": "hex,other,kind,name,note\n",
        "map/T/rails.csv": "hex,other,line,opened,note\n",
        "map/T/names.csv": "kind,name,x,y,angle,size,note\n",
    }
    assert CARDS, "a deck without cards"
    return {name: words.encode() for name, words in texts.items()}


def ambush() -> Setting:
    """Return the setting of the only scenario."""
    return setting(RULESET, Pack(files()), "ambush")
