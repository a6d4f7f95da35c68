package follow

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/watch"
	"plat/watch/view"
)

const page = "https://site.test/news/"

var made = time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)

// Once examines subscriptions that are behind, at most 100 of them, and returns their number.
// Subscriptions whose conditions take long come last. A subscription that cannot be examined
// does not stop the rest: it is skipped for a time that doubles with each failure. Once must
// not be called while Run runs.
func (f *Follower) Once(ctx context.Context) (n int, err error) {
	n, err = f.pass(ctx)
	for id := f.nextAside(); err == nil && id != ""; id = f.nextAside() {
		if f.examineAside(ctx, id) {
			n++
		}
		err = ctx.Err()
	}
	return n, err
}

// publish stores the next version of a page: one block, with a list of articles.
func publish(t *testing.T, s *sqlite.Store, url string, taken time.Time, titles ...string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("<main>")
	for _, title := range titles {
		fmt.Fprintf(&b, `<article><h2><a href="/%s.html">%s</a></h2><p>All about it.</p></article>`, strings.ReplaceAll(title, " ", "-"), title)
	}
	b.WriteString("</main>")
	commit(t, s, url, taken, b.String())
}

func commit(t *testing.T, s *sqlite.Store, url string, taken time.Time, content string) {
	t.Helper()
	n := 1
	if v, err := s.Version(t.Context(), url, 0); err == nil {
		n = v.N + 1
	}
	layout := plat.Layout{HTML: []byte("<html><head></head><body></body></html>"), Slots: []int32{int32(len("<html><head></head><body>"))}}
	v := &plat.Version{
		URL: url, N: n, Taken: taken, Layout: layout.Sum(), Lineages: 2, Capture: plat.Capture{FinalURL: url, Status: 200},
		Blocks: []plat.Block{
			{Parent: -1, Slot: -1, Run: 1, Lineage: 1},
			{Run: 1, Path: []int32{0}, Level: 1, Tag: "main", Lineage: 2, Label: plat.LabelMain, Content: []byte(content), Hash: plat.HashOf([]byte(content))},
		},
	}
	visit := plat.Visit{URL: url, Time: taken, Outcome: plat.OutcomeChanged, Version: n, Status: 200}
	if _, err := s.Commit(t.Context(), &storage.Commit{Version: v, Layout: layout, Visit: visit}); err != nil {
		t.Fatal(err)
	}
}

func day(n int) time.Time { return made.AddDate(0, 0, n) }

func follower(s *sqlite.Store) *Follower {
	return &Follower{Store: s, Log: slog.New(slog.DiscardHandler)}
}

// once examines the subscriptions that are behind, and requires that there are n.
func once(t *testing.T, f *Follower, n int) {
	t.Helper()
	if got, err := f.Once(t.Context()); err != nil || got != n {
		t.Fatalf("Once examines %d, %v; want %d", got, err, n)
	}
}

// items returns the stored items, oldest first, as "kind title".
func items(t *testing.T, s *sqlite.Store) (out []string) {
	t.Helper()
	for it, err := range s.Items(t.Context(), storage.ItemQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(it.Kind)+" "+it.Title)
	}
	slices.Reverse(out)
	return out
}

func subscribe(t *testing.T, s *sqlite.Store, sub plat.Subscription) {
	t.Helper()
	if sub.URL == "" {
		sub.URL = page
	}
	if sub.ID == "" {
		sub.ID = "s"
	}
	if sub.Made.IsZero() {
		sub.Made = made
	}
	if err := s.Subscribe(t.Context(), &sub); err != nil {
		t.Fatal(err)
	}
}

func messages(t *testing.T, s *sqlite.Store) []plat.Message {
	t.Helper()
	for _, name := range []string{"a", "b"} {
		if err := s.PutChannel(t.Context(), &plat.Channel{Name: name, URL: "command:/bin/true"}); err != nil {
			t.Fatal(err)
		}
	}
	var out []plat.Message
	for {
		m, err := s.Take(t.Context(), day(400), time.Minute, 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(m) == 0 {
			return out
		}
		for i := range m {
			out = append(out, m[i])
			if err := s.Sent(t.Context(), m[i].ID, day(400)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestNewItemsAreStoredAndTold(t *testing.T) {
	s := sqlitetest.Open(t)
	f := follower(s)
	subscribe(t, s, plat.Subscription{Tell: []string{"a", "b"}})
	once(t, f, 0)
	publish(t, s, page, day(1), "One story", "Two story")
	once(t, f, 1)
	if got := items(t, s); !slices.Equal(slices.Sorted(slices.Values(got)), []string{"present One story", "present Two story"}) {
		t.Fatalf("the first look stores %q", got)
	}
	if got := messages(t, s); len(got) != 0 {
		t.Fatalf("the first look tells %+v", got)
	}
	sub, err := s.Subscription(t.Context(), "s")
	if err != nil || sub.Unread != 0 || sub.Entries != 2 || sub.Broken != "" || sub.Pages[0].Examined != 1 {
		t.Fatalf("after the first look: %+v, %v", sub, err)
	}
	once(t, f, 0)
	publish(t, s, page, day(2), "Three story", "One story", "Two story")
	publish(t, s, page, day(3), "Four story", "Three story", "One story", "Two story")
	once(t, f, 1)
	if got := items(t, s)[2:]; !slices.Equal(got, []string{"new Three story", "new Four story"}) {
		t.Fatalf("items: %q", got)
	}
	told := messages(t, s)
	if len(told) != 4 || len(told[0].Items) != 1 {
		t.Fatalf("told: %+v", told)
	}
	if sub, _ = s.Subscription(t.Context(), "s"); sub.Unread != 2 || !sub.Latest.Equal(day(3)) {
		t.Fatalf("%d unread, the latest of %v", sub.Unread, sub.Latest)
	}
}

// The IDs of items and messages do not depend on the time, number and steps of examinations.
func TestExaminingAgainFindsTheSame(t *testing.T) {
	all := [][]string{{"a b", "c d"}, {"e f", "a b", "c d"}, {"g h", "e f", "a b", "c d"}, {"g h", "e f"}, {"i k", "g h", "e f", "a b"}}
	find := func(t *testing.T, between func(*Follower)) (ids, told []string) {
		s := sqlitetest.Open(t)
		f := follower(s)
		subscribe(t, s, plat.Subscription{Tell: []string{"a"}, Kinds: []plat.ItemKind{"new", "removed", "changed"}})
		for i, titles := range all {
			publish(t, s, page, day(i+1), titles...)
			between(f)
		}
		once(t, f, 0)
		for it, err := range s.Items(t.Context(), storage.ItemQuery{}) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, it.ID)
		}
		for _, m := range messages(t, s) {
			told = append(told, m.ID)
		}
		return ids, told
	}
	ids, told := find(t, func(f *Follower) { once(t, f, 1) })
	if len(ids) < 5 || len(told) != 3 {
		t.Fatalf("%d items, %d messages", len(ids), len(told))
	}
	n := 0
	again, toldAgain := find(t, func(f *Follower) {
		if n++; n == len(all) {
			once(t, f, 1)
		}
	})
	if !slices.Equal(ids, again) || !slices.Equal(told, toldAgain) {
		t.Errorf("one by one %v and %v, all at once %v and %v", ids, told, again, toldAgain)
	}
}

// Versions from before the subscription give no news.
func TestThePastOfAnArchiveIsNotTold(t *testing.T) {
	s := sqlitetest.Open(t)
	publish(t, s, page, day(-3), "Old story", "Older story")
	publish(t, s, page, day(-2), "Less old story", "Old story", "Older story")
	subscribe(t, s, plat.Subscription{Tell: []string{"a"}})
	once(t, follower(s), 1)
	if got := items(t, s); len(got) != 3 || got[2] != "new Less old story" {
		t.Fatalf("items: %q", got)
	}
	if m := messages(t, s); len(m) != 0 {
		t.Fatalf("told: %+v", m)
	}
	if sub, _ := s.Subscription(t.Context(), "s"); sub.Unread != 0 {
		t.Fatalf("%d unread", sub.Unread)
	}
}

func TestConditionsLookAtWhatWasAdded(t *testing.T) {
	for name, c := range map[string]struct {
		sub  plat.Subscription
		want []string
	}{
		"all":    {plat.Subscription{}, []string{"new Ferry strike ends", "new Market opens"}},
		"match":  {plat.Subscription{Match: []string{"FERRY", "never"}}, []string{"new Ferry strike ends"}},
		"except": {plat.Subscription{Except: []string{"^ferry"}}, []string{"new Market opens"}},
		"both":   {plat.Subscription{Match: []string{"ferry"}, Except: []string{"strike"}}, nil},
		"kinds":  {plat.Subscription{Kinds: []plat.ItemKind{"removed"}}, []string{"removed Middle story"}},
		"muted":  {plat.Subscription{Muted: []int32{2}}, nil},
		"label":  {plat.Subscription{Labels: []plat.Label{plat.LabelTable}}, nil},
		"block":  {plat.Subscription{Blocks: []int32{2}}, []string{"new Ferry strike ends", "new Market opens"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sqlitetest.Open(t)
			subscribe(t, s, c.sub)
			publish(t, s, page, day(1), "First story", "Middle story", "Ferry of old")
			publish(t, s, page, day(2), "Ferry strike ends", "Market opens", "First story", "Ferry of old")
			once(t, follower(s), 1)
			got := slices.DeleteFunc(items(t, s), func(s string) bool { return strings.HasPrefix(s, "present ") })
			if slices.Sort(got); !slices.Equal(got, c.want) {
				t.Errorf("items: %q, want %q", got, c.want)
			}
		})
	}
}

// Pages that items link to are visited and examined, to the subscription's depth, on the same
// site.
func TestDepthFollowsItems(t *testing.T) {
	s := sqlitetest.Open(t)
	var enlisted []string
	f := follower(s)
	f.Enlist = func(ctx context.Context, jobs []plat.Job) error {
		for _, j := range jobs {
			enlisted = append(enlisted, j.URL)
		}
		_, err := s.Enlist(ctx, jobs, storage.IfNew)
		return err
	}
	subscribe(t, s, plat.Subscription{Depth: 2})
	commit(t, s, page, day(1), `<main><article><h2><a href="/a/">Part a</a></h2></article><article><h2><a href="https://other.test/b/">Part b</a></h2></article>`+
		`<article><h2><a href="/c.pdf">Part c</a></h2></article></main>`)
	once(t, f, 1)
	if !slices.Equal(enlisted, []string{"https://site.test/a/"}) {
		t.Fatalf("enlisted: %q", enlisted)
	}
	publish(t, s, "https://site.test/a/", day(2), "Deep one", "Deep two")
	once(t, f, 1)
	publish(t, s, "https://site.test/a/", day(3), "Deep three", "Deep one", "Deep two")
	once(t, f, 1)
	got := items(t, s)
	if got[len(got)-1] != "new Deep three" || len(enlisted) != 1 {
		t.Fatalf("items: %q; enlisted %q", got, enlisted)
	}
}

// After a change of its depth, a subscription is examined again from the start. Items that were
// sent or read remain so, even for new channels, and after the store has deleted the messages.
func TestAnotherDepthTellsNothingAgain(t *testing.T) {
	s := sqlitetest.Open(t)
	f := follower(s)
	subscribe(t, s, plat.Subscription{})
	titles := []string{"One story", "Two story"}
	for i := range maxVersions + 20 {
		publish(t, s, page, day(1).Add(time.Duration(i)*time.Hour), titles...)
		titles = append([]string{"Story " + strings.Repeat("x", i+1)}, titles[:min(len(titles), 10)]...)
	}
	once(t, f, 1)
	once(t, f, 1)
	if err := s.Read(t.Context(), "s", day(100)); err != nil {
		t.Fatal(err)
	}
	n := len(items(t, s))
	subscribe(t, s, plat.Subscription{Depth: 2, Tell: []string{"a"}})
	once(t, f, 1)
	if m := messages(t, s); len(m) != 0 {
		t.Fatalf("told again: %d messages", len(m))
	}
	sub, err := s.Subscription(t.Context(), "s")
	if err != nil || sub.Unread != 0 || len(items(t, s)) != n {
		t.Fatalf("%d unread, %d items, %v; want none and %d", sub.Unread, len(items(t, s)), err, n)
	}
	publish(t, s, page, day(101), append([]string{"Late story"}, titles...)...)
	once(t, f, 1)
	if m := messages(t, s); len(m) != 1 {
		t.Fatalf("told of what is new: %d messages", len(m))
	}
}

// A page whose list is gone is broken, and gives no items.
func TestABrokenPageIsNoNews(t *testing.T) {
	s := sqlitetest.Open(t)
	f := follower(s)
	subscribe(t, s, plat.Subscription{Tell: []string{"a"}, Kinds: []plat.ItemKind{"new", "removed"}})
	publish(t, s, page, day(1), "One story", "Two story", "Three story", "Four story", "Five story")
	commit(t, s, page, day(2), "<p>Are you human?</p>")
	once(t, f, 1)
	sub, _ := s.Subscription(t.Context(), "s")
	if sub.Broken == "" || !sub.Since.Equal(day(2)) || len(messages(t, s)) != 0 {
		t.Fatalf("broken %q since %v", sub.Broken, sub.Since)
	}
	publish(t, s, page, day(3), "Six story", "One story", "Two story", "Three story", "Four story", "Five story")
	once(t, f, 1)
	sub, _ = s.Subscription(t.Context(), "s")
	got := items(t, s)
	if sub.Broken != "" || !sub.Since.Equal(day(3)) || got[len(got)-1] != "new Six story" || len(got) != 6 {
		t.Fatalf("broken %q since %v, items %q", sub.Broken, sub.Since, got)
	}
}

// A page on which nothing can be told is named in the log, once.
func TestAPageWithoutAListIsToldOnce(t *testing.T) {
	s := sqlitetest.Open(t)
	f := follower(s)
	var log strings.Builder
	f.Log = slog.New(slog.NewTextHandler(&log, nil))
	subscribe(t, s, plat.Subscription{})
	for n := range 3 {
		commit(t, s, page, day(n+1), fmt.Sprintf("<p>A text of the mill, number %d.</p>", n))
		once(t, f, 1)
	}
	sub, _ := s.Subscription(t.Context(), "s")
	if !watch.Undecided(sub.Broken) || strings.Count(log.String(), "choose what to watch") != 1 || !strings.Contains(log.String(), page) || !strings.Contains(log.String(), "/watch/s/pick") {
		t.Errorf("broken %q, log %s", sub.Broken, log.String())
	}
	if found, err := view.Read(t.Context(), s, sub, &plat.URLState{Head: 3}); err != nil || found.State != view.Choose || !strings.Contains(found.Hint, watch.NoList) {
		t.Errorf("state %q, hint %q", found.State, found.Hint)
	}
	for _, chosen := range []plat.Subscription{{Blocks: []int32{2}}, {Kinds: []plat.ItemKind{plat.ItemText}}} {
		other := sqlitetest.Open(t)
		subscribe(t, other, chosen)
		commit(t, other, page, day(1), "<p>A text of the mill.</p>")
		once(t, follower(other), 1)
		if sub, _ := other.Subscription(t.Context(), "s"); sub.Broken != "" {
			t.Errorf("%+v: broken %q", chosen, sub.Broken)
		}
	}
}

func TestASubscriptionMovesToTheAddressOfItsPage(t *testing.T) {
	s := sqlitetest.Open(t)
	f := follower(s)
	subscribe(t, s, plat.Subscription{URL: "https://site.test/news"})
	publish(t, s, page, day(1), "One story", "Two story")
	if err := s.Record(t.Context(), plat.Visit{URL: "https://site.test/news", Time: day(1), Outcome: plat.OutcomeAlias, Main: page}, 0); err != nil {
		t.Fatal(err)
	}
	once(t, f, 0)
	if err := f.Readdress(t.Context()); err != nil {
		t.Fatal(err)
	}
	once(t, f, 1)
	if sub, _ := s.Subscription(t.Context(), "s"); sub.URL != page || sub.Items != 2 {
		t.Fatalf("it is of %s, with %d items", sub.URL, sub.Items)
	}
}

func TestDigestsHaveAllThatCameSince(t *testing.T) {
	s := sqlitetest.Open(t)
	f := follower(s)
	d := &Digests{Store: s, Zone: time.UTC, Log: f.Log}
	subscribe(t, s, plat.Subscription{Tell: []string{"a"}, Digest: "daily 07:30"})
	subscribe(t, s, plat.Subscription{ID: "t", URL: "https://site.test/jobs/", Tell: []string{"a"}, Digest: "daily 07:30"})
	make := func(now time.Time, want int) {
		t.Helper()
		if err := d.Once(t.Context(), now); err != nil {
			t.Fatal(err)
		}
		var n int
		for _, m := range messages(t, s) {
			if m.Subscription != "" || m.Channel != "a" {
				t.Fatalf("message %+v", m)
			}
			n += len(m.Items)
		}
		if n != want {
			t.Fatalf("at %v: %d items in digests, want %d", now, n, want)
		}
	}
	publish(t, s, page, at(1, 1), "One story", "Two story")
	publish(t, s, "https://site.test/jobs/", at(1, 1), "One job", "Two job")
	once(t, f, 2)
	make(at(1, 9), 0)
	publish(t, s, page, at(1, 10), "Three story", "One story", "Two story")
	publish(t, s, "https://site.test/jobs/", at(2, 6), "Three job", "One job", "Two job")
	once(t, f, 2)
	make(at(2, 7), 0)
	make(at(2, 8), 2)
	make(at(2, 9), 0)
	// After an interruption of three days nothing is lost, and there is one digest.
	publish(t, s, page, at(2, 12), "Four story", "Three story", "One story", "Two story")
	once(t, f, 1)
	make(at(5, 12), 1)
	make(at(6, 12), 0)
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	for want, s := range map[string]plat.Subscription{
		"":                         {Match: []string{"a|b"}, Kinds: []plat.ItemKind{"new", "text"}, Labels: []plat.Label{"main"}, Digest: "weekly mon 08:00"},
		"not a regular expression": {Except: []string{"("}},
		"it is too large":          {Match: []string{"(a|b|c){1000}"}},
		"kind":                     {Kinds: []plat.ItemKind{"present"}},
		"label":                    {Labels: []plat.Label{"menu"}},
		"depth":                    {Depth: 4},
		"block":                    {Blocks: []int32{0}},
		"one page alone":           {Blocks: []int32{3}, Depth: 2},
		"digest":                   {Digest: "noon"},
		"channel":                  {Tell: []string{"a", strings.Repeat("x", 65)}},
	} {
		err := Check(&s)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
}

// Many failing subscriptions do not stop the rest, and are tried less and less often.
func TestWhatCannotBeExaminedStopsNoOther(t *testing.T) {
	s := sqlitetest.Open(t)
	var log bytes.Buffer
	f := &Follower{Store: s, Log: slog.New(slog.NewTextHandler(&log, nil))}
	for i := range atOnce + 1 { // first in order of their IDs
		subscribe(t, s, plat.Subscription{ID: fmt.Sprintf("a%d", i), Match: []string{"("}})
	}
	subscribe(t, s, plat.Subscription{})
	publish(t, s, page, day(1), "One story", "Two story")
	once(t, f, 1)
	publish(t, s, page, day(2), "Three story", "One story", "Two story")
	once(t, f, 1)
	if n := strings.Count(log.String(), "cannot be examined"); n != atOnce+1 {
		t.Errorf("%d lines in the log, want %d", n, atOnce+1)
	}
	if got := items(t, s); len(got) != 3 {
		t.Errorf("items: %q", got)
	}
}

func TestAnExcerptDoesNotRepeatTheTitle(t *testing.T) {
	for _, x := range []struct{ text, title, want string }{
		{"A title\nAnd more", "A title", "And more"},
		{"2 May\nA notice\n7", "2 May A notice 7", ""},
		{"Ferrymen strike", "Ferry", "Ferrymen strike"},
		{"A b", "A b c", "A b"},
		{"", "A", ""},
		{"A", "", "A"},
	} {
		if got := afterTitle(x.text, x.title); got != x.want {
			t.Errorf("%q after %q is %q, want %q", x.text, x.title, got, x.want)
		}
	}
}
