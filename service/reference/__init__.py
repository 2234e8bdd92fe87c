"""The reference pages of docs/: generated from the catalogue and the policy's schema, and compared with git's."""
