"""Connections, errors of the network, and answers that are not of plat, against small servers of this file."""

import asyncio
import http.server
import socket
import threading
import time
import unittest
from datetime import datetime, timezone

from plat_client import AsyncClient, Client, _http, errors, models
from plat_client._decode import instant

ABOUT = b'{"version": "v7", "later": {"a": 1}}'


class Server(http.server.ThreadingHTTPServer):
    """Answers with the functions in answers, one after the other, and then the last one again and again."""

    daemon_threads = True

    def __init__(self, test, *answers):
        self.answers, self.requests, self.connections, self.heads = list(answers), [], set(), []
        super().__init__(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        test.addCleanup(self.server_close)
        test.addCleanup(self.shutdown)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        pass  # clients that go away are part of the tests


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        s = self.server
        length = int(self.headers.get("Content-Length", 0))
        s.requests.append((self.command, self.path, self.rfile.read(length)))
        s.heads.append(self.headers)
        s.connections.add(self.client_address)
        answer = s.answers.pop(0) if len(s.answers) > 1 else s.answers[0]
        answer(self)

    do_POST = do_DELETE = do_GET


def send(code, body, media="application/json", close=False, **headers):
    def answer(h):
        h.send_response(code)
        h.send_header("Content-Type", media)
        h.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            h.send_header(name.replace("_", "-"), value)
        h.end_headers()
        h.wfile.write(body)
        h.close_connection = close

    return answer


def drop(h):
    h.close_connection = True
    h.connection.shutdown(socket.SHUT_RDWR)


def hang(h):
    time.sleep(5)


BUSY = send(503, b'{"type": "about:blank", "title": "Service Unavailable", "status": 503, "detail": "later"}', "application/problem+json", Retry_After="0.05")


class Connections(unittest.TestCase):
    def client(self, server, **options):
        c = Client(server.address + options.pop("prefix", ""), **options)
        self.addCleanup(c.close)
        return c

    def test_one_connection_is_used_again_and_again(self):
        s = Server(self, send(200, ABOUT))
        c = self.client(s)
        self.assertEqual([c.about().version for _ in range(5)], ["v7"] * 5)
        self.assertEqual(len(s.connections), 1)

    def test_threads_have_a_connection_each(self):
        barrier = threading.Barrier(4)

        def together(h):
            barrier.wait(10)
            send(200, ABOUT)(h)

        s = Server(self, together)
        c = self.client(s)
        threads = [threading.Thread(target=c.about) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(s.connections), 4)

    def test_a_connection_that_the_server_has_ended_is_replaced(self):
        s = Server(self, send(200, ABOUT, close=True), send(200, ABOUT), drop, send(200, ABOUT))
        c = self.client(s)
        for _ in range(2):
            c.about()
        c.about()  # dropped while it was asked, and asked again
        self.assertEqual(len(s.requests), 4)
        s.answers = [drop]
        with self.assertRaises(errors.ConnectionFailed):
            c.about()

    def test_what_changes_something_is_sent_once(self):
        s = Server(self, send(200, ABOUT), drop)
        c = self.client(s)
        c.about()
        with self.assertRaises(errors.ConnectionFailed):
            c.subscribe("https://a.test/")
        self.assertEqual([r[0] for r in s.requests], ["GET", "POST"])

    def test_a_busy_server_is_asked_again(self):
        s = Server(self, BUSY, BUSY, send(200, ABOUT), BUSY)
        c = self.client(s)
        self.assertEqual(c.about().version, "v7")
        with self.assertRaises(errors.Unavailable) as caught:
            c.about()
        self.assertEqual((len(s.requests), caught.exception.retry_after), (6, 0.05))
        with self.assertRaises(errors.Unavailable):
            c.subscribe("https://a.test/")
        with self.assertRaises(errors.Unavailable):
            self.client(s, retries=0).about()
        self.assertEqual(len(s.requests), 8)

    def test_silence_ends(self):
        s = Server(self, hang)
        began = time.monotonic()
        with self.assertRaises(errors.Timeout) as caught:
            self.client(s, timeout=0.2).about()
        self.assertIsInstance(caught.exception, TimeoutError)
        self.assertLess(time.monotonic() - began, 3)

    def test_nobody_listens(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        with self.assertRaisesRegex(errors.ConnectionFailed, "is plat serve"):
            Client(f"http://127.0.0.1:{port}").about()

    def test_a_large_body_may_be_refused_before_it_is_read(self):
        def early(h):
            send(413, b'{"type": "about:blank", "title": "Too large", "status": 413, "detail": "16 MiB"}', "application/problem+json", close=True)(h)

        with socket.create_server(("127.0.0.1", 0)) as listener:
            def answer():
                connection, _ = listener.accept()
                with connection:
                    connection.recv(1000)
                    connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Type: application/problem+json\r\nConnection: close\r\n\r\n" + b'{"type":"about:blank","title":"Too large","status":413,"detail":"16 MiB"}')
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(1 << 16):
                        pass

            thread = threading.Thread(target=answer)
            thread.start()
            with self.assertRaisesRegex(errors.TooLarge, "16 MiB"):
                Client(f"http://127.0.0.1:{listener.getsockname()[1]}").segment("x" * (8 << 20))
            thread.join()

    def test_a_cancelled_call_ends_its_request(self):
        ended = threading.Event()

        def watch(h):
            h.connection.settimeout(10)
            if h.connection.recv(1) == b"":
                ended.set()
            h.close_connection = True

        s = Server(self, watch)

        async def run():
            async with AsyncClient(s.address) as c:
                task = asyncio.create_task(c.about())
                while not s.requests:
                    await asyncio.sleep(0.01)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task

        asyncio.run(run())
        self.assertTrue(ended.wait(5))

    def test_a_closed_client_makes_no_requests(self):
        s = Server(self, send(200, ABOUT))
        with Client(s.address) as c:
            c.about()
        with self.assertRaisesRegex(errors.PlatError, "closed"):
            c.about()


class Requests(unittest.TestCase):
    def test_tokens_paths_and_parameters(self):
        s = Server(self, send(200, b'{"items": [], "next": null}'))
        with Client(s.address + "/archive/", token="secret") as c:
            list(c.blocks(topic="a&b=ä", head=True, text=False, since=datetime(2026, 1, 31, 12, tzinfo=timezone.utc), page_size=7))
            self.assertNotIn("secret", repr(c))
        self.assertEqual(s.requests[0][1], "/archive/api/v1/blocks?topic=a%26b%3D%C3%A4&since=2026-01-31T12%3A00%3A00%2B00%3A00&head=true&text=false&limit=7")
        self.assertEqual(s.heads[0]["Authorization"], "Bearer secret")

    def test_lists_stay_at_their_server(self):
        for following in ("https://evil.test/api/v1/urls", "//evil.test/api/v1/urls", "/elsewhere"):
            s = Server(self, send(200, b'{"items": [], "next": "%s"}' % following.encode()))
            with self.assertRaisesRegex(errors.AnswerError, "next page"):
                list(Client(s.address).urls())
            self.assertEqual(len(s.requests), 1)

    def test_no_redirect_is_followed(self):
        s = Server(self, send(302, b"", Location="https://evil.test/"))
        with self.assertRaisesRegex(errors.ProblemError, "evil.test") as caught:
            Client(s.address, token="secret").about()
        self.assertEqual(caught.exception.status, 302)

    def test_addresses_that_cannot_be_used_are_refused(self):
        for address in ("127.0.0.1:8632", "ftp://a.test", "http://", "http://plat:token@a.test", "http://a.test/?x"):
            with self.assertRaises(ValueError, msg=address):
                Client(address)


class Answers(unittest.TestCase):
    def test_other_servers_are_noticed(self):
        for answer, kind, says in (
            (send(200, b"<html>"), errors.AnswerError, "not JSON"),
            (send(200, b"[]"), errors.AnswerError, "object was expected"),
            (send(200, b"{}"), errors.AnswerError, "older than this client"),
            (send(500, b"<html>oh"), errors.ProblemError, "oh"),
            (send(404, b"{"), errors.NotFound, "404"),
            (send(404, b"7"), errors.NotFound, "404"),
            (send(418, b'{"detail": 7}'), errors.ProblemError, "7"),
            (lambda h: h.wfile.write(b"nonsense\r\n\r\n"), errors.ConnectionFailed, "cannot be reached"),
        ):
            with self.assertRaisesRegex(kind, says):
                Client(Server(self, answer).address).about()

    def test_unknown_fields_are_left_out_and_optional_ones_none(self):
        self.assertEqual(models.About.from_dict({"version": "v1", "later": 7}), models.About("v1"))
        self.assertIsNone(models.Rule.from_dict({"url": "x"}).watch)
        self.assertEqual(models.Seed("x", depth=0).to_dict(), {"url": "x", "depth": 0})

    def test_times(self):
        for text, want in (
            ("2026-01-31T12:00:00Z", datetime(2026, 1, 31, 12, tzinfo=timezone.utc)),
            ("2026-01-31T12:00:00.123456789Z", datetime(2026, 1, 31, 12, 0, 0, 123456, tzinfo=timezone.utc)),
            ("2026-01-31T12:00:00.5+02:00", datetime(2026, 1, 31, 10, 0, 0, 500000, tzinfo=timezone.utc)),
        ):
            self.assertEqual(instant(text), want)
        for text in ("", "2026-01-31", "yesterday", "2026-01-31T12:00:00"):
            with self.assertRaises(errors.AnswerError):
                instant(text)

    def test_idle_connections_are_few(self):
        s = Server(self, send(200, ABOUT))
        c = Client(s.address)
        threads = [threading.Thread(target=c.about) for _ in range(40)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertLessEqual(len(c._transport._idle), _http.IDLE)
        c.close()
        self.assertEqual(c._transport._idle, [])


if __name__ == "__main__":
    unittest.main()
