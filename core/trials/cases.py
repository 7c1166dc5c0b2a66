"""Case files: a position, orders with forced chance, and what must hold; how anyone pins or disputes a rule without Python.

`load` reads a file and names its faults; `run` plays it. What can be written in one is told in ``docs/cases.md``.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from core import events
from core.errors import BadInput, Broken, Refused
from core.game import NeedsDice, StopDice, decide
from core.game import begin as begin_game
from core.options import options, refusal
from core.orders import OptionPick, compose
from core.position import Position
from core.trials.case_checks import Look, differences, shown, wrong_refusal
from core.trials.case_file import ExpectText, Moment, StepText
from core.trials.case_loading import Case, Library, load, rules_of
from core.trials.case_orders import parse
from core.trials.case_play import Play, change
from core.trials.case_units import Counter
from core.trials.table import ScriptedDice, Table
from core.views import View

__all__ = ["Case", "Library", "Result", "load", "rules_of", "run"]

MAX_PASSES = 200  # decisions that one `until` may pass over
State = Literal["passed", "failed", "open", "broken"]


class Result(msgspec.Struct, frozen=True):
    """How a case ended; *lines* tell what differs, each with the line of the file."""

    id: str
    title: str
    state: State
    lines: tuple[str, ...] = ()


def run(case: Case) -> Result:
    """Play a case and tell how it ended. An error of ours is told as such: the case is *broken*."""
    play = Play(case)
    broken = False
    try:
        _play(play)
    except Broken as error:
        play.lines.append(str(error))
    except BadInput as error:
        play.lines.extend(str(fault) for fault in error.faults)
    except Exception as error:  # a fault of the rules' code must not keep the other cases from running
        broken = True
        play.lines.append(f"an error of ours: {type(error).__name__}: {error} ({_where(error)})")
    state: State = "broken" if broken else "failed" if play.lines else "passed"
    if case.text.open:
        if state == "passed":
            return Result(case.id, case.title, "failed", ("passes now: take `open` out of the file",))
        state = "open"
    return Result(case.id, case.title, state, tuple(play.lines))


def _where(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "nowhere" if trace is None else f"{trace.tb_frame.f_code.co_qualname}, line {trace.tb_lineno}"


def _play(play: Play) -> None:
    text = play.case.text
    script = ScriptedDice(text.dice, play.draws(text.draws))
    try:
        _set_up(play, script)
        if script.left():
            raise Broken(f"dice or draws that nobody asked for: {script.left()}")
    except Broken as error:
        play.say("dice" if text.dice else "phase", str(error))
        return
    check(play, text.expect, "expect")
    start = play.view.position.copy()
    for i, step in enumerate(text.step):
        if play.lines:
            return  # what follows stands on what went wrong
        _step(play, step, f"step[{i}]", play.case.counters[i + 1], start)


def _set_up(play: Play, script: ScriptedDice) -> None:
    """Place what the file says and run to the first decision: of the phase that it names, else of the scenario."""
    text = play.case.text
    if text.setup:
        begun = begin_game(play.case.setting, script if text.turn is None else StopDice())
        play.view, play.happened = View(play.case.setting, begun.position, derived=begun.derived), begun.events
    for handle, word in text.called.items():
        play.units.handles[handle] = play.units.one(play.view, word)
    change(play, text, play.case.counters[0])
    if text.turn is not None:
        _set_turn(play, text.turn)
    if text.turn is not None and text.phase:
        begin(play, Moment(text.turn, text.phase), script)


def _set_turn(play: Play, turn: int) -> None:
    Table.on(play.view).happen(events.TrackSet("turn", turn))


def begin(play: Play, moment: Moment, script: ScriptedDice) -> None:
    """Begin a phase of a turn and run to the first decision."""
    table = Table.on(play.view)
    table.begin(moment.turn, moment.phase, dice=script.rolls, draws=script.draws)  # Broken if any is left
    script.rolls, script.draws = [], []
    play.view, play.happened = table.view, table.events


def check(play: Play, expect: ExpectText, path: str) -> None:
    """Note what is not as expected."""
    for key, line in differences(Look(play.view, play.units, play.happened), expect):
        play.say(f"{path}.{key}", line)


# -------------------------------------------------------------------- steps


def _step(play: Play, step: StepText, path: str, counters: tuple[Counter, ...], start: Position) -> None:
    if step.again:
        play.view, play.happened = View(play.case.setting, start.copy()), ()
    before, happened = play.view.position.copy(), play.happened
    change(play, step.change, counters)
    try:
        _act(play, step, path)
    except Broken as error:
        play.say(f"{path}.{'until' if step.until else 'begin'}", str(error))  # the forced dice and draws don't fit what happens
    check(play, step.expect, f"{path}.expect")
    if step.undo:
        play.view, play.happened = View(play.case.setting, before), happened


def _act(play: Play, step: StepText, path: str) -> None:
    script = ScriptedDice(step.dice, play.draws(step.draws))
    if step.begin is not None:
        begin(play, step.begin, script)
    elif step.until:
        _pass_until(play, step.until, script, path)
    elif step.order and step.refused:
        _refuse(play, step, path)
    elif step.order:
        _give(play, step, script, path)


def _refuse(play: Play, step: StepText, path: str) -> None:
    order = parse(play.view, play.units, step.order)
    closed: Refused | None = None
    try:
        decide(play.view, step.side or play.view.side_to_act(), order, StopDice())
    except Refused as refused:
        closed = refused
    except NeedsDice:
        pass  # accepted
    for line in wrong_refusal(step.order, closed, step.refused):
        play.say(f"{path}.refused", line)


def _give(play: Play, step: StepText, script: ScriptedDice, path: str) -> None:
    order = parse(play.view, play.units, step.order)
    try:
        decided = decide(play.view, step.side or play.view.side_to_act(), order, script)
    except Refused as refused:
        play.say(f"{path}.order", f"{shown(step.order)}: refused: {refused}")
        return
    except Broken as error:
        play.say(f"{path}.order", f"{shown(step.order)}: {error}")
        return
    play.view, play.happened = View(play.case.setting, decided.position, derived=decided.derived), decided.events
    if script.left():
        play.say(f"{path}.order", f"{shown(step.order)}: dice or draws that nobody asked for: {script.left()}")


def _pass_until(play: Play, goal: str, script: ScriptedDice, path: str) -> None:
    """Answer each decision by doing nothing, until a phase begins or an order of a name can be given."""
    started = play.view.position.phase
    for _ in range(MAX_PASSES):
        decision = play.view.decision()
        if decision is None or goal in decision.orders or (play.view.position.phase == goal != started):
            break
        idle = next((name for name in decision.orders if _does_nothing(play.view, name)), None)
        if idle is None:
            play.say(f"{path}.until", f"before {goal}, {decision.side} must choose: {play.view.prompt()}")
            return
        decided = decide(play.view, decision.side, compose(play.view.ruleset.orders[idle].order, ()), script)
        play.view, play.happened = View(play.case.setting, decided.position, derived=decided.derived), decided.events
        started = started if play.view.position.phase == started else ""
    if script.left():
        play.say(f"{path}.until", f"dice or draws that nobody asked for: {script.left()}")
    decision = play.view.decision()
    if goal != "end" and play.view.position.phase != goal and (decision is None or goal not in decision.orders):
        play.say(f"{path}.until", f"{goal} never came: {play.view.moment()}")


def _does_nothing(view: View, name: str) -> bool:
    order = compose(view.ruleset.orders[name].order, ())
    return options(view, (OptionPick(name),)).complete and refusal(view, order) is None
