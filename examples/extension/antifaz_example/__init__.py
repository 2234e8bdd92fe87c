"""An attack and a hierarchy for Antifaz, one module each."""
