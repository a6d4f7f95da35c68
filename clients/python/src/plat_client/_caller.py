"""What the clients have in common: how calls are made, and lists are read."""

from __future__ import annotations

import asyncio
import json
import ssl
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from typing import Any, AsyncIterator, Dict, Generic, Iterator, Optional, Type, TypeVar, Union

from ._decode import Model
from ._http import Abort, Call, Transport, parse
from .errors import AnswerError

VERSION = "0.1.0"

ROOT = "/api/v1"

#: A time: a text as 2026-01-31 or 2026-01-31T12:00:00Z, a date, or a datetime with its time zone.
When = Union[str, date, datetime]

M = TypeVar("M", bound=Model)
T = TypeVar("T", bound=Model)  # items
P = TypeVar("P", bound=Model)  # pages of a list


def call(method: str, path: str, query: Dict[str, Any], body: Any = None, media: str = "application/json", repeatable: bool = False) -> Call:
    """Returns a request for a path of the interface. Parameters that are None are left out."""
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    return Call(method, ROOT + path, [(k, _text(v)) for k, v in query.items() if v is not None], body, media, repeatable or method == "GET")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone; write datetime(…, tzinfo=timezone.utc)")
        return value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def following(page: Any) -> Optional[Call]:
    """Returns the request for the page of a list after another one; None after the last one."""
    if page.next is None:
        return None
    if not page.next.startswith(ROOT + "/"):
        raise AnswerError(f"the next page of a list is {page.next!r:.200}, which is not of this interface")
    return Call("GET", page.next)


class Caller:
    """Makes calls."""

    def __init__(self, server: str = "http://127.0.0.1:8632", *, token: Optional[str] = None, timeout: float = 90, retries: int = 2, tls: Optional[ssl.SSLContext] = None) -> None:
        """server is the address of plat serve, plat up or plat segment --listen, and token its token, if it has one.

        timeout is the number of seconds that the server may be silent. A call that only reads is repeated retries
        times if the server is too busy, after the time that it names.
        """
        self._transport = Transport(server, token, timeout, retries, tls, "plat-client/" + VERSION)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._transport.server!r})"

    def __enter__(self: C) -> C:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    def _json(self, kind: Type[M], method: str, path: str, body: Any = None, media: str = "application/json", repeatable: bool = False, **query: Any) -> M:
        return kind.from_dict(parse(self._transport.send(call(method, path, query, body, media, repeatable))))

    def _bytes(self, method: str, path: str, body: Any = None, **query: Any) -> bytes:
        return self._transport.send(call(method, path, query, body))

    def _list(self, page: Type[P], item: Type[T], path: str, **query: Any) -> Items[T, P]:
        return Items(self._transport, page, call("GET", path, query))


C = TypeVar("C", bound=Caller)


class Items(Generic[T, P]):
    """A list. Iterating over it yields its items; further pages are requested as they are needed."""

    def __init__(self, transport: Transport, page: Type[P], first: Call) -> None:
        self._transport, self._page, self._first = transport, page, first

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.items  # type: ignore[attr-defined]

    def pages(self) -> Iterator[P]:
        """Yields the pages of the list, which may say more about it than its items do."""
        at: Optional[Call] = self._first
        while at is not None:
            page = self._page.from_dict(parse(self._transport.send(at)))
            yield page
            at = following(page)


class AsyncCaller:
    """Makes calls without blocking the event loop: threads wait for the answers."""

    def __init__(
        self, server: str = "http://127.0.0.1:8632", *, token: Optional[str] = None, timeout: float = 90, retries: int = 2, tls: Optional[ssl.SSLContext] = None, concurrency: int = 8
    ) -> None:
        """The arguments are those of Client. At most concurrency calls are under way, the next ones wait."""
        self._transport = Transport(server, token, timeout, retries, tls, "plat-client/" + VERSION)
        self._threads = ThreadPoolExecutor(concurrency, "plat-client")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._transport.server!r})"

    async def __aenter__(self: A) -> A:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        self._transport.close()
        self._threads.shutdown(wait=False)

    async def _send(self, request: Call) -> bytes:
        abort = Abort()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._transport.send, request, abort)
        except asyncio.CancelledError:
            abort.abort()
            raise

    async def _json(self, kind: Type[M], method: str, path: str, body: Any = None, media: str = "application/json", repeatable: bool = False, **query: Any) -> M:
        return kind.from_dict(parse(await self._send(call(method, path, query, body, media, repeatable))))

    async def _bytes(self, method: str, path: str, body: Any = None, **query: Any) -> bytes:
        return await self._send(call(method, path, query, body))

    def _list(self, page: Type[P], item: Type[T], path: str, **query: Any) -> AsyncItems[T, P]:
        return AsyncItems(self, page, call("GET", path, query))


A = TypeVar("A", bound=AsyncCaller)


class AsyncItems(Generic[T, P]):
    """A list. Iterating over it (async for) yields its items; further pages are requested as they are needed."""

    def __init__(self, caller: AsyncCaller, page: Type[P], first: Call) -> None:
        self._caller, self._page, self._first = caller, page, first

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.items:  # type: ignore[attr-defined]
                yield item

    async def pages(self) -> AsyncIterator[P]:
        """Yields the pages of the list, which may say more about it than its items do."""
        at: Optional[Call] = self._first
        while at is not None:
            page = self._page.from_dict(parse(await self._caller._send(at)))
            yield page
            at = following(page)
