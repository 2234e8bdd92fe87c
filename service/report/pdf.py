"""A page as PDF: WeasyPrint in a separate process, one page at a time, without network or files.

Rendering a page takes a second and a hundred megabytes that the web process should not spend. The process gets the
page on standard input and writes the PDF to standard output; any resource that the page would load is refused, though
it loads none. WeasyPrint draws text with Pango, a system library: without it there is no PDF, and the response says so.
"""

import asyncio
import sys

from service.http.problems import RETRY_SECONDS, Problem
from service.report.paper import CANNOT

_SECONDS = 120.0
"""Time limit for a page on a busy machine."""
_ONE = asyncio.Semaphore(1)


async def pdf_of(html: str) -> bytes:
    """The page as PDF."""
    async with _ONE:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "service.report.paper",
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
    if process.returncode == CANNOT:
        raise Problem("not-acceptable", "This installation has no Pango, which PDF needs. Print report.html instead.")
    if process.returncode or not content.startswith(b"%PDF"):
        raise RuntimeError(f"making a PDF ended with {process.returncode}")
    return content
