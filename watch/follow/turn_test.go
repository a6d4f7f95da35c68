package follow

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/plat/saferegexp"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

// slowly makes expressions that contain "q" take the time each for one text, by a clock that
// only they advance. It returns a counter of their matches.
func slowly(f *Follower, each time.Duration) *int {
	var mu sync.Mutex
	now, n := made, 0
	f.clock = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	f.matches = func(re *regexp.Regexp, text string) bool {
		if strings.Contains(re.String(), "q") {
			mu.Lock()
			now = now.Add(each)
			n++
			mu.Unlock()
		}
		return re.MatchString(text)
	}
	return &n
}

func subscribed(t *testing.T, s *sqlite.Store, id string) *storage.Subscribed {
	t.Helper()
	sub, err := s.Subscription(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return sub
}

// While the conditions of a subscription are matched, the remaining subscriptions are examined.
func TestASlowSubscriptionHoldsUpItselfAlone(t *testing.T) {
	s := sqlitetest.Open(t)
	subscribe(t, s, plat.Subscription{ID: "a-slow", URL: page + "a", Match: []string{"q|"}})
	for _, id := range []string{"b", "c", "d"} {
		subscribe(t, s, plat.Subscription{ID: id, URL: page + id, Match: []string{"new"}})
	}
	f := follower(s)
	n := slowly(f, slice+time.Millisecond)
	inner, matching, release := f.matches, make(chan bool, 100), make(chan bool)
	ctx, stop := context.WithCancel(t.Context())
	f.matches = func(re *regexp.Regexp, text string) bool {
		if strings.Contains(re.String(), "q") && *n > 0 { // the first text makes it slow
			matching <- true
			select {
			case <-release:
			case <-ctx.Done():
			}
		}
		return inner(re, text)
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		publish(t, s, page+id, day(1), "old one", "old two")
	}
	pass := func() {
		t.Helper()
		if n, err := f.pass(ctx); err != nil || n != 3 {
			t.Fatalf("%d are examined while one is slow: %v", n, err)
		}
	}
	f.waits = make(chan struct{}, 1)
	var aside sync.WaitGroup
	aside.Go(func() { f.runAside(ctx) })
	pass()
	<-matching // the slow one is being matched, and does not end
	for k := 1; k <= 3; k++ {
		for _, id := range []string{"b", "c", "d"} {
			publish(t, s, page+id, day(1+k), "old one", "old two", fmt.Sprintf("new %d", k))
		}
		pass()
	}
	if sub := subscribed(t, s, "a-slow"); len(sub.Pages) != 0 {
		t.Errorf("the slow one is examined: %+v", sub.Following)
	}
	release <- true
	for len(subscribed(t, s, "a-slow").Pages) == 0 { // it is eventually examined
		select {
		case release <- true:
		case <-time.After(time.Millisecond):
		}
	}
	stop()
	aside.Wait()
}

func TestConditionsThatTakeTooLongAreSaidAndNothingIsLost(t *testing.T) {
	s := sqlitetest.Open(t)
	subscribe(t, s, plat.Subscription{ID: "s", Match: []string{"q|"}})
	publish(t, s, page, day(1), "one")
	var log bytes.Buffer
	f := follower(s)
	f.Log = slog.New(slog.NewTextHandler(&log, nil))
	once(t, f, 1)
	publish(t, s, page, day(2), "one", "two")
	publish(t, s, page, day(3), "one", "two", "three", "four", "five")
	n := slowly(f, 6*time.Second) // two texts in a version are within the limit, three are not
	once(t, f, 1)
	sub := subscribed(t, s, "s")
	if sub.Pages[0].Examined != 2 || sub.Broken != "" {
		t.Fatalf("after the version that is good enough: %+v", sub.Following)
	}
	once(t, f, 0)
	sub = subscribed(t, s, "s")
	const why = "not examined: its conditions (match, except) take more than 10s for the texts of version 3"
	if sub.Pages[0].Examined != 2 || !strings.HasPrefix(sub.Broken, why) || !strings.Contains(log.String(), "take more than 10s") {
		t.Errorf("its state is %+v; the log is\n%s", sub.Following, log.String())
	}
	before := *n
	once(t, f, 0)
	if *n != before {
		t.Errorf("it is tried again at once: %d more texts", *n-before)
	}
	// After a change by its owner it is examined at once, and reports the items since then.
	sub.Match = []string{"two|three|four"}
	if err := s.Subscribe(t.Context(), &sub.Subscription); err != nil {
		t.Fatal(err)
	}
	once(t, f, 1)
	if sub = subscribed(t, s, "s"); sub.Broken != "" || sub.Pages[0].Examined != 3 {
		t.Errorf("its state is %+v", sub.Following)
	}
	if got := items(t, s); len(got) != 3 {
		t.Errorf("items are %v", got)
	}
}

// Old subscriptions may have more conditions than the current limit.
func TestConditionsThatAreTooLargeAreSaid(t *testing.T) {
	s := sqlitetest.Open(t)
	many := make([]string, 2000)
	for i := range many {
		many[i] = "(?:.?){600}q"
	}
	subscribe(t, s, plat.Subscription{ID: "s", Match: many})
	subscribe(t, s, plat.Subscription{ID: "t", URL: page})
	publish(t, s, page, day(1), "one")
	f := follower(s)
	once(t, f, 1)
	if sub := subscribed(t, s, "s"); !strings.HasPrefix(sub.Broken, "not examined: its conditions cannot be used") || len(sub.Pages) != 0 {
		t.Errorf("its state is %+v", sub.Following)
	}
}

func TestConditionsAreBoundedTogether(t *testing.T) {
	many := func(n int, text string) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = text
		}
		return all
	}
	for name, s := range map[string]*plat.Subscription{
		"2,900 that are large":       {Match: many(2900, "a{1000}b{1000}")},
		"2,000 that are slow":        {Match: many(2000, "(?:.?){600}q")},
		"both kinds":                 {Match: many(3, "a{1000}b{1000}"), Except: many(3, "a{1000}b{1000}")},
		"ranges":                     {Match: many(200, `[B-\x{1e942}]`)},
		"those of next to no length": {Match: many(30_000, "")},
	} {
		var err error
		if size := testing.AllocsPerRun(1, func() { err = Check(s) }); err == nil || !strings.Contains(err.Error(), "too large together") || size > 20_000 {
			t.Errorf("%s: %.300v, with %v allocations", name, err, size)
		}
	}
	if err := Check(&plat.Subscription{Match: many(200, `\bferry\b`), Except: many(3, "a{1000}")}); err != nil {
		t.Error(err)
	}
}

// Many subscriptions with the same conditions compile them once, and examining again does not compile
// them again.
func TestConditionsAreCompiledOnce(t *testing.T) {
	s := sqlitetest.Open(t)
	for i := range 20 {
		subscribe(t, s, plat.Subscription{ID: fmt.Sprint("s", i), Match: []string{"nothing", "one|two"}, Except: []string{"three"}})
	}
	f := follower(s)
	seen := map[*regexp.Regexp]bool{}
	f.matches = func(re *regexp.Regexp, text string) bool { seen[re] = true; return re.MatchString(text) }
	for n, titles := range [][]string{{"one"}, {"one", "two"}, {"one", "two", "three"}} {
		publish(t, s, page, day(n+1), titles...)
		once(t, f, 20)
	}
	if len(seen) != 3 {
		t.Errorf("%d expressions are compiled, want 3", len(seen))
	}
}

// The slowest allowed conditions take no longer than a turn for the longest text of a version.
// The estimate uses steps and bytes, not a clock.
func TestOneTextIsABoundedPieceOfWork(t *testing.T) {
	longest := strings.Repeat("x", 9000+1000) // see package watch
	var total saferegexp.Total
	slow := "(?i)(?:.?){600}q"
	for total.Add(slow) == nil {
		if len(longest)*int(total) > 10_000*saferegexp.MaxTotal {
			t.Fatalf("%d steps for one text", len(longest)*int(total))
		}
	}
}

func TestADigestWaitsForItsOwnSubscriptions(t *testing.T) {
	s := sqlitetest.Open(t)
	subscribe(t, s, plat.Subscription{ID: "a", URL: page, Tell: []string{"a"}, Digest: "daily 07:00"})
	subscribe(t, s, plat.Subscription{ID: "slow", URL: page + "x"})
	publish(t, s, page, day(1), "one")
	f := follower(s)
	once(t, f, 1)
	d := &Digests{Store: s, Zone: time.UTC, Log: slog.New(slog.DiscardHandler)}
	if err := d.Once(t.Context(), day(1).Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	publish(t, s, page, day(1).Add(2*time.Hour), "one", "two")
	once(t, f, 1)
	publish(t, s, page+"x", day(1).Add(3*time.Hour), "x") // behind from now on
	if err := d.Once(t.Context(), day(1).Add(8*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := messages(t, s); len(got) != 1 || len(got[0].Items) != 1 {
		t.Errorf("messages are %+v", got)
	}
}
