"""Assets: the style sheet, the icons and the scripts of our pages, read once when the process starts.

Self-contained pages (a report that is saved or sent) include the style sheet and their icons; all others link to
``/static``.
"""

import base64
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

FOLDER = Path(__file__).resolve().parents[1] / "console" / "static"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class Asset:
    """A file that is served unchanged."""

    content: bytes
    media_type: str

    @property
    def etag(self) -> str:
        """Changes with the content."""
        return f'"{hashlib.sha256(self.content).hexdigest()}"'


def _read() -> dict[str, Asset]:
    files = sorted(file for file in FOLDER.iterdir() if file.suffix in MEDIA_TYPES)
    return {file.name: Asset(file.read_bytes(), MEDIA_TYPES[file.suffix]) for file in files}


ASSETS = _read()
"""Name → file. Nothing else in the folder is served, and no name has a slash."""


def style_sheet(*names: str) -> Markup:
    """Style sheets as the content of a style element."""
    content = "\n".join(ASSETS[name].content.decode() for name in names)
    if "</" in content:
        raise ValueError("a style sheet would end its element")
    return Markup(content)


def source_of(content: str) -> str:
    """The source expression of a content security policy that allows only this inline content."""
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"'sha256-{digest}'"


_SYMBOL = re.compile(r'<symbol id="(?P<name>[a-z0-9-]+)" viewBox="0 0 24 24">(?P<shapes>.*)</symbol>')
ICONS = {found["name"]: Markup(found["shapes"]) for found in _SYMBOL.finditer(ASSETS["icons.svg"].content.decode())}
"""Name → shapes, of the icons in ``icons.svg``."""


def icon(name: str, label: str | None = None, large: bool = False) -> Markup:
    """An icon, inline. Without a label it is decoration, hidden from screen readers."""
    style = "icon icon--large" if large else "icon"
    named = Markup('aria-hidden="true"') if label is None else Markup('role="img" aria-label="{}"').format(label)
    # Programs that ignore style sheets inside SVG need the two attributes.
    shape = Markup('<svg class="{}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" {}>{}</svg>')
    return shape.format(style, named, ICONS[name])
