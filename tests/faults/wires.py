"""Wires: TCP proxies between our processes and their servers, whose behavior is changed while they run."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from typing import Literal

from stack.servers.ports import LOOPBACK
from tests.patience import RECOVERY, patience

Mode = Literal["pass", "cut", "delay", "swallow", "deaf", "half"]
"""Let through; refuse and break; 100 ms late; lose everything; lose the answers; break in the middle of an answer."""

_DELAY_SECONDS = 0.1


class Wire:
    """One proxy to a server's port."""

    def __init__(self, loop: asyncio.AbstractEventLoop, server_port: int) -> None:
        self._loop = loop
        self._server_port = server_port
        self._mode: Mode = "pass"
        self._open: set[asyncio.StreamWriter] = set()
        self._hushed: set[asyncio.StreamWriter] = set()
        self.lost = 0
        """Bytes that did not arrive."""
        self._listener = asyncio.run_coroutine_threadsafe(asyncio.start_server(self._serve, LOOPBACK, 0), loop).result(
            patience(RECOVERY)
        )
        self.port = int(self._listener.sockets[0].getsockname()[1])

    def set(self, mode: Mode) -> None:
        """Switch the mode. A connection that lost bytes cannot be repaired, so it ends with the next mode."""
        asyncio.run_coroutine_threadsafe(self._change(mode), self._loop).result(patience(RECOVERY))

    def hush(self) -> None:
        """Lose everything on the connections that are open now, for ever and in both directions; new ones work."""
        asyncio.run_coroutine_threadsafe(self._hush(), self._loop).result(patience(RECOVERY))

    async def _hush(self) -> None:
        self._hushed |= self._open

    async def _change(self, mode: Mode) -> None:
        broken = mode == "cut" or self._mode in ("swallow", "deaf", "half")
        self._mode = mode
        if broken:
            self._break()

    def _break(self) -> None:
        for writer in self._open:
            if writer.transport is not None:
                writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            if self._mode != "cut":
                await self._connect(reader, writer)
        except OSError:
            self.lost += 0 if self._mode == "pass" else 1
        finally:
            self._open.discard(writer)
            self._hushed.discard(writer)
            writer.close()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, questions = await asyncio.open_connection(LOOPBACK, self._server_port)
        self._open.add(questions)
        pumps = [
            asyncio.create_task(self._pump(reader, questions, answering=False)),
            asyncio.create_task(self._pump(answers, writer, answering=True)),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            self._open.discard(questions)
            questions.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answering: bool) -> None:
        while piece := await reader.read(1 << 16):
            if self._mode == "delay":
                await asyncio.sleep(_DELAY_SECONDS)
            if writer in self._hushed or self._mode == "swallow" or (self._mode == "deaf" and answering):
                self.lost += len(piece)
                continue
            if self._mode == "half" and answering:
                self.lost += len(piece) - len(piece) // 2
                writer.write(piece[: len(piece) // 2])
                await writer.drain()
                return
            writer.write(piece)
            await writer.drain()

    async def close(self) -> None:
        """Stop listening and break open connections."""
        self._listener.close()
        self._break()


@contextlib.contextmanager
def wires(ports: dict[str, int]) -> Iterator[dict[str, Wire]]:
    """A wire to each port, all in one thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="wires", daemon=True)
    thread.start()
    made = {name: Wire(loop, port) for name, port in ports.items()}
    try:
        yield made
    finally:
        for wire in made.values():
            asyncio.run_coroutine_threadsafe(wire.close(), loop).result(patience(RECOVERY))
        asyncio.run_coroutine_threadsafe(_end_tasks(), loop).result(patience(RECOVERY))
        loop.call_soon_threadsafe(loop.stop)
        thread.join(patience(RECOVERY))
        loop.close()


async def _end_tasks() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
