"""The cache of compiled kernels: a separate folder for every version of their source.

Numba checks only the file of the called function, so it would miss a change in a function that this one calls. A new
folder avoids that.
"""

import hashlib
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".numba_cache"


def cache_folder() -> Path:
    """The folder for the current kernels; folders of other versions are removed."""
    digest = hashlib.sha256()
    for source in sorted((ROOT / "antifaz" / "kernels").rglob("*.py")):
        digest.update(source.read_bytes())
    folder = CACHE / digest.hexdigest()[:16]
    if not folder.is_dir():
        shutil.rmtree(CACHE, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
    return folder


if __name__ == "__main__":
    print(cache_folder())
