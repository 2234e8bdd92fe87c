"""The command line of the migrations."""

import argparse
from collections.abc import Sequence

from migrations.databases import DATABASES, UnknownRevision, current, downgrade, upgrade
from storage.settings import Settings


def main(arguments: Sequence[str] | None = None) -> None:
    """Migrate the databases that the settings name, as the login that owns them."""
    parser = argparse.ArgumentParser(prog="python -m migrations", description=__doc__)
    parser.add_argument("command", choices=["upgrade", "downgrade", "current"])
    parser.add_argument("database", nargs="?", choices=[*DATABASES, "all"], default="all")
    parser.add_argument("--revision", help="where to, instead of all the way")
    chosen = parser.parse_args(arguments)
    settings = Settings()
    urls = {"main": settings.database_url.get_secret_value(), "keyring": settings.keyring_url.get_secret_value()}
    for database in DATABASES if chosen.database == "all" else [chosen.database]:
        try:
            if chosen.command == "upgrade":
                upgrade(database, urls[database], chosen.revision or "head")
            elif chosen.command == "downgrade":
                downgrade(database, urls[database], chosen.revision or "base")
        except UnknownRevision as refusal:
            parser.exit(1, f"{refusal}\n")
        print(f"{database}: {current(database, urls[database]) or 'empty'}")


if __name__ == "__main__":
    main()
