"""The reference pages of docs/: written from the catalogue and the policy's schema, committed, and compared."""
