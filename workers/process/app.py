"""The Celery application: Redis wakes workers up, PostgreSQL holds the state.

A message is a job's id and nothing else. A message that arrives late, twice or never does no harm: the claim in the
database decides which worker runs the job, and the sweeper sends another message.
"""

import importlib
import os
from typing import Any

from billiard.process import current_process
from celery import Celery
from celery.signals import (
    celeryd_after_setup,
    celeryd_init,
    import_modules,
    setup_logging,
    task_received,
    worker_process_init,
    worker_ready,
    worker_shutting_down,
)

from storage.jobs.protocol import FAST, SMALL
from storage.memory import leave_no_image, loading
from storage.settings import Settings, settings
from workers.process.signs import Signs
from workers.run.logs import configure_logging


def configure(celery: Celery, chosen: Settings) -> None:
    """Apply the settings to a Celery application."""
    celery.conf.update(
        broker_url=chosen.broker_url.get_secret_value(),
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "visibility_timeout": chosen.job_hard_seconds + 600,
            "unacked_restore_throttle": 1,
            "socket_timeout": 10,
            "socket_connect_timeout": 5,
            "socket_keepalive": True,
            # A connection on which the broker is silent for so long is replaced.
            "health_check_interval": 5,
        },
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        result_backend=None,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_soft_time_limit=chosen.job_soft_seconds,
        task_time_limit=chosen.job_hard_seconds,
        task_default_queue=SMALL,
        task_create_missing_queues=True,
        worker_prefetch_multiplier=1,
        worker_consumer="workers.process.pulse:PatientConsumer",
        worker_max_tasks_per_child=200,
        # A child loads libraries before it reports that it is alive, which can take long on a busy machine.
        worker_proc_alive_timeout=120.0,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_send_task_events=False,
        # Only the database controls jobs and workers; broadcasts from the broker are ignored.
        worker_enable_remote_control=False,
        enable_utc=True,
    )


def create_celery(chosen: Settings | None = None) -> Celery:
    """A configured application."""
    celery = Celery("antifaz")
    configure(celery, chosen or settings())
    return celery


app = create_celery()

_LATE = (
    "antifaz.kernels.numba.linking",
    "scipy.linalg",
    "scipy.sparse.csgraph",
    "scipy.sparse.linalg",
    "scipy.special",
)
"""What the engine loads at its first use. The processes of a worker inherit it, so that no job waits for it."""


@import_modules.connect
def _load_tasks(**_: object) -> None:
    """Tasks, and the engine behind them."""
    with loading():
        import workers.process.tasks  # noqa: F401

        for module in _LATE:
            importlib.import_module(module)


@setup_logging.connect
def _set_up_logging(**_: object) -> None:
    leave_no_image()
    configure_logging("worker")


@worker_process_init.connect
def _give_way(**_: object) -> None:
    """Give the processes that answer requests priority."""
    os.nice(settings().worker_nice)


@worker_process_init.connect
def _share_kernels(**_: object) -> None:
    """The first jobs may need kernels that other processes are compiling."""
    from workers.process.turns import take_turns

    take_turns()


_QUEUES: set[str] = set()
"""The queues of this worker."""
_SIGNS: list[Signs] = []
"""The memory in which processes of this worker give signs of life; its processes inherit it."""


@celeryd_after_setup.connect
def _note_queues(instance: Any, **_: object) -> None:
    _QUEUES.update(instance.app.amqp.queues.consume_from)


@celeryd_init.connect
def _show_life(**_: object) -> None:
    """A worker shows that it takes messages, not only that its process exists."""
    from workers.process.pulse import PulseStep

    app.steps["consumer"].add(PulseStep)


@celeryd_after_setup.connect
def _give_heart(instance: Any, **_: object) -> None:
    """The heart beats once the consumer is ready, and until it stops."""
    from workers.process.pulse import PulseStep, make_heart

    signs = Signs(instance.concurrency)
    _SIGNS.append(signs)

    def silent(seconds: float) -> list[int]:
        return signs.silent(instance.pool.info.get("processes", ()), seconds)

    heart = make_heart(sorted(instance.app.amqp.queues.consume_from), silent)

    def take(request: Any, **_: object) -> None:
        PulseStep.loop.took(request.delivery_info["routing_key"])

    worker_ready.connect(lambda **_: heart.start(), weak=False)
    worker_shutting_down.connect(lambda **_: heart.finish(), weak=False)
    task_received.connect(take, weak=False)


@worker_process_init.connect
def _give_signs(**_: object) -> None:
    """Show the main process that this one is not stopped and does not hang."""
    place = getattr(current_process(), "index", None)
    if _SIGNS and place is not None:
        _SIGNS[0].give(place)


@worker_process_init.connect
def _load_samplers(**_: object) -> None:
    """Saves the first question half a second."""
    if FAST in _QUEUES:
        from antifaz.noise import load

        load()


@worker_process_init.connect
def _forget_inherited_connections(**_: object) -> None:
    """A forked child must not share the parent's database connections."""
    from workers.run.context import forget

    forget()


app.autodiscover_tasks(["workers.process"])
