package storage_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

var (
	long  = strings.Repeat
	bytes = func(n int) string { return long("a", n) }
	at    = time.Unix(1, 0).UTC()
)

// limits checks that the values that ok makes are accepted and those of bad refused.
func limits[T any](t *testing.T, base func() T, check func(T) error, ok, bad map[string]func(T)) {
	t.Helper()
	if err := check(base()); err != nil {
		t.Fatalf("a usual value: %v", err)
	}
	for name, change := range ok {
		v := base()
		if change(v); check(v) != nil {
			t.Errorf("%s is refused: %.300v", name, check(v))
		}
	}
	for name, change := range bad {
		v := base()
		if change(v); check(v) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestLimitsOfSubscriptions(t *testing.T) {
	type sub = *plat.Subscription
	limits(t, func() sub { return &plat.Subscription{ID: "a", URL: "u"} }, storage.CheckSubscription,
		map[string]func(sub){
			"a long ID":            func(s sub) { s.ID = bytes(64) },
			"a long URL":           func(s sub) { s.URL = bytes(storage.MaxItemURL) },
			"as many texts":        func(s sub) { s.Title = bytes(storage.MaxSubscription - 1 - 8*4) },
			"as many blocks":       func(s sub) { s.Blocks = make([]int32, storage.MaxSubscription/8-5) },
			"as many muted blocks": func(s sub) { s.Muted = make([]int32, storage.MaxSubscription/8-5) },
			"conditions of letters": func(s sub) {
				s.Match, s.Except, s.Tags, s.Tell = []string{"ä"}, []string{"b"}, []string{"c"}, []string{"d"}
			},
		},
		map[string]func(sub){
			"no ID":                 func(s sub) { s.ID = "" },
			"a longer ID":           func(s sub) { s.ID = bytes(65) },
			"an ID with a dot":      func(s sub) { s.ID = "a.b" },
			"no URL":                func(s sub) { s.URL = "" },
			"a longer URL":          func(s sub) { s.URL = bytes(storage.MaxItemURL + 1) },
			"a negative depth":      func(s sub) { s.Depth = -1 },
			"more texts":            func(s sub) { s.Title = bytes(storage.MaxSubscription - 8*4) },
			"more blocks":           func(s sub) { s.Blocks = make([]int32, storage.MaxSubscription/8-4) },
			"more muted blocks":     func(s sub) { s.Muted = make([]int32, storage.MaxSubscription/8-4) },
			"a title of bytes":      func(s sub) { s.Title = "\xff" },
			"a group of bytes":      func(s sub) { s.Group = "\xff" },
			"a digest of bytes":     func(s sub) { s.Digest = "\xff" },
			"a condition of bytes":  func(s sub) { s.Match = []string{"\xff"} },
			"an exception of bytes": func(s sub) { s.Except = []string{"\xff"} },
			"a tag of bytes":        func(s sub) { s.Tags = []string{"\xff"} },
			"a channel of bytes":    func(s sub) { s.Tell = []string{"\xff"} },
			"a label of bytes":      func(s sub) { s.Labels = []plat.Label{"\xff"} },
			"a kind of bytes":       func(s sub) { s.Kinds = append(s.Kinds, "\xff") },
			"many empty tags":       func(s sub) { s.Tags = make([]string, storage.MaxSubscription/8) },
		})
}

func TestLimitsOfExaminations(t *testing.T) {
	type exam = *storage.Examination
	item := func() plat.Item {
		return plat.Item{ID: "i", Subscription: "s", Kind: plat.ItemNew, Page: "p", Seen: at}
	}
	page := func(url string) plat.FollowedPage { return plat.FollowedPage{URL: url, Depth: 1} }
	with := func(change func(*plat.Item)) func(exam) { return func(e exam) { change(&e.Items[0]) } }
	limits(t, func() exam {
		return &storage.Examination{ID: "s", Following: plat.Following{Pages: []plat.FollowedPage{page("a"), page("b")}}, Items: []plat.Item{item()}}
	}, (*storage.Examination).Check,
		map[string]func(exam){
			"a long reason":  func(e exam) { e.Following.Broken = long("ä", storage.MaxItemTitle) },
			"a long title":   with(func(i *plat.Item) { i.Title = long("ä", storage.MaxItemTitle) }),
			"a long excerpt": with(func(i *plat.Item) { i.Excerpt = long("ä", storage.MaxItemExcerpt) }),
			"a long URL":     with(func(i *plat.Item) { i.URL = bytes(storage.MaxItemURL) }),
			"a long page":    with(func(i *plat.Item) { i.Page = bytes(storage.MaxItemURL) }),
			"a long ID":      with(func(i *plat.Item) { i.ID = bytes(storage.MaxID) }),
			"much memory":    func(e exam) { e.Following.Pages[1].Memory = make([]byte, storage.MaxPageMemory) },
			"many pages": func(e exam) {
				e.Following.Pages = nil
				for i := range storage.MaxPages {
					e.Following.Pages = append(e.Following.Pages, page(strconv.Itoa(i)))
				}
			},
		},
		map[string]func(exam){
			"a longer reason":            func(e exam) { e.Following.Broken = long("ä", storage.MaxItemTitle+1) },
			"a reason of bytes":          func(e exam) { e.Following.Broken = "\xff" },
			"a page without URL":         func(e exam) { e.Following.Pages[1].URL = "" },
			"a page twice":               func(e exam) { e.Following.Pages[1].URL = "a" },
			"a page with a longer URL":   func(e exam) { e.Following.Pages[1].URL = bytes(storage.MaxItemURL + 1) },
			"a page of no depth":         func(e exam) { e.Following.Pages[1].Depth = 0 },
			"a page before its versions": func(e exam) { e.Following.Pages[1].Examined = -1 },
			"more memory":                func(e exam) { e.Following.Pages[1].Memory = make([]byte, storage.MaxPageMemory+1) },
			"more pages": func(e exam) {
				for i := range storage.MaxPages - 1 {
					e.Following.Pages = append(e.Following.Pages, page(strconv.Itoa(i)))
				}
			},
			"pages with long URLs in all": func(e exam) {
				for i := range storage.MaxPageURLs / storage.MaxItemURL {
					e.Following.Pages = append(e.Following.Pages, page(strconv.Itoa(i)+bytes(storage.MaxItemURL-4)+"xx"))
				}
			},
			"an item of another":           with(func(i *plat.Item) { i.Subscription = "t" }),
			"an item without ID":           with(func(i *plat.Item) { i.ID = "" }),
			"an item with a longer ID":     with(func(i *plat.Item) { i.ID = bytes(storage.MaxID + 1) }),
			"an item with an ID of bytes":  with(func(i *plat.Item) { i.ID = "\xff" }),
			"an item without kind":         with(func(i *plat.Item) { i.Kind = "" }),
			"an item with a long kind":     with(func(i *plat.Item) { i.Kind = plat.ItemKind(bytes(storage.MaxID + 1)) }),
			"an item without page":         with(func(i *plat.Item) { i.Page = "" }),
			"an item without time":         with(func(i *plat.Item) { i.Seen = time.Time{} }),
			"an item with a longer title":  with(func(i *plat.Item) { i.Title = long("ä", storage.MaxItemTitle+1) }),
			"an item with a longer text":   with(func(i *plat.Item) { i.Excerpt = long("ä", storage.MaxItemExcerpt+1) }),
			"an item with a longer URL":    with(func(i *plat.Item) { i.URL = bytes(storage.MaxItemURL + 1) }),
			"an item with a longer page":   with(func(i *plat.Item) { i.Page = bytes(storage.MaxItemURL + 1) }),
			"a message that is not stored": func(e exam) { e.Messages = []plat.Message{{}} },
		})
}

func TestLimitsOfMessagesAndChannels(t *testing.T) {
	type message = *plat.Message
	limits(t, func() message {
		return &plat.Message{ID: "m", Channel: "c", Subscription: "s", Items: []string{"i"}, Made: at, Due: at}
	},
		func(m message) error { return storage.CheckMessages([]plat.Message{*m}) },
		map[string]func(message){
			"a digest":   func(m message) { m.Subscription = "" },
			"many items": func(m message) { m.Items = slices.Repeat([]string{bytes(128)}, storage.MaxMessageItems/128) },
		},
		map[string]func(message){
			"no ID":              func(m message) { m.ID = "" },
			"no channel":         func(m message) { m.Channel = "" },
			"a bad subscription": func(m message) { m.Subscription = "a b" },
			"no time":            func(m message) { m.Made = time.Time{} },
			"not due":            func(m message) { m.Due = time.Time{} },
			"an item without ID": func(m message) { m.Items = []string{"i", ""} },
			"more items": func(m message) {
				m.Items = append(slices.Repeat([]string{bytes(128)}, storage.MaxMessageItems/128), "a")
			},
		})
	type channel = *plat.Channel
	limits(t, func() channel { return &plat.Channel{Name: "c", URL: "u"} }, storage.CheckChannel,
		map[string]func(channel){
			"a long URL":    func(c channel) { c.URL = bytes(storage.MaxChannel) },
			"a long reason": func(c channel) { c.Disabled = bytes(storage.MaxChannel - 1) },
		},
		map[string]func(channel){
			"no name":           func(c channel) { c.Name = "" },
			"a longer URL":      func(c channel) { c.URL = bytes(storage.MaxChannel + 1) },
			"both":              func(c channel) { c.URL, c.Disabled = bytes(storage.MaxChannel), "a" },
			"a URL of bytes":    func(c channel) { c.URL = "\xff" },
			"a reason of bytes": func(c channel) { c.Disabled = "\xff" },
		})
}

func TestLimitsOfCrawls(t *testing.T) {
	type crawl = *plat.Crawl
	limits(t, func() crawl {
		return &plat.Crawl{ID: "c", State: plat.CrawlRuns, Seeds: []string{"s"}, Labels: []plat.CrawlLabel{{URL: "l"}}, Least: 0.5}
	}, storage.CheckCrawl,
		map[string]func(crawl){
			"everything belongs": func(c crawl) { c.Least = 0 },
			"hardly anything":    func(c crawl) { c.Least = 1 },
			"a long topic":       func(c crawl) { c.Topic = bytes(storage.MaxCrawlTopic) },
			"many seeds":         func(c crawl) { c.Seeds = slices.Repeat([]string{"s"}, storage.MaxCrawlSeeds) },
			"many labels":        func(c crawl) { c.Labels = slices.Repeat([]plat.CrawlLabel{{URL: "l"}}, storage.MaxCrawlLabels) },
			"limits of pages":    func(c crawl) { c.Pages, c.PerHost, c.Resumed, c.Revision = 1, 1, 1, 1 },
			"a long name":        func(c crawl) { c.Name = long("ä", storage.MaxItemTitle) },
		},
		map[string]func(crawl){
			"no ID":                   func(c crawl) { c.ID = "" },
			"a negative revision":     func(c crawl) { c.Revision = -1 },
			"no state":                func(c crawl) { c.State = "" },
			"negative pages":          func(c crawl) { c.Pages = -1 },
			"negative pages a host":   func(c crawl) { c.PerHost = -1 },
			"resumed before its time": func(c crawl) { c.Resumed = -1 },
			"negative relevance":      func(c crawl) { c.Least = -0.1 },
			"too much relevance":      func(c crawl) { c.Least = 1.1 },
			"no relevance":            func(c crawl) { c.Least = math.NaN() },
			"a longer topic":          func(c crawl) { c.Topic = bytes(storage.MaxCrawlTopic + 1) },
			"more seeds":              func(c crawl) { c.Seeds = slices.Repeat([]string{"s"}, storage.MaxCrawlSeeds+1) },
			"more labels":             func(c crawl) { c.Labels = slices.Repeat([]plat.CrawlLabel{{URL: "l"}}, storage.MaxCrawlLabels+1) },
			"a seed without URL":      func(c crawl) { c.Seeds = []string{""} },
			"a seed of bytes":         func(c crawl) { c.Seeds = []string{"\xff"} },
			"a label without URL":     func(c crawl) { c.Labels[0].URL = "" },
			"a longer name":           func(c crawl) { c.Name = long("ä", storage.MaxItemTitle+1) },
			"a reason of bytes":       func(c crawl) { c.Reason = "\xff" },
			"a bad schedule":          func(c crawl) { c.Revisit = plat.Schedule{Every: -1} },
			"much in all": func(c crawl) {
				c.Labels = slices.Repeat([]plat.CrawlLabel{{URL: bytes(storage.MaxItemURL)}}, storage.MaxCrawl/storage.MaxItemURL)
			},
			"many long seeds": func(c crawl) {
				c.Seeds = slices.Repeat([]string{bytes(storage.MaxItemURL)}, storage.MaxCrawl/storage.MaxItemURL)
			},
		})
}

func TestLimitsOfPagesOfCrawls(t *testing.T) {
	asked := func(change func(a, b *plat.CrawlPage)) error {
		pages := []plat.CrawlPage{{Crawl: "c", N: 1, URL: "a", Score: 1}, {Crawl: "c", N: 2, URL: "b"}}
		change(&pages[0], &pages[1])
		return storage.CheckAsked(pages)
	}
	type page = *plat.CrawlPage
	for name, change := range map[string]func(a, b page){
		"two pages":       func(page, page) {},
		"one page twice":  func(a, b page) { b.N, b.URL = 1, "a" },
		"a page it is of": func(_, b page) { b.From = "a" },
	} {
		if err := asked(change); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(a, b page){
		"no URL":              func(_, b page) { b.URL = "" },
		"a bad crawl":         func(a, b page) { a.Crawl, b.Crawl = "c d", "c d" },
		"two crawls":          func(_, b page) { b.Crawl = "d" },
		"no place":            func(_, b page) { b.N = 0 },
		"a score above one":   func(_, b page) { b.Score = 1.1 },
		"a score below zero":  func(_, b page) { b.Score = -1 },
		"a place twice":       func(_, b page) { b.N = 1 },
		"a URL twice":         func(_, b page) { b.URL = "a" },
		"a page it is not of": func(_, b page) { b.From = "\xff" },
	} {
		if asked(change) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	limits(t, func() page {
		return &plat.CrawlPage{Crawl: "c", URL: "a", Visited: at, Outcome: plat.OutcomeNew, Relevance: 1}
	}, storage.CheckAnswer,
		map[string]func(page){"a long reading": func(p page) { p.Reading = make([]byte, storage.MaxCrawlReading) }},
		map[string]func(page){
			"no URL":             func(p page) { p.URL = "" },
			"a bad crawl":        func(p page) { p.Crawl = "" },
			"no time":            func(p page) { p.Visited = time.Time{} },
			"no outcome":         func(p page) { p.Outcome = "" },
			"much relevance":     func(p page) { p.Relevance = 2 },
			"a negative version": func(p page) { p.Version = -1 },
			"a longer reading":   func(p page) { p.Reading = make([]byte, storage.MaxCrawlReading+1) },
			"a longer title":     func(p page) { p.Title = bytes(storage.MaxItemTitle + 1) },
		})
	if storage.CheckCrawlReport([]byte(`{"a":1}`)) != nil || storage.CheckCrawlReport([]byte("{")) == nil {
		t.Error("a report is JSON")
	}
	if storage.CheckCrawlReport([]byte(`"`+bytes(storage.MaxCrawlReport-2)+`"`)) != nil || storage.CheckCrawlReport([]byte(`"`+bytes(storage.MaxCrawlReport-1)+`"`)) == nil {
		t.Error("a report is limited")
	}
	if got := storage.ErrorText(long("ä", storage.MaxErrorText) + "b"); got != long("ä", storage.MaxErrorText) {
		t.Errorf("an error has %d bytes", len(got))
	}
	if got := storage.ErrorText("a\xffb"); got != "a\uFFFDb" {
		t.Errorf("an error of bytes is %q", got)
	}
}
