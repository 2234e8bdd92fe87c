"""A page as PDF: WeasyPrint in a process of its own, one page at a time, without network or files.

Laying a page out takes a second and a hundred megabytes that the web process should not spend. The process gets the
page on its standard input and answers on its standard output; what the page would load is refused, though it loads
nothing. WeasyPrint draws text by Pango, a library of the system: without it there is no PDF, and the answer says so.
"""

import asyncio
import re
import sys

from service.console.assets import ASSETS
from service.problems import RETRY_SECONDS, Problem

_SECONDS = 120.0
"""How long a page may take on a busy machine."""
_CANNOT = 3
"""Exit status of a process that has no Pango."""
_ONE = asyncio.Semaphore(1)


async def pdf_of(html: str) -> bytes:
    """The page as PDF."""
    async with _ONE:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "service.report.pdf",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(_SECONDS):
                content, _ = await process.communicate(html.encode())
        except TimeoutError:
            raise Problem("busy", "The PDF took too long.", headers={"Retry-After": str(RETRY_SECONDS)}) from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    if process.returncode == _CANNOT:
        raise Problem("not-acceptable", "This installation has no Pango to make PDF with. Print report.html instead.")
    if process.returncode or not content.startswith(b"%PDF"):
        raise RuntimeError(f"making a PDF ended with {process.returncode}")
    return content


def for_paper(html: str) -> str:
    """The page with the styles of its charts inside them: WeasyPrint reads no others for inline SVG."""
    style = f"<style>{_chart_style()}</style>"
    return re.sub(r'(<svg viewBox="[^"]+" role="img"[^>]*>)', lambda found: found[1] + style, html)


def _chart_style() -> str:
    """The rules of charts in the style sheet, with the light colors in place of their names."""
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
        return _CANNOT
    nothing = weasyprint.urls.URLFetcher(allowed_protocols=())
    sys.stdout.buffer.write(weasyprint.HTML(string=for_paper(html), url_fetcher=nothing).write_pdf())
    return 0


if __name__ == "__main__":
    sys.exit(main())
