"""Games as a window sees them: time, undo, words, files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from client.reading import moves_since
from client.session import match as match_module
from client.session import saved
from client.session.replay import FileMatch
from client.session.saved import SavedMatch
from client.session.words import figure_of, told
from client.words import reckoned
from core.errors import BadInput, Refused
from core.events import Event, Line, Moved, Part, Removed, StepsChanged
from core.orders import OptionPick, UnitPick, compose
from core.pack import Pack
from core.text import text
from core.units import UnitId
from tests.client.conftest import TOY
from tests.toy.ruleset import End, Go, free

Maker = Callable[..., SavedMatch]


def go(match: SavedMatch, unit: int = 0) -> Go:
    return Go(UnitId(unit), free(match.match.view, UnitId(unit))[0])


def test_any_moment_can_be_sought_in_both_directions(new_match: Maker) -> None:
    match = new_match()
    digests = [match.view.position.digest()]
    for order in (go(match), End(), End(), End()):
        match.order(order)
        digests.append(match.view.position.digest())
    for index in (0, 3, 1, 4, 2):
        match.seek(index)
        assert match.view.position.digest() == digests[index]
        assert match.cursor == index
        assert match.is_live == (index == 4)


def test_moments_name_turn_phase_and_battles(new_match: Maker) -> None:
    match = new_match()
    for order in (End(), End(), End()):
        match.order(order)
    assert [(m.turn, m.phase) for m in match.moments()] == [(1, "red"), (1, "blue"), (2, "red"), (2, "blue")]


def test_the_log_tells_what_holds_not_what_was_taken_back_at_this_table(new_match: Maker) -> None:
    match = new_match()
    match.order(go(match))
    told = [match.lines(index) for index in range(len(match.moments()))]
    match.undo()
    match.redo()
    assert [match.lines(index) for index in range(len(match.moments()))] == told
    match.undo()
    assert [match.lines(index) for index in range(len(match.moments()))] == told[:1]


def test_undo_goes_back_and_redo_brings_the_same_events(new_match: Maker) -> None:
    match = new_match()
    before = match.view.position.digest()
    match.order(go(match))
    after = match.view.position.digest()
    match.undo()
    assert match.view.position.digest() == before
    match.redo()
    assert match.view.position.digest() == after
    match.undo()
    with pytest.raises(Refused):
        match.undo()


def test_undo_against_a_bot_goes_back_to_before_ones_own_order(new_match: Maker) -> None:
    match = new_match(blue="random")
    before = match.view.position.digest()
    match.order(End())
    assert match.bot_to_act == "random"
    match.bot_order(End())
    match.undo()
    assert match.view.position.digest() == before
    assert match.may_act


def test_redo_brings_back_what_the_bot_answered_and_never_asks_it_anew(new_match: Maker) -> None:
    match = new_match(blue="random")
    orders = 0
    while match.outcome is None:
        if match.bot_to_act:
            match.bot_order(End())
        else:
            match.order(End())
            orders += 1
    there = match.view.position.digest()
    for _ in range(orders):
        match.undo()
    assert orders > 1
    for left in reversed(range(orders)):
        match.redo()
        assert match.may_act or not left, "a bot that is asked in the middle plays another game from there"
    assert match.view.position.digest() == there
    with pytest.raises(Refused, match="nothing to bring back"):
        match.redo()


def test_the_bots_view_is_its_own(new_match: Maker) -> None:
    match = new_match(red="random")
    view = match.bot_view()
    view.position.tracks["turn"] = 77
    assert match.view.position.turn == 1


def test_words_tell_moves_phases_and_figures(new_match: Maker) -> None:
    match = new_match()
    match.order(go(match))
    assert [line.kind for line in match.lines(1)] == ["move"]
    assert "red pawn 1" in str(match.lines(1)[0].text)
    match.order(End())
    assert [line.kind for line in match.lines(2)] == ["phase"]
    assert match.lines(0)[0].text.args == {"n": 6}


@pytest.mark.parametrize(("every", "lately"), [(2, 2), (6, 2), (4, 1)])
@pytest.mark.parametrize("back", range(1, 9))
def test_after_an_undo_far_back_all_is_told_as_in_a_game_that_never_went_on(
    new_match: Maker, monkeypatch: pytest.MonkeyPatch, back: int, every: int, lately: int
) -> None:
    monkeypatch.setattr(match_module, "KEPT_EVERY", every)
    monkeypatch.setattr(match_module, "KEPT_LATELY", lately)
    match = new_match()
    for _ in range(3):
        match.order(go(match))
        match.order(End())
        match.order(End())
    for _ in range(back):
        match.undo()
    match.order(End())
    afresh = FileMatch(match.to_bytes(), name="toy", clock=lambda: 0)
    count = len(match.moments())
    assert count == len(afresh.moments()) == 11 - back
    for tell in ("moves", "tally"):
        assert [getattr(match, tell)(i) for i in range(count)] == [getattr(afresh, tell)(i) for i in range(count)]


def test_an_undo_late_in_a_game_tells_again_of_a_few_moments_only(new_match: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_module, "KEPT_EVERY", 8)
    monkeypatch.setattr(match_module, "KEPT_LATELY", 2)
    match = new_match()
    for order in (go, End, End) * 2:
        match.order(go(match) if order is go else End())
    assert set(match._known) == {0, 2, 4, 6}
    monkeypatch.setattr(match_module, "KEPT_EVERY", 4)
    match.refresh()
    assert set(match._known) == {0, 4, 6}
    monkeypatch.setattr(match_module, "KEPT_EVERY", 8)
    told, tell = list[int](), match_module._routes
    monkeypatch.setattr(match_module, "_routes", lambda entry, places: (told.append(entry.number), tell(entry, places))[1])
    for _ in range(3):
        told.clear()
        match.undo()
        assert len(told) < 2
    assert set(match._known) == {0, 4}


def test_moves_know_where_they_began_also_after_an_undo(new_match: Maker) -> None:
    match = new_match()
    start = match.view.unit(UnitId(0)).place
    first = go(match)
    match.order(first)
    match.order(go(match, 1))
    assert [route.start for route in match.moves(1)] == [start]
    assert moves_since(match, "phase") == [[start, first.hex], [match.moves(2)[0].start, *match.moves(2)[0].move.path]]
    match.undo()
    match.undo()
    match.order(first)
    assert [route.start for route in match.moves(1)] == [start]
    match.order(End())
    assert moves_since(match, "phase") == []


def test_figures_join_signed_parts_as_people_write_them() -> None:
    parts = (Part("4", "", text("die")), Part("-1", "9.91", text("isolated")), Part("+2", "6.1", text("overrun")))
    figure = figure_of(Line("roll", "5", parts))
    assert (str(figure.name), figure.sum, figure.total, figure.rules) == ("Roll", "4 − 1 (9.91) + 2 (6.1)", "5", ("9.91", "6.1"))
    cities = Line("cities", "55", (Part("15", "15.2", text("Riga")), Part("40", "15.2", text("Konigsberg"))))
    assert figure_of(cities, of_battle=False).sum == "Riga 15 + Konigsberg 40 (15.2)"
    assert figure_of(cities).sum == "15 + 40 (15.2)"
    lost = Line("length", "0", (Part("2", "8.113", text("result")), Part("-2", "8.113", text("steps lost"))))
    assert figure_of(lost, of_battle=False).sum == "2 − 2 (8.113)"
    twice = (Part("3", "9.53", text("depot")), Part("5", "", text("corps")), Part("3", "9.53", text("depot")))
    assert figure_of(Line("attack", "11", twice)).sum == "2 × 3 (9.53) + 5"
    assert figure_of(Line("attack", "10", (*twice[:2], Part("2", "9.53", text("depot"))))).sum == "(3 + 2) (9.53) + 5"
    assert figure_of(Line("drm", "0", (Part("+1", "8.5", text("a")), Part("2", "", text("b")), Part("-3", "8.5", text("c"))))).sum == (
        "(+1 − 3) (8.5) + 2"
    )
    alone = figure_of(Line("drm", "-2", (Part("-2", "8.5", text("a")),)))
    assert (alone.sum, alone.value) == ("−2 (8.5)", "−2"), "the sign is that of the sums"
    assert figure_of(Line("odds", "1-2", (Part("1-2", "", text("a")),))).sum == "1-2"
    assert figure_of(Line("drm", "1", (Part("1", "11.28", text("winter")),))).name == text("DRM")


def test_what_is_added_to_a_die_bears_its_sign() -> None:
    one = figure_of(Line("drm", "1", (Part("1", "6.1", text("panzers")),)))
    assert (one.sum, one.value, one.total) == ("+1 (6.1)", "+1", "")
    both = figure_of(Line("drm", "4", (Part("3", "8.62", text("support")), Part("1", "11.28", text("winter")))))
    assert (both.sum, both.total) == ("+3 (8.62) + 1 (11.28)", "+4")
    assert figure_of(Line("drm", "0", ())).value == "0"
    assert figure_of(Line("attack", "9", ())).value == "9"


def test_a_column_that_is_shifted_is_no_sum() -> None:
    shifted = (Part("6:1", "", text("clear")), Part("7:1", "8.52", text("air support")))
    figure = figure_of(Line("column", "7:1", shifted))
    assert (figure.sum, figure.total) == ("6:1 → 7:1 (8.52)", "")
    figure = figure_of(Line("column", "3:1", (shifted[0], Part("2:1", "8.53", text("air support")), Part("3:1", "8.52", text("more")))))
    assert (figure.sum, figure.total) == ("6:1 → 2:1 (8.53) → 3:1 (8.52)", "")
    stays = (Part("7:1", "", text("clear")), Part("7:1", "8.52", text("air support")))
    figure = figure_of(Line("column", "7:1", stays))
    assert (figure.sum, figure.total, reckoned(figure.sum)) == ("7:1, where the table ends (8.52)", "", figure.sum)
    figure = figure_of(Line("column", "≈2:1", (Part("1:1 … 3:1", "7.11", text("markers")),)))
    assert (figure.sum, figure.total) == ("1:1 … 3:1 (7.11)", "≈2:1")


def test_a_saved_game_goes_on_with_the_same_dice(new_match: Maker, toy: Pack, tmp_path: Path) -> None:
    match = new_match(blue="random")
    match.order(go(match))
    file = match.save(tmp_path)
    again = saved.resume(file)
    assert again.seats == match.seats
    assert again.view.position.digest() == match.view.position.digest()
    strike = next(
        (OptionPick("strike"), pick, target)
        for pick in again.options((OptionPick("strike"),)).picks
        if isinstance(pick, UnitPick)
        for target in again.options((OptionPick("strike"), pick)).picks
        if not isinstance(target, UnitPick)
    )
    order = compose(TOY.orders["strike"].order, strike[1:])
    again.order(order)
    match.order(order)
    assert again.view.position.digest() == match.view.position.digest()


def test_recent_games_are_listed_by_their_cards(new_match: Maker, tmp_path: Path) -> None:
    new_match().saver(tmp_path, draw=lambda view, path: path.write_bytes(b""))()
    (tmp_path / "other.rasputitsa").write_bytes(b"no card beside it")
    assert [(one.card.title, one.card.waits_for) for one in saved.recent(tmp_path).games] == [("Toy · Duel", "Red")]


def test_a_file_is_watched_from_its_beginning_and_nobody_may_act(new_match: Maker) -> None:
    match = new_match()
    match.order(go(match))
    match.order(End())
    watched = FileMatch(match.to_bytes(), name="toy", clock=lambda: 0)
    assert watched.cursor == 0
    watched.seek(2)
    assert watched.is_live
    assert watched.view.position.digest() == match.view.position.digest()
    assert not watched.may_act
    with pytest.raises(Refused):
        watched.order(End())


def test_a_damaged_file_names_its_faults(new_match: Maker) -> None:
    data = new_match().to_bytes()
    with pytest.raises(BadInput) as caught:
        FileMatch(data[:-30], name="toy", clock=lambda: 0)
    assert caught.value.faults


def test_a_game_without_its_card_cannot_be_taken_up(new_match: Maker, tmp_path: Path) -> None:
    file = new_match().save(tmp_path)
    file.with_suffix(".json").unlink()
    with pytest.raises(BadInput):
        saved.resume(file)


def test_steps_that_were_won_are_no_loss_in_the_log(new_match: Maker) -> None:
    view = new_match().match.view
    unit = min(view.position.units)
    kinds = [line.kind for _, line in told(((StepsChanged(unit, steps), view) for steps in (1, 2)), {}, {})]
    assert view.type(unit).steps == 2
    assert kinds == ["loss", "other"]


def test_who_only_becomes_another_counter_is_no_loss_in_the_log(new_match: Maker) -> None:
    view = new_match().match.view
    unit = min(view.position.units)
    kinds = [line.kind for _, line in told(((Removed(unit, why), view) for why in ("eliminated", "converted")), {}, {})]
    assert kinds == ["loss", "other"]


def test_what_goes_off_the_map_into_a_box_is_told_in_one_line(new_match: Maker) -> None:
    view = new_match().match.view
    one, other = sorted(view.position.units)[:2]
    box = view.board.box("out")
    happened: list[Event] = [Removed(one, "lost_for_good"), Moved((one,), (box,)), Removed(other, "eliminated"), Moved((one,), (box,))]
    lines = [str(line.text) for _, line in told(((event, view) for event in happened), {}, {view.board.name(box): "far box"})]
    name, another = view.name(one), view.name(other)
    assert lines == [f"{name}: lost for good, to the far box", f"{another}: eliminated", f"{name}: to the far box"]
