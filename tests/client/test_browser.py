"""The page that replays a game, in a real browser: by file, without a network, forward, back and by itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from client.session import saved
from client.session.saved import SavedMatch
from client.webpage import WebPage
from client.words import capital, say
from core import bots, pack, rulesets
from core.match import new_server_match
from core.orders import Order
from core.units import UnitId
from rasputitsa.packs import load_pack
from tests.client.browser import Browser, browser
from tests.toy.ruleset import End, Go, free

Maker = Callable[..., SavedMatch]


@pytest.fixture
def match(new_match: Maker) -> SavedMatch:
    made = new_match()
    orders: list[Order] = [Go(UnitId(0), free(made.view, UnitId(0))[0]), End(), End()]
    for order in orders:
        made.order(order)
    return made


@pytest.fixture
def shown(match: SavedMatch, qapp: object, tmp_path: Path) -> Iterator[Browser]:
    """The browser with the page open."""
    page = WebPage(match)
    list(page.draw())
    file = tmp_path / "game of a friend.html"
    file.write_bytes(page.to_bytes())
    profile = tmp_path / "profile"
    profile.mkdir()
    with browser(profile) as tab:
        tab.open(file)
        yield tab


def last_words(match: SavedMatch, index: int) -> str:
    return capital(say(match.lines(index)[-1].text))


def test_the_page_opens_from_a_file_asks_for_nothing_and_complains_of_nothing(shown: Browser) -> None:
    shown.wait_for("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
    assert [address for address in shown.requests() if not address.startswith(("file:", "data:"))] == []
    assert len([address for address in shown.requests() if address.startswith("file:")]) == 1
    assert shown.complaints() == []


def test_keys_step_forward_and_back_and_the_log_says_what_happened(shown: Browser, match: SavedMatch) -> None:
    assert shown.ask("document.querySelector('#count').textContent") == "1 / 4"
    shown.press("ArrowRight")
    assert shown.ask("document.querySelector('#count').textContent") == "2 / 4"
    assert last_words(match, 1) in shown.ask("document.querySelector('#log').textContent")
    assert last_words(match, 2) not in shown.ask("document.querySelector('#log').textContent")
    moved = shown.ask("document.querySelector('#map').innerHTML")
    shown.press("ArrowLeft")
    assert shown.ask("document.querySelector('#count').textContent") == "1 / 4"
    assert shown.ask("document.querySelector('#map').innerHTML") != moved


def test_a_map_larger_than_the_window_follows_what_happens(shown: Browser) -> None:
    sees = """(() => { const main = document.querySelector('main'), at = data.states[now].at;
        const left = at[0] + 14 - main.scrollLeft, top = at[1] + 14 - main.scrollTop;
        return left >= 0 && top >= 0 && left <= main.clientWidth && top <= main.clientHeight; })()"""
    shown.ask("document.querySelector('main').style.cssText = 'width: 120px; height: 120px'")
    shown.ask("document.querySelector('#map').style.padding = '0 4000px 4000px 0'")
    shown.ask("document.querySelector('main').scrollTo(3000, 3000)")
    assert not shown.ask(sees)
    shown.press("ArrowRight")
    assert shown.ask(sees)


def test_it_plays_by_itself_to_the_end(shown: Browser) -> None:
    shown.ask("document.querySelector('#play').click()")
    shown.wait_for("document.querySelector('#count').textContent == '4 / 4'")


def test_page_up_and_down_go_from_turn_to_turn(shown: Browser, match: SavedMatch) -> None:
    turns = [moment.turn for moment in match.moments()]
    begins = [index for index, turn in enumerate(turns) if not index or turn != turns[index - 1]]
    assert len(begins) > 1
    for index in begins[1:]:
        shown.press("PageDown")
        assert shown.ask("now") == index
    for index in reversed(begins[:-1]):
        shown.press("PageUp")
        assert shown.ask("now") == index
    shown.ask("document.querySelector('#turn').click()")
    assert shown.ask("now") == begins[1]
    shown.ask("document.querySelector('#turnback').click()")
    assert shown.ask("now") == 0


def test_what_is_seen_is_a_map_with_counters_on_it(shown: Browser) -> None:
    shown.wait_for("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
    image = QImage.fromData(shown.picture())
    assert image.width() >= 1200
    colours = {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
    assert len(colours) > 300
    places = shown.ask("[...document.querySelectorAll('#map img')].slice(1).map(i => { const b = i.getBoundingClientRect();"
                       " return [b.x + b.width / 2, b.y + b.height / 2] })")
    assert len(places) >= 4


ORDERS = 24  # into the second phase of Turning Point, with battles fought


@pytest.fixture(scope="module")
def war() -> SavedMatch:
    """The beginning of a real game, played by bots."""
    files = load_pack("war_for_the_motherland")
    setting = pack.setting(rulesets.load("war_for_the_motherland"), files, "turning_point")
    keeper = new_server_match(setting, game="page", seed=bytes(32), clock=saved.clock, links=100)
    made = SavedMatch(keeper, files, dict.fromkeys(setting.sides, "person"), seed=bytes(32))
    rng, steady = random.Random(11), bots.load("steady")
    for _ in range(ORDERS):
        made.order(steady(made.view, rng))
    return made


def test_a_real_game_is_gone_through_to_its_end_with_every_line_of_its_log(war: SavedMatch, qapp: object, tmp_path: Path) -> None:
    page = WebPage(war)
    list(page.draw())
    file = tmp_path / "turning point.html"
    file.write_bytes(page.to_bytes())
    assert file.stat().st_size < 8_000_000
    battles = {index for index in range(len(war.moments())) if any(line.kind == "battle" for line in war.lines(index))}
    assert battles
    profile = tmp_path / "profile"
    profile.mkdir()
    with browser(profile) as tab:
        tab.open(file)
        tab.wait_for("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
        begun = QImage.fromData(tab.picture())
        last = len(war.moments()) - 1
        for index in range(1, last + 1):
            tab.press("ArrowRight")
            log = tab.ask("document.querySelector('#log').textContent")
            assert tab.ask("document.querySelector('#count').textContent") == f"{index + 1} / {last + 1}"
            assert all(capital(say(line.text)) in log for line in war.lines(index)), index
            if index in battles:
                figures = [figure for line in war.lines(index) for figure in line.figures]
                assert figures
                assert all(str(figure.name) in log and figure.sum in log and figure.total in log for figure in figures), index
        ended = QImage.fromData(tab.picture())
        fought = sorted(battles)
        tab.press("B")
        assert tab.ask("now") == max(index for index in fought if index < last)
        tab.press("Home")
        tab.press("b")
        assert tab.ask("now") == fought[0]
        assert [address for address in tab.requests() if not address.startswith(("file:", "data:"))] == []
        assert tab.complaints() == []
    colours = {ended.pixel(x, y) for x in range(0, ended.width(), 3) for y in range(0, ended.height(), 3)}
    assert len(colours) > 800
    assert ended != begun
