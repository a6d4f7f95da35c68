"""The client."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, Iterable, Literal, Mapping, Optional, Union
from urllib.parse import quote

from ._caller import Caller, Items, When
from .models import (
    URL,
    About,
    ChannelList,
    ChannelListItem,
    Crawl,
    CrawlList,
    CrawlPage,
    CrawlPageList,
    CrawlWhy,
    Diff,
    Found,
    FoundList,
    Hit,
    HitList,
    Imported,
    Item,
    ItemList,
    Label,
    Letter,
    LetterList,
    NewCrawl,
    NewSubscription,
    Queue,
    Read,
    Resource,
    ResourceList,
    Rule,
    RuleList,
    Schedule,
    Seed,
    Segmented,
    Site,
    SiteList,
    Span,
    SpanList,
    Spent,
    Stats,
    Subscription,
    SubscriptionChange,
    SubscriptionList,
    Taken,
    Text,
    URLList,
    Version,
    VersionList,
    VersionWithTree,
    Visit,
    VisitList,
    Worker,
    WorkerList,
)


class Client(Caller):
    """Client is a client of the HTTP interface of plat. It uses its connections again.

    URLs of pages may be written in any spelling. Times are texts (2026-01-31, 2026-01-31T12:00:00Z), dates, or
    datetimes with a time zone. Lists are read page by page while they are iterated over, page_size items at once.
    Errors of the server are subclasses of ProblemError, all others of PlatError.
    """

    # Pages in blocks, without the archive.

    def segment(self, html: Union[str, bytes], url: Optional[str] = None) -> Segmented:
        """Divides HTML into blocks, as its first visit would, and stores nothing.

        url is the address that the HTML came from: its style sheets and images are loaded from there, and links
        become whole URLs. Without it nothing is loaded. The charset of bytes is found as browsers find it.
        """
        media = "text/html"
        if isinstance(html, str):
            html, media = html.encode("utf-8", "replace"), "text/html; charset=utf-8"
        return self._json(Segmented, "POST", "/segment", html, media, repeatable=True, base=url)

    def segment_url(self, url: str) -> Segmented:
        """Divides the page at a URL into blocks, which the server requests, and stores nothing."""
        return self._json(Segmented, "POST", "/segment", {"url": url}, repeatable=True)

    # Pages of the archive.

    def text(self, url: str, at: Optional[When] = None, *, version: Optional[int] = None) -> Text:
        """Returns the main text of a page with title, authors and date, as text and as Markdown.

        It is that of the last version, of the one that was the last one at a time, or of the one with a number.
        """
        return self._json(Text, "GET", "/text", url=url, at=at, version=version)

    def markdown(self, url: str, at: Optional[When] = None, *, version: Optional[int] = None) -> str:
        """Returns the main text of a page as Markdown; see text."""
        found = self.text(url, at, version=version)
        return found.markdown

    def versions(self, url: str, *, page_size: Optional[int] = None) -> Items[Version, VersionList]:
        """Lists the versions of a page, the latest first."""
        return self._list(VersionList, Version, "/versions", url=url, limit=page_size)

    def version(self, url: str, at: Optional[When] = None, *, version: Optional[int] = None, text: Optional[bool] = None) -> VersionWithTree:
        """Returns a version with its blocks, with text also their texts: the last one, that at a time, or by its number."""
        return self._json(VersionWithTree, "GET", "/version", url=url, at=at, version=version, text=text)

    def page(self, url: str, at: Optional[When] = None, *, version: Optional[int] = None) -> bytes:
        """Returns the HTML of a version as it was captured, byte for byte, in UTF-8."""
        return self._bytes("GET", "/page", url=url, at=at, version=version)

    def diff(self, url: str, *, old: Optional[int] = None, new: Optional[int] = None) -> Diff:
        """Compares two versions of a page block by block: by default the last one with the one before it."""
        return self._json(Diff, "GET", "/diff", url=url, old=old, new=new)

    def resources(self, url: str, *, version: Optional[int] = None, page_size: Optional[int] = None) -> Items[Resource, ResourceList]:
        """Lists the files that a version of a page used."""
        return self._list(ResourceList, Resource, "/resources", url=url, version=version, limit=page_size)

    def resource(self, hash: str) -> bytes:
        """Returns the bytes of a file."""
        return self._bytes("GET", "/resource/" + quote(hash, ""))

    def picture(self, hash: str) -> bytes:
        """Returns the picture of a page, by the hash that its version has."""
        return self._bytes("GET", "/picture/" + quote(hash, ""))

    def url(self, url: str) -> URL:
        """Returns the state of a URL: its visits, its versions, the next visit."""
        return self._json(URL, "GET", "/url", url=url)

    def urls(self, *, prefix: Optional[str] = None, host: Optional[str] = None, page_size: Optional[int] = None) -> Items[URL, URLList]:
        """Lists the URLs of the archive, those that begin with a prefix, or those of a host."""
        return self._list(URLList, URL, "/urls", prefix=prefix, host=host, limit=page_size)

    def sites(self, *, page_size: Optional[int] = None) -> Items[Site, SiteList]:
        """Lists the hosts of the archive."""
        return self._list(SiteList, Site, "/sites", limit=page_size)

    def stats(self) -> Stats:
        """Returns the archive in numbers."""
        return self._json(Stats, "GET", "/stats")

    def visits(self, url: str, *, page_size: Optional[int] = None) -> Items[Visit, VisitList]:
        """Lists the visits of a URL, the latest first."""
        return self._list(VisitList, Visit, "/visits", url=url, limit=page_size)

    def schedule(self, url: str) -> Schedule:
        """Returns the next visit of a URL and its reason."""
        return self._json(Schedule, "GET", "/schedule", url=url)

    def spent(self, host: str, *, days: Optional[int] = None) -> Spent:
        """Counts the visits of the pages of a host in the last days, by their results."""
        return self._json(Spent, "GET", "/spent", host=host, days=days)

    # Blocks.

    def blocks(
        self,
        *,
        host: Optional[str] = None,
        prefix: Optional[str] = None,
        label: Optional[Label] = None,
        topic: Optional[str] = None,
        since: Optional[When] = None,
        until: Optional[When] = None,
        head: Optional[bool] = None,
        all: Optional[bool] = None,
        text: Optional[bool] = True,
        page_size: Optional[int] = None,
    ) -> Items[Found, FoundList]:
        """Lists blocks, each in the version where its content first appeared, with their texts.

        since and until limit that time; head leaves only blocks of last versions. With since, changes that pages
        make by themselves are left out, unless all is set.
        """
        return self._list(
            FoundList, Found, "/blocks", host=host, prefix=prefix, label=label, topic=topic, since=since, until=until, head=head, all=all, text=text, limit=page_size
        )

    def search(
        self,
        q: Optional[str] = None,
        *,
        host: Optional[str] = None,
        prefix: Optional[str] = None,
        label: Optional[Label] = None,
        since: Optional[When] = None,
        until: Optional[When] = None,
        gone: Optional[bool] = None,
        standing: Optional[bool] = None,
        text: Optional[bool] = None,
        page_size: Optional[int] = None,
    ) -> Items[Hit, HitList]:
        """Lists contents of blocks by their words, with the times when they came and went; the best ones first.

        Words between quotation marks are next to each other; a word after a minus does not occur. gone: only texts
        that are gone; standing: only those of last versions. The pages of this list have the number of all hits.
        """
        return self._list(
            HitList, Hit, "/search", q=q, host=host, prefix=prefix, label=label, since=since, until=until, gone=gone, standing=standing, text=text, limit=page_size
        )

    def spans(self, url: str, *, lineage: Optional[int] = None, text: Optional[bool] = True, page_size: Optional[int] = None) -> Items[Span, SpanList]:
        """Lists the contents of the blocks of a page, or of one block, each with its first and last time."""
        return self._list(SpanList, Span, "/spans", url=url, lineage=lineage, text=text, limit=page_size)

    def rules(self, url: Optional[str] = None) -> Items[Rule, RuleList]:
        """Lists the rules that ignore or watch changes: all, or those of a URL."""
        return self._list(RuleList, Rule, "/rules", url=url)

    # Visits.

    def enqueue(self, urls: Union[str, Seed, Iterable[Union[str, Seed]]]) -> Taken:
        """Gives URLs to be visited, at most 100,000. It needs a server with workers (plat up, plat serve --redis).

        If one of them cannot be taken, none is.
        """
        seeds = [urls] if isinstance(urls, (str, Seed)) else urls
        return self._json(Taken, "POST", "/urls", [s if isinstance(s, str) else s.to_dict() for s in seeds], repeatable=True)

    def queue(self) -> Queue:
        """Returns the frontier in numbers."""
        return self._json(Queue, "GET", "/queue")

    def workers(self) -> Items[Worker, WorkerList]:
        """Lists the workers of the fleet."""
        return self._list(WorkerList, Worker, "/queue/workers")

    def dead(self, *, page_size: Optional[int] = None) -> Items[Letter, LetterList]:
        """Lists failed URLs, the latest first."""
        return self._list(LetterList, Letter, "/queue/dead", limit=page_size)

    # Subscriptions.

    def watch_items(
        self,
        *,
        id: Optional[str] = None,
        tag: Optional[str] = None,
        group: Optional[str] = None,
        unread: Optional[bool] = None,
        since: Optional[When] = None,
        until: Optional[When] = None,
        page_size: Optional[int] = None,
    ) -> Items[Item, ItemList]:
        """Lists news of watched pages, the latest first: of all, of one subscription, a tag or a group."""
        return self._list(ItemList, Item, "/watch/items", id=id, tag=tag, group=group, unread=unread, since=since, until=until, limit=page_size)

    def mark_read(self, *, id: Optional[str] = None, tag: Optional[str] = None, group: Optional[str] = None, to: Union[str, datetime, None] = None) -> int:
        """Marks items as read, those seen until to (now). Returns the number of subscriptions that had unread ones."""
        given = {"id": id, "tag": tag, "group": group, "to": to.isoformat() if isinstance(to, datetime) else to}
        answer = self._json(Read, "POST", "/watch/read", {k: v for k, v in given.items() if v is not None})
        return answer.read

    def subscriptions(self, *, url: Optional[str] = None, tag: Optional[str] = None, group: Optional[str] = None, page_size: Optional[int] = None) -> Items[Subscription, SubscriptionList]:
        """Lists subscriptions: all, those of a page, of a tag or of a group."""
        return self._list(SubscriptionList, Subscription, "/watch", url=url, tag=tag, group=group, limit=page_size)

    def subscription(self, id: str) -> Subscription:
        """Returns a subscription."""
        return self._json(Subscription, "GET", "/watch/" + quote(id, ""))

    def subscribe(self, page: Union[str, NewSubscription]) -> Subscription:
        """Watches a page, given by its URL or with settings. It is visited every hour unless they say otherwise."""
        new = NewSubscription(url=page) if isinstance(page, str) else page
        return self._json(Subscription, "POST", "/watch", new.to_dict())

    def change_subscription(self, id: str, change: SubscriptionChange) -> Subscription:
        """Changes the fields of a subscription that are not None."""
        return self._json(Subscription, "PATCH", "/watch/" + quote(id, ""), change.to_dict())

    def unsubscribe(self, id: str, *, stop: Optional[bool] = None) -> None:
        """Ends a subscription and removes its items; with stop also the visits that it has begun."""
        self._bytes("DELETE", "/watch/" + quote(id, ""), stop=stop)

    def import_subscriptions(
        self,
        file: Union[str, bytes],
        *,
        group: Optional[str] = None,
        tag: Optional[str] = None,
        every: Optional[str] = None,
        budget: Optional[str] = None,
        check: Optional[bool] = None,
    ) -> Imported:
        """Subscribes to the pages in a file (OPML, URLs, JSON Lines, an export of changedetection.io), given as its content."""
        content = file.encode() if isinstance(file, str) else file
        return self._json(Imported, "POST", "/watch/import", content, "application/octet-stream", group=group, tag=tag, every=every, budget=budget, check=check)

    def export_subscriptions(self, *, tag: Optional[str] = None, group: Optional[str] = None) -> bytes:
        """Returns subscriptions as OPML."""
        return self._bytes("GET", "/watch/export", tag=tag, group=group)

    def channels(self) -> Items[ChannelListItem, ChannelList]:
        """Lists the channels that send news, by name."""
        return self._list(ChannelList, ChannelListItem, "/watch/channels")

    def put_channel(self, name: str, url: str) -> None:
        """Adds a channel or replaces it, where the operator of the server allows that (--edit-channels)."""
        self._bytes("POST", "/watch/channels", {"name": name, "url": url})

    def remove_channel(self, name: str) -> None:
        """Removes a channel and its messages, where the operator of the server allows that."""
        self._bytes("DELETE", "/watch/channels/" + quote(name, ""))

    # Focused crawls.

    def crawls(self, *, page_size: Optional[int] = None) -> Items[Crawl, CrawlList]:
        """Lists focused crawls."""
        return self._list(CrawlList, Crawl, "/focus", limit=page_size)

    def crawl(self, id: str) -> Crawl:
        """Returns a focused crawl with its report."""
        return self._json(Crawl, "GET", "/focus/" + quote(id, ""))

    def begin_crawl(self, crawl: NewCrawl) -> Crawl:
        """Begins a focused crawl."""
        return self._json(Crawl, "POST", "/focus", crawl.to_dict())

    def crawl_pages(self, id: str, *, belongs: Optional[bool] = None, after: Optional[int] = None, page_size: Optional[int] = None) -> Items[CrawlPage, CrawlPageList]:
        """Lists the pages of a focused crawl in the order of their requests: all, those that belong, or that do not."""
        return self._list(CrawlPageList, CrawlPage, f"/focus/{quote(id, '')}/pages", belongs=belongs, after=after, limit=page_size)

    def crawl_why(self, id: str, url: str) -> CrawlWhy:
        """Returns the reason why a page was visited, or waits."""
        return self._json(CrawlWhy, "GET", f"/focus/{quote(id, '')}/why", url=url)

    def label_pages(self, id: str, labels: Mapping[str, Literal["yes", "no", "none"]]) -> Crawl:
        """Says of pages, by URL, whether they belong to the topic; none withdraws a label."""
        return self._json(Crawl, "POST", f"/focus/{quote(id, '')}/labels", [{"url": u, "belongs": b} for u, b in labels.items()])

    def set_crawl_state(self, id: str, state: Literal["running", "paused"], *, pages: Optional[int] = None, per_host: Optional[int] = None) -> Crawl:
        """Stops a focused crawl, or lets it go on, with new limits if they are given."""
        given: Dict[str, Any] = {"state": state, "pages": pages, "per_host": per_host}
        return self._json(Crawl, "POST", f"/focus/{quote(id, '')}/state", {k: v for k, v in given.items() if v is not None})

    def remove_crawl(self, id: str) -> None:
        """Removes a focused crawl; versions stay."""
        self._bytes("DELETE", "/focus/" + quote(id, ""))

    # The server.

    def about(self) -> About:
        """Returns the version of the server."""
        return self._json(About, "GET", "/about")
