"""The style sheet and the icons: contrasts by the formula of WCAG 2.2, and nothing from other servers."""

import re
from pathlib import Path

import pytest

from service.report.assets import ASSETS, ICONS, icon, source_of, style_sheet

CSS = ASSETS["design.css"].content.decode()
ROOT = Path(__file__).resolve().parents[3]
TEXT, MARK = 4.5, 3.0
GROUNDS = ("canvas", "surface", "sunken")
STATES = ("good", "warn", "bad", "info", "violet", "accent")

PAIRS = [
    *((text, ground, TEXT) for text in ("ink", "muted", "accent", "accent-strong") for ground in GROUNDS),
    *((state, ground, TEXT) for state in STATES for ground in ("surface", "canvas", f"{state}-soft")),
    *(("ink", f"{state}-soft", TEXT) for state in STATES),
    *(("muted", f"{state}-soft", TEXT) for state in ("good", "warn", "bad", "info", "accent")),
    ("accent-strong", "accent-soft", TEXT),
    ("on-accent", "accent", TEXT),
    ("on-accent", "accent-strong", TEXT),
    *((mark, ground, MARK) for mark in ("mark-before", "mark-after", "mark-guess") for ground in ("surface", "canvas")),
    ("line-strong", "surface", MARK),
    ("line-strong", "canvas", MARK),
]
"""Text or mark, what it stands on, and the least contrast."""


def tokens(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})\b", block))


LIGHT = tokens(CSS.split("@media screen and (prefers-color-scheme: dark)")[0])
DARK = LIGHT | tokens(CSS.split("@media screen and (prefers-color-scheme: dark)")[1].split("/* Base */")[0])


def luminance(color: str) -> float:
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_the_formula_gives_the_known_contrasts() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_pair_of_colors_is_readable(theme: str) -> None:
    colors = LIGHT if theme == "light" else DARK
    short = {
        (text, ground): round(contrast(colors[text], colors[ground]), 2)
        for text, ground, least in PAIRS
        if contrast(colors[text], colors[ground]) < least
    }
    assert short == {}


def test_the_dark_theme_answers_every_color_of_the_light_one() -> None:
    dark = tokens(CSS.split("@media screen and (prefers-color-scheme: dark)")[1].split("/* Base */")[0])
    assert set(LIGHT) == set(dark)


def test_every_token_that_is_used_is_defined() -> None:
    used = set(re.findall(r"var\(--([a-z0-9-]+)", CSS))
    assert used <= set(re.findall(r"--([a-z0-9-]+):", CSS))


def test_the_style_sheet_loads_nothing() -> None:
    assert not re.search(r"url\(|@import|https?:|</", CSS)
    assert CSS.count("{") == CSS.count("}")


def test_every_class_of_the_sample_page_and_of_the_guide_is_in_the_style_sheet() -> None:
    known = set(re.findall(r"\.([a-z][a-z0-9_-]*)", CSS))
    sample = (ROOT / "docs" / "design.html").read_text(encoding="utf-8")
    used = {name for group in re.findall(r'class="([^"]+)"', sample) for name in group.split()}
    assert used <= known | {"stack", "side"}


def test_an_icon_is_decoration_unless_it_has_a_label() -> None:
    assert 'aria-hidden="true"' in icon("download")
    named = icon("lock", label="<private>")
    assert 'aria-label="&lt;private&gt;"' in named
    assert "aria-hidden" not in named
    with pytest.raises(KeyError):
        icon("no-such-icon")


def test_icons_hold_shapes_and_nothing_else() -> None:
    assert ICONS
    for shapes in ICONS.values():
        assert re.fullmatch(r'(<(path|circle|rect|line|polyline|ellipse)( [a-z0-9]+="[-a-zA-Z0-9. ,]*")+/>)+', shapes)
    assert b"ISC License" in ASSETS["icons.license.txt"].content


def test_an_inline_style_sheet_is_allowed_by_its_digest_alone() -> None:
    assert style_sheet("design.css") == CSS
    # The digest of nothing is known.
    assert source_of("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
