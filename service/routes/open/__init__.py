"""Routes that strangers may call: catalogs, health, keys, static files."""
