"""Parts and data of tables."""
