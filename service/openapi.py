"""The committed OpenAPI document: written, or compared with the routes.

python -m service.openapi --write     write api_schemas/openapi.json
python -m service.openapi --check     fail if the committed document differs
"""

import argparse
import json
import sys
from pathlib import Path

from service.app import create_app
from service.documentation.document import describe

COMMITTED = Path(__file__).resolve().parents[1] / "api_schemas" / "openapi.json"


def rendered() -> str:
    """The document as it is committed. Members keep their order, in which generated clients send a form's parts."""
    return json.dumps(describe(create_app()), indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write or check the committed document."""
    parser = argparse.ArgumentParser(prog="python -m service.openapi")
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--write", action="store_true")
    choice.add_argument("--check", action="store_true")
    chosen = parser.parse_args(arguments)
    if chosen.write:
        COMMITTED.write_text(rendered(), encoding="utf-8")
        return 0
    same = COMMITTED.exists() and COMMITTED.read_text(encoding="utf-8") == rendered()
    if not same:
        sys.stderr.write("api_schemas/openapi.json differs from the routes: run python -m service.openapi --write\n")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
