"""Pictures of positions, without a window."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from PySide6.QtGui import QColor, QImage

from client.map.ground import ground_of
from client.map.palette import DARK, LIGHT
from client.qt import QPointF, QSizeF
from client.render import crowded_area, render_position
from client.session.local import PERSON
from client.session.saved import begin
from core.errors import BadInput
from core.match import new_server_match
from core.pack import Pack
from rasputitsa.packs import load_pack
from rasputitsa.render import render
from tests.client.conftest import TOY
from tests.toy.ruleset import End


def toy_match(pack: Pack) -> object:
    from core import pack as core_pack

    keeper = new_server_match(core_pack.setting(TOY, pack, "duel"), game="toy", seed=bytes(32), clock=lambda: 0, links=100)
    keeper.order("red", End())
    return keeper.match


def test_a_position_is_drawn_at_the_width_asked_for(qapp: object, toy: Pack, tmp_path: Path) -> None:
    match = toy_match(toy)
    path = tmp_path / "map.png"
    render_position(match.view, toy.lettering(["T"]), path, 640, manifest=toy.manifest)
    image = QImage(str(path))
    assert image.width() == 640
    colours = {image.pixelColor(x, y).name() for x in range(0, 640, 3) for y in range(0, image.height(), 3)}
    assert QColor(LIGHT.paper).name() in colours
    assert len(colours) > 40


def test_the_theme_changes_the_paper(qapp: object, toy: Pack, tmp_path: Path) -> None:
    match = toy_match(toy)
    path = tmp_path / "dark.png"
    render_position(match.view, (), path, 300, manifest=toy.manifest, palette=DARK)
    image = QImage(str(path))
    assert QColor(DARK.paper).name() in {image.pixelColor(x, y).name() for x in range(0, 300, 2) for y in range(0, image.height(), 2)}


def test_svg_is_written_by_its_name_and_a_region_is_smaller(qapp: object, toy: Pack, tmp_path: Path) -> None:
    match = toy_match(toy)
    path = tmp_path / "map.svg"
    board = match.view.board
    render_position(match.view, (), path, 400, manifest=toy.manifest, region=(board.hex("T0101"), board.hex("T0203")))
    words = path.read_text(encoding="utf-8")
    assert "<svg" in words
    assert 'width="' in words
    assert "<text" not in words, "no letter waits for a font that whoever reads it may lack"


def test_a_part_of_the_map_is_drawn_where_most_counters_lie(qapp: object) -> None:
    match = begin(load_pack("war_for_the_motherland"), "turning_point", {"soviet": PERSON, "axis": PERSON})
    ground, board = ground_of(match.view.board), match.view.board
    area = crowded_area(match.view, ground, QSizeF(640, 362))
    centres = [ground.geometry.centre(here) for here in match.view.position.occupied()]
    seen = sum(area.contains(QPointF(*centre)) for centre in centres)
    assert area.contains(QPointF(*ground.geometry.centre(board.hex("E4610"))))
    assert seen > len(centres) / 3
    assert ground.bounds.contains(area)


def test_a_place_that_cannot_be_written_is_named_and_nothing_is_left_there(qapp: object, toy: Pack, tmp_path: Path) -> None:
    match = toy_match(toy)
    with pytest.raises(OSError, match=r"nowhere.map\.png"):
        render_position(match.view, (), tmp_path / "nowhere" / "map.png", 300)
    assert list(tmp_path.iterdir()) == []


def saved_game(toy: Pack, folder: Path) -> Path:
    from core import gamefile

    match = toy_match(toy)
    file = folder / "toy.rasputitsa"
    file.write_bytes(gamefile.write(gamefile.head_of(match), toy.files, match.log))
    return file


def test_the_command_draws_any_entry_of_a_file(qapp: object, toy: Pack, tmp_path: Path) -> None:
    file = saved_game(toy, tmp_path)
    out = tmp_path / "first.png"
    result = CliRunner().invoke(render, [str(file), "--entry", "0", "--out", str(out), "--width", "300", "--region", "T0101-T0303"])
    assert result.exit_code == 0, result.output
    assert QImage(str(out)).width() == 300
    assert "entry 0" in result.output


@pytest.mark.parametrize("wrong", [["--entry", "99"], ["--region", "T0101-X9999"], ["--theme", "pink"]])
def test_the_command_names_what_it_expected(qapp: object, toy: Pack, tmp_path: Path, wrong: list[str]) -> None:
    result = CliRunner().invoke(render, [str(saved_game(toy, tmp_path)), *wrong])
    assert isinstance(result.exception, BadInput)
    assert "expected" in str(result.exception)
