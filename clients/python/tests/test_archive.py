"""Every method of the clients, against a server with the archive that docs/http.md uses.

PLAT_TEST_SERVER is its address and PLAT_TEST_TOKEN its token; web/clients_test.go starts it.
"""

import asyncio
import inspect
import json
import os
import unittest
import warnings
from datetime import date, datetime, timezone

import plat_client
from plat_client import AsyncClient, Client, NewCrawl, NewSubscription, Seed, SubscriptionChange, errors, models

SERVER, TOKEN = os.environ.get("PLAT_TEST_SERVER", ""), os.environ.get("PLAT_TEST_TOKEN", "")
NEWS, FILES = "http://news.test/", "http://files.test/"

#: The methods for the operations of the OpenAPI document that are not named as these are.
NAMES = {
    "take": "enqueue", "segment": "segment", "items": "watch_items", "read": "mark_read", "import": "import_subscriptions",
    "export": "export_subscriptions", "putChannel": "put_channel", "removeChannel": "remove_channel", "change": "change_subscription",
    "beginCrawl": "begin_crawl", "removeCrawl": "remove_crawl", "crawlPages": "crawl_pages", "crawlWhy": "crawl_why",
    "labelPages": "label_pages", "crawlState": "set_crawl_state",
}

#: Parameters that methods have under a different name, or do not need.
PARAMETERS = {"limit": "page_size", "cursor": None, "base": "url", "name": None}


@unittest.skipUnless(SERVER, "PLAT_TEST_SERVER names no server")
class WithServer(unittest.TestCase):
    def setUp(self):
        self.plat = Client(SERVER, token=TOKEN)
        self.addCleanup(self.plat.close)


class Segmenting(WithServer):
    def test_html_comes_back_in_blocks(self):
        for html in ("<h1>Ä</h1>", "<h1>Ä</h1>".encode("latin-1")):
            page = self.plat.segment(html, NEWS)
            main = page.leaves("main")
            self.assertEqual((page.url, page.title), (NEWS, "The Harbour Notice"))
            self.assertEqual((main[0].topic, main[0].box.x, main[0].box.w), ("North pier closes for repairs", 32, 868))
            self.assertTrue(main[0].markdown.startswith("## North pier closes"), main[0].markdown)
            self.assertTrue(main[0].text.startswith("North pier closes"), main[0].text)
            self.assertGreater(len(page.leaves()), len(main))
            self.assertEqual(page.article.title, "The Harbour Notice")
        self.assertEqual(self.plat.segment("<p>a").url, "")
        self.assertEqual(self.plat.segment_url(NEWS).url, NEWS)

    def test_failures_are_exceptions_with_their_problem(self):
        for call, kind, status, says in (
            (lambda: self.plat.segment(""), errors.BadRequest, 400, "HTML is empty"),
            (lambda: self.plat.segment("x", "news.test"), errors.BadRequest, 400, "has no scheme"),
            (lambda: self.plat.segment("x" * (16 << 20) + "x"), errors.TooLarge, 413, "16777216 bytes"),
            (lambda: self.plat.segment_url("http://private.test/"), errors.Unrenderable, 422, "private address"),
            (lambda: self.plat.segment_url("http://hangs.test/"), errors.Unrenderable, 504, "timeout"),
            (lambda: self.plat.segment_url("http://broken.test/"), errors.ProblemError, 500, "the log says why"),
            (lambda: self.plat.url("http://none.test/"), errors.NotFound, 404, "not in this archive"),
            (lambda: self.plat.url("http://forgotten.test/"), errors.Gone, 410, "on purpose"),
            (lambda: Client(SERVER).about(), errors.Unauthorized, 401, "token required"),
            (lambda: Client(SERVER, token="a wrong token").stats(), errors.Unauthorized, 401, "token required"),
        ):
            with self.assertRaises(kind) as caught:
                call()
            e = caught.exception
            self.assertIs(type(e), kind)
            self.assertEqual((e.status, e.problem.status, e.problem.type), (status, status, "about:blank"))
            self.assertIn(says, e.detail)
            self.assertIn(e.detail, str(e))
            self.assertIsInstance(e, plat_client.PlatError)


class Reading(WithServer):
    def test_versions_come_latest_first_in_pages_of_any_size(self):
        for size in (None, 1, 2):
            self.assertEqual([v.version for v in self.plat.versions("HTTP://News.test:80/", page_size=size)], [2, 1])
        pages = list(self.plat.versions(NEWS, page_size=1).pages())
        self.assertEqual([len(p.items) for p in pages], [1, 1])
        first = next(iter(self.plat.versions(NEWS)))
        self.assertEqual(first.taken, datetime(2026, 1, 2, 8, tzinfo=timezone.utc))
        self.assertEqual(first.changes["content"], 1)
        self.assertIsNone(first.picture)

    def test_a_text_is_found_by_its_time(self):
        for at, version, words in (
            (None, 2, "three weeks"), ("2026-01-01", 1, "two weeks"), (date(2026, 1, 1), 1, "two weeks"),
            (datetime(2026, 1, 2, 8, tzinfo=timezone.utc), 2, "three weeks"), ("2026-01-02T07:59:59Z", 1, "two weeks"),
        ):
            text = self.plat.text(NEWS, at)
            self.assertEqual((text.version, text.url), (version, NEWS))
            self.assertIn(words, text.text)
            self.assertEqual(self.plat.markdown(NEWS, at), text.markdown)
            self.assertEqual(self.plat.version(NEWS, at).version, version)
            self.assertIn(words.encode(), self.plat.page(NEWS, at))
        self.assertEqual(self.plat.text(NEWS, version=1).version, 1)
        with self.assertRaises(errors.NotFound):
            self.plat.text(NEWS, "2025-12-31")
        with self.assertRaises(errors.BadRequest):
            self.plat.text(NEWS, "2026-01-01", version=1)
        with self.assertRaisesRegex(ValueError, "time zone"):
            self.plat.text(NEWS, datetime(2026, 1, 1))

    def test_versions_have_their_blocks(self):
        v = self.plat.version(NEWS, version=1, text=True)
        self.assertEqual(v.tree[0].parent, -1)
        self.assertIn("two weeks", "".join(b.text for b in v.leaves("main")))
        self.assertIsNone(self.plat.version(NEWS).leaves()[0].text)

    def test_differences_have_their_words(self):
        for d in (self.plat.diff(NEWS), self.plat.diff(NEWS, old=1, new=2)):
            change = next(c for c in d.changes if c.kind == "content")
            self.assertIn((" three", "insert"), [(w.text, w.op) for w in change.words])
            self.assertIn("two weeks", change.old_text)
        with self.assertRaises(errors.NotFound):
            self.plat.diff(NEWS, new=1)

    def test_blocks_and_searches(self):
        new = list(self.plat.blocks(prefix=NEWS, since="2026-01-02", label="main"))
        self.assertTrue(any("three weeks" in b.text for b in new), new)
        self.assertFalse(any("two weeks" in b.text for b in new))
        self.assertIsNone(next(iter(self.plat.blocks(host="news.test", text=False, head=True))).text)
        hit = next(iter(self.plat.search('"two weeks"')))
        self.assertEqual((hit.url, hit.first, hit.gone, hit.until), (NEWS, 1, 2, datetime(2026, 1, 2, 8, tzinfo=timezone.utc)))
        self.assertIn(True, [part.match for part in hit.snippet])
        page = next(self.plat.search("weeks", host="news.test", page_size=1).pages())
        self.assertEqual((len(page.items), page.total, page.more), (1, 2, False))
        self.assertEqual(len(list(self.plat.search("weeks", host="news.test", standing=True))), 1)
        self.assertTrue(all(s.lineage == hit.lineage for s in self.plat.spans(NEWS, lineage=hit.lineage)))
        self.assertEqual(list(self.plat.rules(NEWS)), [])

    def test_files_and_pictures(self):
        v = self.plat.version(FILES)
        self.assertTrue(self.plat.picture(v.picture).startswith(b"\x89PNG"))
        files = list(self.plat.resources(FILES, page_size=1))
        kept = next(f for f in files if f.hash)
        self.assertEqual(len(self.plat.resource(kept.hash)), kept.size)
        self.assertTrue(any(f.left and f.hash is None for f in files), files)
        with self.assertRaises(errors.NotFound):
            self.plat.resource("0" * 64)
        with self.assertRaises(errors.ProblemError):
            self.plat.resource("../stats")

    def test_the_archive_in_numbers(self):
        self.assertIn("news.test", [s.host for s in self.plat.sites(page_size=1)])
        self.assertEqual(self.plat.stats().sites, len(list(self.plat.sites())))
        self.assertEqual(self.plat.url("http://NEWS.test").outcome, "changed")
        self.assertIsNone(self.plat.url(NEWS).forgotten)
        self.assertEqual([u.url for u in self.plat.urls(host="news.test")], [NEWS])
        self.assertEqual([u.url for u in self.plat.urls(prefix=FILES)], [FILES])
        self.assertEqual([v.outcome for v in self.plat.visits(NEWS)], ["changed", "new"])
        self.assertEqual(self.plat.schedule(NEWS).counts.news, 1)
        self.assertEqual(self.plat.spent("news.test").host, "news.test")
        self.assertEqual(self.plat.about().version, "v1")

    def test_numbers_of_answers_are_those_of_the_document(self):
        # What comes back as JSON is what came: nothing is lost on the way through the types.
        for path, kind in (("/versions?url=" + NEWS, models.VersionList), ("/diff?url=" + NEWS, models.Diff), ("/version?url=" + FILES, models.VersionWithTree), ("/search?q=weeks", models.HitList)):
            raw = json.loads(self.plat._transport.send(plat_client._caller.Call("GET", "/api/v1" + path)))
            again = kind.from_dict(raw).to_dict()
            self.assertEqual(without_empty(again), without_empty(raw))


def without_empty(value):
    """The value without null fields and with times of equal spelling: an optional field that is null is left out."""
    if isinstance(value, dict):
        return {k: without_empty(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [without_empty(v) for v in value]
    if isinstance(value, str) and value.endswith("Z") and "." in value:
        return value.rstrip("Z").rstrip("0")
    return value


class Visiting(WithServer):
    def test_urls_are_given_to_be_visited(self):
        self.assertEqual(self.plat.enqueue("https://a.test/").accepted, 1)
        self.assertEqual(self.plat.enqueue(Seed("https://a.test/", every="24h")).accepted, 1)
        self.assertEqual(self.plat.enqueue(["https://a.test/", Seed("https://b.test/", depth=2)]).new, 2)
        with self.assertRaises(errors.BadRequest):
            self.plat.enqueue(["https://a.test/", "ftp://a.test/"])

    def test_the_frontier(self):
        self.assertEqual(self.plat.queue().jobs.dead, 5)
        self.assertEqual([w.name for w in self.plat.workers()], ["worker-1"])
        self.assertEqual([d.error for d in self.plat.dead(page_size=2)], ["too slow"] * 5)


class Watching(WithServer):
    def test_items(self):
        new = list(self.plat.watch_items(id="harbour", since="2026-01-02", page_size=1))
        self.assertEqual([(i.kind, i.title) for i in new], [("removed", "Depths measured again"), ("new", "Seals on the breakwater")])
        self.assertEqual(self.plat.mark_read(id="harbour", to="2026-01-01T00:00:00Z"), 0)
        self.assertEqual(self.plat.mark_read(id="harbour", to=datetime(2030, 1, 1, tzinfo=timezone.utc)), 1)
        self.assertEqual(self.plat.mark_read(tag="town"), 0)

    def test_a_subscription_from_its_beginning_to_its_end(self):
        s = self.plat.subscribe(NewSubscription("https://new.test/x#y", match=["a|b"], except_=["c"], tags=["z"], every="6h"))
        self.assertEqual((s.url, s.match, s.except_, s.schedule["every"]), ("https://new.test/x", ["a|b"], ["c"], "6h0m0s"))
        changed = self.plat.change_subscription(s.id, SubscriptionChange(paused=True))
        self.assertEqual((changed.paused, changed.match, changed.state), (True, ["a|b"], "paused"))
        self.assertEqual(self.plat.subscription(s.id), changed)
        self.assertEqual([x.id for x in self.plat.subscriptions(tag="z")], [s.id])
        self.assertIn(b"https://new.test/x", self.plat.export_subscriptions(tag="z"))
        self.plat.unsubscribe(s.id)
        with self.assertRaises(errors.NotFound):
            self.plat.unsubscribe(s.id)
        plain = self.plat.subscribe("https://new.test/plain")
        self.assertEqual(plain.schedule["every"], "1h0m0s")
        self.plat.unsubscribe(plain.id)

    def test_imports(self):
        found = self.plat.import_subscriptions("http://news.test/\nhttp://news.test/tides\nftp://news.test/\n", check=True)
        self.assertEqual((found.added, found.known, found.check, found.omissions[0].where), (1, 1, True, "line 3"))

    def test_channels(self):
        self.plat.put_channel("team", "https://hooks.test/secret#unsigned")
        self.assertEqual([(c.name, c.waiting, c.disabled) for c in self.plat.channels()], [("team", 0, None)])
        self.plat.remove_channel("team")
        self.assertEqual(list(self.plat.channels()), [])


class Focusing(WithServer):
    def test_a_focused_crawl(self):
        self.assertIn("birds", [c.id for c in self.plat.crawls(page_size=1)])
        pages = list(self.plat.crawl_pages("birds", page_size=2))
        self.assertEqual([p.n for p in pages], list(range(1, 8)))
        self.assertEqual((pages[0].from_, pages[1].from_), (None, "https://s.test/"))
        self.assertEqual(self.plat.crawl_why("birds", "https://s.test/1").from_, "https://s.test/")
        self.assertEqual(self.plat.label_pages("birds", {"https://s.test/1": "yes", "https://none.test/": "no"}).unknown, ["https://none.test/"])
        self.assertEqual(self.plat.set_crawl_state("birds", "paused").state, "paused")
        self.assertEqual(self.plat.set_crawl_state("birds", "running", pages=200).pages, 200)
        new = self.plat.begin_crawl(NewCrawl(["https://s.test/"], about="lighthouses", pages=5))
        self.assertEqual(self.plat.crawl(new.id).topic, "lighthouses")
        self.plat.remove_crawl(new.id)
        with self.assertRaises(errors.NotFound):
            self.plat.crawl(new.id)


class Asynchronous(WithServer):
    def test_the_same_with_asyncio(self):
        async def run():
            async with AsyncClient(SERVER, token=TOKEN, concurrency=4) as plat:
                pages = await asyncio.gather(*[plat.segment("<h1>A</h1>", f"http://news.test/{i}") for i in range(12)])
                self.assertEqual([p.url for p in pages], [f"http://news.test/{i}" for i in range(12)])
                self.assertEqual([v.version async for v in plat.versions(NEWS, page_size=1)], [2, 1])
                self.assertEqual([p.total async for p in plat.search("weeks", host="news.test", page_size=1).pages()], [2, 2])
                self.assertEqual(await plat.markdown(NEWS, "2026-01-01"), self.plat.markdown(NEWS, version=1))
                with self.assertRaises(errors.NotFound):
                    await plat.text("http://none.test/")
                s = await plat.subscribe("https://new.test/async")
                await plat.unsubscribe(s.id)
                with self.assertRaises(errors.NotFound):
                    await plat.subscription(s.id)
            with self.assertRaises(Exception):
                await plat.about()

        asyncio.run(run())

    def test_both_clients_have_the_same_methods(self):
        public = lambda c: {n: [str(p) for p in inspect.signature(f).parameters.values()] for n, f in inspect.getmembers(c, inspect.isfunction) if not n.startswith("_")}
        self.assertEqual(public(Client), public(AsyncClient))
        for name, method in inspect.getmembers(AsyncClient, inspect.isfunction):
            if not name.startswith("_"):
                lists = "Items" in str(inspect.signature(method).return_annotation)
                self.assertNotEqual(inspect.iscoroutinefunction(method), lists, name)


class Contract(WithServer):
    @classmethod
    def setUpClass(cls):
        with Client(SERVER, token=TOKEN) as plat:
            cls.document = json.loads(plat._transport.send(plat_client._caller.Call("GET", "/api/v1/openapi.json")))

    def properties(self, schema):
        if "$ref" in schema:
            return self.properties(self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
        found = dict(schema.get("properties", {}))
        for part in schema.get("allOf", []):
            found.update(self.properties(part))
        return found

    def test_every_field_of_every_schema_is_in_the_types(self):
        checked = 0
        for name, schema in self.document["components"]["schemas"].items():
            properties = self.properties(schema)
            if not properties:
                continue
            fields = {key for _, key, _, _ in plat_client._decode._fields(getattr(models, name))}
            self.assertEqual(fields, set(properties), name)
            checked += len(fields)
        self.assertGreater(checked, 400)

    def test_every_operation_has_its_method_with_every_parameter(self):
        for path, item in self.document["paths"].items():
            for operation in item.values():
                name = operation["operationId"]
                if not path.startswith("/api/v1/") or name.startswith("openapi"):
                    continue
                taken = inspect.signature(getattr(Client, NAMES.get(name, name))).parameters
                for p in operation.get("parameters", []):
                    p = p if "name" in p else self.document["components"]["parameters"][p["$ref"].rpartition("/")[2]]
                    wanted = PARAMETERS.get(p["name"], p["name"]) if p["in"] == "query" else p["name"]
                    if wanted is not None and not (name == "removeChannel" and p["name"] == "name"):
                        self.assertIn(wanted, taken, f"{name} has no parameter {wanted}")


class Readme(WithServer):
    def test_its_examples_run(self):
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(os.path.dirname(here), "README.md"), encoding="utf-8") as file:
            text = file.read()
        with open("page.html", "w", encoding="utf-8") as file:
            file.write("<h1>The Harbour Notice</h1>")
        blocks = [part.partition("```")[0] for part in text.split("```python\n")[1:]]
        self.assertEqual(len(blocks), 5)
        self.assertEqual(len(blocks[0].splitlines()), 3)
        names = {"print": lambda *a: printed.append(a)}
        for block in blocks:
            printed = []
            names["print"] = lambda *a: printed.append(a)
            for port in ("8632", "8633"):
                block = block.replace(f'"http://127.0.0.1:{port}", token=None', f'"{SERVER}", token={TOKEN!r}')
                block = block.replace(f'("http://127.0.0.1:{port}"', f'("{SERVER}", token={TOKEN!r}')
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)  # a file that is not closed, for brevity
                exec(compile(block, "README.md", "exec"), names)
            if "print" in block:
                self.assertGreater(len(printed), 0, block)
        names["plat"].close()


if __name__ == "__main__":
    unittest.main()
