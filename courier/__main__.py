"""Run the courier: `python -m courier`."""

import asyncio
import signal

from courier.context import build_context
from courier.logs import configure_logging
from courier.rounds import Rounds
from storage.memory import leave_no_image
from storage.settings import settings


def main() -> None:
    """Send until SIGTERM or SIGINT; running calls are then finished."""
    leave_no_image()
    configure_logging()
    asyncio.run(_run())


async def _run() -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    context = build_context(settings())
    context.metrics.listen(context.settings.metrics_host, context.settings.courier_metrics_port)
    try:
        await Rounds(context).run(stop)
    finally:
        context.metrics.close()
        await context.main.dispose()


if __name__ == "__main__":
    main()
