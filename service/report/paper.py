"""Paper: the process that renders one page as PDF with WeasyPrint, from standard input to standard output.

It imports only the style sheet from the service: importing the catalogue would take longer than rendering the page.
"""

import re
import sys

from service.report.assets import ASSETS

CANNOT = 3
"""Exit status if Pango is not installed."""


def for_paper(html: str) -> str:
    """The page with the styles of its charts inside them: WeasyPrint applies no others to inline SVG."""
    style = f"<style>{_chart_style()}</style>"
    return re.sub(r'(<svg viewBox="[^"]+" role="img"[^>]*>)', lambda found: found[1] + style, html)


def _chart_style() -> str:
    """The chart rules of the style sheet, with the light colors in place of variables."""
    sheet = ASSETS["design.css"].content.decode()
    colors = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", sheet.partition("@media")[0]))
    rules = "".join(re.findall(r"\.chart ((?:text|\.)[^{]*\{[^}]*\})", sheet.replace("\n", " ")))
    rules = rules.replace("var(--font)", "sans-serif")
    return re.sub(r"var\(--([a-z-]+)\)", lambda found: colors[found[1]], rules)


def main() -> int:
    """Read a page, write its PDF."""
    html = sys.stdin.buffer.read().decode()
    try:
        import weasyprint
    except OSError:
        return CANNOT
    nothing = weasyprint.urls.URLFetcher(allowed_protocols=())
    sys.stdout.buffer.write(weasyprint.HTML(string=for_paper(html), url_fetcher=nothing).write_pdf())
    return 0


if __name__ == "__main__":
    sys.exit(main())
