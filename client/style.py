"""The look of widgets, made from the palette: one style sheet for the whole client."""

from __future__ import annotations

import re

from client.map.palette import Palette, mixed, text_on
from client.scale import px

HEADER_HEIGHT = 44
PANEL_WIDTH = 340
RAIL_WIDTH = 44
TIMELINE_HEIGHT = 56
_TEXT = re.compile(r"font-size: (\d+)px")


def sheet(palette: Palette) -> str:
    """Return the style sheet of a theme, its texts as large as the player wants them."""
    rules = "".join(part(palette) for part in (_chrome, _cards, _labels, _buttons, _fields, _dialogs))
    return _TEXT.sub(lambda found: f"font-size: {px(int(found[1]))}px", rules)


def _hover(palette: Palette) -> str:
    return mixed(palette.chrome, palette.ink, 0.06)


def _half_line(size: int) -> int:
    """Return half the height of a line of texts: a radius greater than half of what it rounds is none to Qt, and the corners stay sharp."""
    return px(size) * 6 // 10


def _pressed(palette: Palette) -> str:
    return mixed(palette.chrome, palette.ink, 0.12)


def _chosen(palette: Palette) -> str:
    return mixed(palette.card, palette.accent, 0.35)


def _chrome(p: Palette) -> str:
    """Return the rules of the window itself: menus, tool tips, and the frames of its parts."""
    hover = _hover(p)
    pressed = _pressed(p)
    chosen = _chosen(p)
    return f"""
    * {{ font-family: "Inter"; font-size: 13px; color: {p.ink}; }}
    QMainWindow, QWidget#page, QStackedWidget {{ background: {p.chrome}; }}
    QMenuBar {{ background: {p.chrome}; border-bottom: 1px solid {p.chrome_line}; }}
    QMenuBar::item {{ padding: 4px 10px; background: transparent; }}
    QMenuBar::item:selected {{ background: {pressed}; }}
    QMenu::item:selected {{ background: {chosen}; color: {text_on(chosen)}; }}
    QMenu {{ background: {p.card}; border: 1px solid {p.chrome_line}; padding: 4px; }}
    QMenu::item {{ padding: 5px 26px 5px 22px; border-radius: 4px; }}
    QMenu::item:disabled {{ color: {mixed(p.ink, p.card, 0.45)}; background: transparent; }}
    QToolTip {{ background: {p.card}; color: {p.ink}; border: 1px solid {p.chrome_line}; padding: 4px 6px; }}
    QFrame#header {{ background: {p.chrome}; border-bottom: 1px solid {p.chrome_line}; }}
    QFrame#timeline {{ background: {p.chrome}; border-top: 1px solid {p.chrome_line}; }}
    QFrame#side {{ background: {p.chrome}; border: 1px solid {p.chrome_line}; border-radius: 10px; }}
    QFrame#docked {{ background: {p.chrome}; border-top: 1px solid {p.chrome_line}; }}
    QSplitter::handle {{ background: transparent; }}
    QSplitter::handle:hover {{ background: {hover}; }}
    QFrame#rail {{ background: {p.chrome}; border-left: 1px solid {p.chrome_line}; }}
    """


def _cards(p: Palette) -> str:
    """Return the rules of what floats over the map."""
    hover = _hover(p)
    return f"""
    QFrame#card {{ background: {p.card}; border: 1px solid {p.chrome_line}; border-radius: 10px; }}
    QFrame#lesson {{ background: {p.card}; border: 2px solid {p.accent}; border-radius: 10px; }}
    QLabel#timecard {{ background: {p.card}; border: 1px solid {p.chrome_line}; border-radius: 6px; padding: 5px 9px; }}
    QProgressBar {{ background: {hover}; border: 1px solid {p.chrome_line}; border-radius: 6px; text-align: center; min-height: 16px; }}
    QProgressBar::chunk {{ background: {mixed(p.card, p.good, 0.45)}; border-radius: 5px; }}
    QFrame#tools {{ background: {p.chrome}; border: 1px solid {p.chrome_line}; border-radius: 8px; }}
    QLabel#hint {{ background: {p.card}; border: 1px solid {p.ink_soft}; border-radius: 6px; padding: 4px 8px; color: {p.ink}; }}
    """


def _labels(p: Palette) -> str:
    """Return the rules of words."""
    return f"""
    QLabel {{ background: transparent; }}
    QLabel#name {{ font-weight: 700; font-size: 30px; }}
    QLabel#title {{ font-weight: 600; font-size: 14px; }}
    QLabel#heading {{ font-weight: 700; font-size: 18px; }}
    QLabel#subheading {{ font-weight: 600; font-size: 13px; }}
    QLabel#soft {{ color: {p.ink_soft}; }}
    QLabel#warning {{ color: {p.danger}; font-weight: 600; }}
    QLabel#odds {{ font-weight: 700; font-size: 26px; }}
    QLabel#rule {{ color: {text_on(mixed(p.chrome, p.accent, 0.35))}; background: {mixed(p.chrome, p.accent, 0.35)};
        border-radius: 4px; padding: 1px 6px; font-size: 12px; font-weight: 500; }}
    QLabel#turn {{ background: {mixed(p.chrome, p.sea, 0.55)}; border-radius: {_half_line(13) + 3}px; padding: 3px 12px;
        font-weight: 600; }}
    """


def _buttons(p: Palette) -> str:
    """Return the rules of buttons by their kind."""
    hover = _hover(p)
    pressed = _pressed(p)
    primary = mixed(p.danger, "#B4472F", 0.6) if not p.dark else p.accent
    return f"""
    QPushButton {{ background: {p.card}; border: 1px solid {p.chrome_line}; border-radius: 7px; padding: 6px 12px; font-weight: 500; }}
    QPushButton:hover {{ background: {hover}; }}
    QPushButton:pressed {{ background: {pressed}; }}
    QPushButton:focus {{ border: 2px solid {p.accent}; padding: 5px 11px; outline: none; }}
    QPushButton:disabled {{ color: {mixed(p.ink, p.card, 0.5)}; background: transparent; }}
    QPushButton#closed {{ color: {mixed(p.ink, p.card, 0.5)}; background: transparent; }}
    QPushButton#primary {{ background: {primary}; color: {text_on(primary)}; border: none; font-weight: 700; font-size: 15px;
        padding: 10px 16px; }}
    QPushButton#primary:hover {{ background: {mixed(primary, "#000000", 0.1)}; }}
    QPushButton#primary:focus {{ border: 2px solid {p.ink}; padding: 8px 14px; }}
    QPushButton#primary:disabled {{ background: {mixed(primary, p.chrome, 0.65)}; color: {mixed(p.ink, p.chrome, 0.3)}; }}
    QPushButton#tab {{ background: transparent; border: none; border-bottom: 3px solid transparent; border-radius: 0; padding: 8px 3px;
        color: {p.ink_soft}; font-weight: 500; }}
    QPushButton#tab:checked {{ color: {p.ink}; font-weight: 700; border-bottom: 3px solid {p.accent}; }}
    QPushButton#tab:focus {{ color: {p.ink}; border-bottom: 3px solid {p.ink}; }}
    QPushButton#chip {{ border: 1px solid {p.chrome_line}; background: transparent; border-radius: {_half_line(12) + 3}px; padding: 2px 9px;
        font-size: 12px; }}
    QPushButton#chip:checked {{ background: {mixed(p.chrome, p.accent, 0.35)}; font-weight: 600; }}
    QPushButton#chip:focus {{ border: 2px solid {p.ink}; padding: 1px 8px; }}
    QPushButton#tool {{ border: none; background: transparent; padding: 6px; min-width: 20px; font-weight: 600; border-radius: 6px; }}
    QPushButton#tool:focus {{ border: 2px solid {p.accent}; padding: 4px; }}
    QPushButton#tool:checked {{ background: {mixed(p.chrome, p.accent, 0.35)}; border-radius: 6px; }}
    QPushButton#tool:hover {{ background: {hover}; }}
    QPushButton#line {{ text-align: left; border: none; background: transparent; padding: 5px 8px; }}
    QPushButton#line:hover {{ background: {hover}; border-radius: 6px; }}
    QPushButton#line:focus {{ border: 2px solid {p.accent}; border-radius: 6px; padding: 3px 6px; }}
    QPushButton#live, QPushButton#late {{ border: 1px solid {p.good}; border-radius: 12px; min-height: 16px; color: {p.ink};
        padding: 4px 12px; font-weight: 600; }}
    QPushButton#late {{ border: 1px dashed {p.ink_soft}; }}
    QPushButton#live:focus, QPushButton#late:focus {{ border: 2px solid {p.accent}; padding: 3px 11px; }}
    QPushButton#back {{ background: {p.accent}; color: {text_on(p.accent)}; border: none; border-radius: 12px; min-height: 16px;
        padding: 5px 14px;
        font-weight: 700; }}
    QPushButton#back:focus {{ border: 2px solid {p.ink}; padding: 3px 12px; }}
    """


def _fields(p: Palette) -> str:
    """Return the rules of what is typed into, chosen from or scrolled."""
    chosen = _chosen(p)
    return f"""
    QScrollArea, QScrollArea > QWidget > QWidget, QTextBrowser {{ background: transparent; border: none; }}
    QTextBrowser {{ selection-background-color: {p.accent}; selection-color: {text_on(p.accent)}; }}
    QScrollBar:vertical {{ background: transparent; width: 10px; margin: 2px; }}
    QScrollBar::handle:vertical {{ background: {mixed(p.chrome, p.ink, 0.25)}; border-radius: 3px; min-height: 30px; }}
    QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 2px; }}
    QScrollBar::handle:horizontal {{ background: {mixed(p.chrome, p.ink, 0.25)}; border-radius: 3px; min-width: 30px; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ height: 0; width: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    QLineEdit, QComboBox {{ background: {p.card}; border: 1px solid {p.chrome_line}; border-radius: 6px; padding: 5px 8px; }}
    QLineEdit {{ selection-background-color: {p.accent}; selection-color: {text_on(p.accent)}; }}
    QLineEdit:focus, QComboBox:focus {{ border: 2px solid {p.accent}; padding: 4px 7px; }}
    QLineEdit:disabled, QComboBox:disabled {{ color: {mixed(p.ink, p.card, 0.5)}; background: transparent; }}
    QComboBox {{ combobox-popup: 0; }}
    QComboBox::drop-down {{ border: none; width: 22px; }}
    QComboBox QAbstractItemView::item {{ min-height: 26px; padding: 0 6px; border: none; }}
    QComboBox QAbstractItemView::item:selected {{ background: {chosen}; color: {text_on(chosen)}; border-radius: 4px; }}
    QComboBox QAbstractItemView {{ background: {p.card}; border: 1px solid {p.chrome_line}; selection-background-color: {chosen};
        selection-color: {text_on(chosen)}; outline: none; }}
    """


def _dialogs(p: Palette) -> str:
    """Return the rules of Qt's own dialogs, which ask for files where the desktop has none; dark themes wrote light on light in them."""
    chosen, plain = _chosen(p), mixed(p.chrome, "#FFFFFF", 0.6 if p.dark else 0.0)  # the signs of its tools are black
    return f"""
    QDialog {{ background: {p.chrome}; }}
    QDialog QAbstractItemView {{ background: {p.card}; border: 1px solid {p.chrome_line}; outline: none; }}
    QDialog QAbstractItemView::item {{ padding: 2px 4px; }}
    QDialog QAbstractItemView::item:selected {{ background: {chosen}; color: {text_on(chosen)}; }}
    QDialog QHeaderView {{ background: {p.chrome}; border: none; }}
    QDialog QHeaderView::section {{ background: {p.chrome}; border: none; border-bottom: 1px solid {p.chrome_line}; padding: 3px 6px; }}
    QDialog QToolButton {{ background: {plain}; border: none; border-radius: 6px; padding: 3px; }}
    QDialog QToolButton:hover, QDialog QToolButton:checked {{ background: {mixed(plain, p.accent, 0.35)}; }}
    QDialog QToolButton:focus {{ border: 2px solid {p.accent}; padding: 1px; }}
    QDialog QSplitter::handle {{ width: 5px; }}
    QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
    """
