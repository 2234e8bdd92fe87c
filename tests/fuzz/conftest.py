"""The API and the whole stack, as the tests of the service and of the system make them."""

from tests.service.conftest import api, make_api
from tests.system.conftest import stack

__all__ = ["api", "make_api", "stack"]
