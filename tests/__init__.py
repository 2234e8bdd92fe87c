"""A test folder that is a package stops its shared stack after its last test; other folders need no `__init__.py`."""
