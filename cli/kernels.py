"""Where compiled kernels are kept: a folder of their own for every state of their source.

The compiler looks only at the file of the function that is called, so a change in a function that it calls would go
unnoticed; another folder cannot.
"""

import hashlib
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".numba_cache"


def cache_folder() -> Path:
    """The folder for the kernels as they are now; those of other states are removed."""
    digest = hashlib.sha256()
    for source in sorted((ROOT / "antifaz" / "kernels").glob("*.py")):
        digest.update(source.read_bytes())
    folder = CACHE / digest.hexdigest()[:16]
    if not folder.is_dir():
        shutil.rmtree(CACHE, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
    return folder


if __name__ == "__main__":
    print(cache_folder())
