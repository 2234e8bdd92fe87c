"""An attack, a hierarchy and a file format for Antifaz, one module each."""
