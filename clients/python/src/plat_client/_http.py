"""Requests and answers, over connections that are used again."""

from __future__ import annotations

import http.client
import json
import selectors
import socket
import ssl
import threading
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, cast
from urllib.parse import urlencode, urlsplit

from .errors import KINDS, AnswerError, ConnectionFailed, PlatError, ProblemError, Timeout, Unavailable
from .models import Problem

#: The longest wait before a request is repeated, in seconds.
LONGEST_WAIT = 30.0

#: The number of idle connections that are kept.
IDLE = 8


@dataclass
class Call:
    """A request. path begins with a slash; query has texts."""

    method: str
    path: str
    query: Sequence[Tuple[str, str]] = ()
    body: Optional[bytes] = None
    media: str = "application/json"
    repeatable: bool = True  #: it may be sent twice

    @property
    def target(self) -> str:
        return self.path + ("?" + urlencode(self.query) if self.query else "")


class Abort:
    """Ends a request of a different thread."""

    def __init__(self) -> None:
        self.set = threading.Event()
        self.connection: Optional[http.client.HTTPConnection] = None

    def abort(self) -> None:
        self.set.set()
        sock = getattr(self.connection, "sock", None)
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is closed


class Transport:
    """Sends requests to one server. Threads may share it: each request has a connection of its own while it lasts."""

    def __init__(self, server: str, token: Optional[str], timeout: float, retries: int, tls: Optional[ssl.SSLContext], agent: str) -> None:
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._closed = False
        parts = urlsplit(server)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"server {server!r}: write an address such as http://127.0.0.1:8632")
        if parts.username is not None:
            raise ValueError("the address of the server has a user: give the token as token=")
        self.server, self.prefix = server.rstrip("/"), parts.path.rstrip("/")
        self.retries = retries
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._timeout = timeout
        self._tls = tls
        self._headers = {"User-Agent": agent, "Accept": "application/json, application/problem+json, */*"}
        if token:
            self._headers["Authorization"] = "Bearer " + token

    def __del__(self) -> None:
        self.close()

    def send(self, call: Call, abort: Optional[Abort] = None) -> bytes:
        """Returns the body of the answer to a call. It waits and repeats the call where the server asks for that."""
        abort = abort or Abort()
        for left in range(self.retries, -1, -1):
            try:
                return self._once(call, abort)
            except Unavailable as e:
                if left == 0 or not call.repeatable or not 0 < e.retry_after <= LONGEST_WAIT or abort.set.wait(e.retry_after):
                    raise
        raise AssertionError  # the last turn returns or raises

    def close(self) -> None:
        with self._lock:
            self._closed, idle, self._idle = True, self._idle, []
        for connection in idle:
            connection.close()

    def _once(self, call: Call, abort: Abort) -> bytes:
        connection, used = self._take()
        try:
            try:
                return self._exchange(connection, call, abort)
            except (http.client.HTTPException, OSError):
                # A server may end an idle connection at any time; a fresh one shows whether it is reachable.
                if not used or not call.repeatable or abort.set.is_set():
                    raise
            connection.close()
            connection = self._open()
            return self._exchange(connection, call, abort)
        except (socket.timeout, TimeoutError) as e:  # before Python 3.10 these are two
            raise Timeout(f"{self.server} has not answered within {self._timeout:g} s; give a longer timeout=") from e
        except ssl.SSLError as e:
            raise ConnectionFailed(f"{self.server}: TLS: {e}") from e
        except (http.client.HTTPException, OSError) as e:
            raise ConnectionFailed(f"{self.server} cannot be reached: {e or type(e).__name__}; is plat serve, plat up or plat segment --listen running there?") from e
        finally:
            abort.connection = None
            self._give(connection)

    def _exchange(self, connection: http.client.HTTPConnection, call: Call, abort: Abort) -> bytes:
        ended = False
        try:
            if connection.sock is None:
                connection.connect()
            abort.connection = connection
            if abort.set.is_set():
                raise ConnectionAbortedError("the call was cancelled")
            headers = dict(self._headers)
            if call.body is not None:
                headers["Content-Type"] = call.media
            try:
                connection.request(call.method, self.prefix + call.target, body=call.body, headers=headers)
            except (BrokenPipeError, ConnectionResetError):
                pass  # it may have answered before it had read the whole body
            response = connection.getresponse()
            body = response.read()
            ended = not response.will_close
        finally:
            if not ended:
                connection.close()
        if 200 <= response.status < 300:
            return body
        raise problem(response.status, response.reason, response.headers, body)

    def _open(self) -> http.client.HTTPConnection:
        if not self._secure:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._tls)

    def _take(self) -> Tuple[http.client.HTTPConnection, bool]:
        """Returns a connection, and whether it was used before."""
        while True:
            with self._lock:
                if self._closed:
                    raise PlatError("the client is closed")
                if not self._idle:
                    break
                connection = self._idle.pop()
            if not _ended(connection.sock):
                return connection, True
            connection.close()
        return self._open(), False

    def _give(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if connection.sock is not None and not self._closed and len(self._idle) < IDLE:
                self._idle.append(connection)
                return
        connection.close()


def _ended(sock: Any) -> bool:
    """Reports whether the server has ended an idle connection: then there is something to read, its end."""
    with selectors.DefaultSelector() as selector:
        selector.register(sock, selectors.EVENT_READ)
        return bool(selector.select(0))


def problem(status: int, reason: str, headers: Any, body: bytes) -> ProblemError:
    """Returns the error for an answer that is not a success."""
    found: Dict[str, Any] = {}
    if (headers.get_content_type() or "").endswith("json"):
        try:
            value = json.loads(body)
            found = cast("Dict[str, Any]", value) if isinstance(value, dict) else {}
        except ValueError:
            pass
    detail = found.get("detail") or ("" if found else body[:200].decode("utf-8", "replace").strip())
    if 300 <= status < 400:
        detail = f"the server redirects to {headers.get('Location')}; give its own address"
    error = KINDS.get(status, ProblemError)(Problem(type="about:blank", title=str(found.get("title") or reason), status=status, detail=str(detail) or None))
    if isinstance(error, Unavailable):
        try:
            error.retry_after = max(0.0, float(headers.get("Retry-After", "0")))
        except ValueError:
            pass  # a date, which plat does not send
    return error


def parse(body: bytes) -> Any:
    """Returns the value of a JSON document."""
    try:
        return json.loads(body)
    except ValueError as e:
        raise AnswerError(f"the answer is not JSON: {e}; is this a server of plat?") from e
