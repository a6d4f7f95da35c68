package storage_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

func TestACommitThatContradictsItselfIsRefused(t *testing.T) {
	base := func() *storage.Commit {
		c := &storage.Commit{Layout: plat.Layout{HTML: []byte("<p>")}, Picture: &plat.Picture{Data: []byte("p")}}
		c.Version = &plat.Version{URL: "u", N: 1, Layout: c.Layout.Sum(), Picture: plat.HashOf([]byte("p")),
			Blocks: []plat.Block{{Parent: -1, Slot: -1}, {Slot: 0, Hash: plat.HashOf([]byte("x")), Content: []byte("x")}, {Slot: 0, Hash: plat.HashOf([]byte("y"))}}}
		c.Visit = plat.Visit{URL: "u", Version: 1, Memory: strings.Repeat("m", plat.MaxMemory)}
		c.Resources = []plat.Resource{{URL: "a", Left: "size"}, {URL: "b", Hash: plat.HashOf([]byte("z")), Data: []byte("z"), Size: 1}, {URL: "c", Hash: plat.HashOf([]byte("w")), Size: storage.MaxResource}}
		c.Version.Resources = plat.ManifestOf(c.Resources).Sum()
		return c
	}
	if err := base().Check(); err != nil {
		t.Fatal(err)
	}
	resource := func(i int, change func(*plat.Resource)) func(*storage.Commit) {
		return func(c *storage.Commit) {
			change(&c.Resources[i])
			c.Version.Resources = plat.ManifestOf(c.Resources).Sum()
		}
	}
	for name, change := range map[string]func(*storage.Commit){
		"no version":                 func(c *storage.Commit) { c.Version = nil },
		"no URL":                     func(c *storage.Commit) { c.Version.URL, c.Visit.URL = "", "" },
		"version 0":                  func(c *storage.Commit) { c.Version.N, c.Visit.Version = 0, 0 },
		"a visit of another URL":     func(c *storage.Commit) { c.Visit.URL = "v" },
		"a visit of another version": func(c *storage.Commit) { c.Visit.Version = 2 },
		"another layout":             func(c *storage.Commit) { c.Layout.HTML = []byte("<b>") },
		"another picture":            func(c *storage.Commit) { c.Picture.Data = []byte("q") },
		"no picture":                 func(c *storage.Commit) { c.Picture = nil },
		"a parent before the first":  func(c *storage.Commit) { c.Version.Blocks[0].Parent = -2 },
		"a block that is its parent": func(c *storage.Commit) { c.Version.Blocks[1].Parent = 1 },
		"content without a slot":     func(c *storage.Commit) { c.Version.Blocks[0].Content = []byte{} },
		"a hash without a slot":      func(c *storage.Commit) { c.Version.Blocks[0].Hash = plat.HashOf(nil) },
		"a slot without a hash":      func(c *storage.Commit) { c.Version.Blocks[2].Hash = plat.Hash{} },
		"other content":              func(c *storage.Commit) { c.Version.Blocks[1].Content = []byte("y") },
		"more memory":                func(c *storage.Commit) { c.Visit.Memory += "m" },
		"other resources":            func(c *storage.Commit) { c.Version.Resources = plat.HashOf(nil) },
		"a resource twice":           resource(0, func(r *plat.Resource) { r.URL = "b" }),
		"a long URL":                 resource(0, func(r *plat.Resource) { r.URL = strings.Repeat("a", plat.MaxResourceURL+1) }),
		"omitted with a hash":        resource(0, func(r *plat.Resource) { r.Hash = plat.HashOf(nil) }),
		"omitted with a size":        resource(0, func(r *plat.Resource) { r.Size = 1 }),
		"omitted with data":          resource(0, func(r *plat.Resource) { r.Data = []byte{} }),
		"no hash":                    resource(1, func(r *plat.Resource) { r.Hash, r.Data = plat.Hash{}, nil }),
		"a negative size":            resource(2, func(r *plat.Resource) { r.Size = -1 }),
		"a larger size":              resource(2, func(r *plat.Resource) { r.Size++ }),
		"a negative status":          resource(1, func(r *plat.Resource) { r.Status = -1 }),
		"other data":                 resource(1, func(r *plat.Resource) { r.Data = []byte("y") }),
		"data of another size":       resource(1, func(r *plat.Resource) { r.Size = 2 }),
		"many resources": func(c *storage.Commit) {
			c.Resources = nil
			for i := range plat.MaxResources + 1 {
				c.Resources = append(c.Resources, plat.Resource{URL: fmt.Sprint(i), Left: "size"})
			}
			c.Version.Resources = plat.ManifestOf(c.Resources).Sum()
		},
	} {
		c := base()
		if change(c); c.Check() == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	c := base()
	resource(0, func(r *plat.Resource) { r.URL = strings.Repeat("a", plat.MaxResourceURL) })(c)
	c.Picture, c.Version.Picture = nil, plat.Hash{}
	if err := c.Check(); err != nil {
		t.Errorf("a long URL and no picture: %v", err)
	}
}

func TestWhatIsCompressed(t *testing.T) {
	for media, want := range map[string]bool{
		"text/css": true, "text/plain": true, "image/svg+xml": true, "image/bmp": true, "image/x-icon": true, "image/vnd.microsoft.icon": true,
		"font/ttf": true, "font/woff": false, "font/woff2": false, "image/png": false, "video/mp4": false, "": false,
	} {
		if got := storage.Compressible(media); got != want {
			t.Errorf("%s: %v", media, got)
		}
	}
}

func TestWhatIsWrongIsCountedAndSomeOfItKept(t *testing.T) {
	var steps []string
	c := storage.NewChecker(func(done, total int64) { steps = append(steps, fmt.Sprint(done, "/", total)) })
	c.Expect(3)
	c.Step(1)
	c.Expect(1)
	c.Step(1)
	c.Step(3)
	c.Expect(5)
	c.End()
	if want := []string{"1/3", "2/4", "5/5", "10/10"}; !slices.Equal(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
	for i := range 10_000 {
		c.Broke("%d", i)
	}
	if n := len(c.Broken); c.BrokenTotal != 10_000 || n == 0 || n == 10_000 || c.Broken[n-1] != fmt.Sprint(n-1) {
		t.Errorf("%d broken, %d kept", c.BrokenTotal, n)
	}
	storage.NewChecker(nil).Step(1)
}

func TestWhichVersionsAreForgotten(t *testing.T) {
	day := func(n ...int) (all []time.Time) {
		for _, n := range n {
			all = append(all, time.Unix(int64(n)*86400, 0))
		}
		return all
	}
	before := func(n int) time.Time { return day(n)[0] }
	for _, tc := range []struct {
		name  string
		cut   storage.Cut
		taken []time.Time
		want  int
	}{
		{"all", storage.Cut{}, day(1, 2, 3), 5},
		{"all but the last", storage.Cut{KeepLast: 1}, day(1, 2, 3), 4},
		{"all but the last two", storage.Cut{KeepLast: 2}, day(1, 2, 3), 3},
		{"all but more than there are", storage.Cut{KeepLast: 3}, day(1, 2, 3), 2},
		{"all but many", storage.Cut{KeepLast: 9}, day(1, 2, 3), 2},
		{"those replaced by day 2", storage.Cut{Before: before(2)}, day(1, 2, 3), 3},
		{"those replaced before", storage.Cut{Before: before(1)}, day(1, 2, 3), 2},
		{"those replaced long ago", storage.Cut{Before: before(9)}, day(1, 2, 3), 4},
		{"those replaced, but two", storage.Cut{Before: before(9), KeepLast: 2}, day(1, 2, 3), 3},
		{"those replaced by a clock that went back", storage.Cut{Before: before(3)}, day(1, 5, 2, 3), 2},
		{"none", storage.Cut{KeepLast: 1}, nil, 2},
	} {
		if got := tc.cut.Last(&plat.URLState{Forgotten: 2}, tc.taken); got != tc.want {
			t.Errorf("%s: up to %d, want %d", tc.name, got, tc.want)
		}
		if whole := tc.name == "all"; tc.cut.Whole() != whole {
			t.Errorf("%s: the whole page %v", tc.name, tc.cut.Whole())
		}
	}
	gone := plat.URLState{Forgotten: 2, ForgottenAt: at}
	if !(storage.Cut{}).Done(&gone) || (storage.Cut{KeepLast: 1}).Done(&gone) {
		t.Error("a page without anything left is done, unless some of it is kept")
	}
	if gone.Due = at; (storage.Cut{}).Done(&gone) {
		t.Error("a page with a job is done")
	}
}

func TestVersionsAfterForgotten(t *testing.T) {
	for _, tc := range []struct {
		n, head, forgotten int
		oldest, want       bool
	}{
		{1, 0, 0, false, true}, {2, 0, 0, false, false}, {2, 1, 0, false, true}, {3, 1, 0, false, false}, {1, 1, 0, false, false},
		{4, 0, 3, false, false}, {4, 0, 3, true, true}, {5, 4, 3, false, true}, {3, 4, 3, true, false},
	} {
		if got := storage.Follows(&plat.Version{N: tc.n, Oldest: tc.oldest}, &plat.URLState{Head: tc.head, Forgotten: tc.forgotten}); got != tc.want {
			t.Errorf("%+v: follows %v", tc, got)
		}
	}
	for version, want := range map[int]bool{0: false, 1: true, 3: true, 4: false} {
		if got := storage.Outlived(&plat.Visit{Version: version}, &plat.URLState{Forgotten: 3}); got != want {
			t.Errorf("version %d is outlived: %v", version, got)
		}
	}
	for _, tc := range []struct {
		n, head, forgotten int
		at                 time.Time
		want               error
		is                 int
	}{
		{0, 3, 0, time.Time{}, nil, 3}, {1, 3, 0, time.Time{}, nil, 1}, {3, 3, 0, time.Time{}, nil, 3}, {4, 3, 0, time.Time{}, plat.ErrNotFound, 4}, {0, 0, 0, time.Time{}, plat.ErrNotFound, 0},
		{2, 3, 2, at, plat.ErrForgotten, 2}, {3, 3, 2, at, nil, 3}, {0, 0, 2, at, plat.ErrForgotten, 0}, {1, 0, 2, at, plat.ErrForgotten, 1}, {3, 0, 2, at, plat.ErrNotFound, 3},
		{-1, 3, 2, at, plat.ErrNotFound, -1}, {1, 3, 2, time.Time{}, plat.ErrNotFound, 1},
	} {
		n := tc.n
		err := storage.Kept(&plat.URLState{URL: "u", Head: tc.head, Forgotten: tc.forgotten, ForgottenAt: tc.at}, &n)
		if !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) || n != tc.is {
			t.Errorf("%+v: version %d, %v", tc, n, err)
		}
	}
}

func TestTheStateOfAPageOfWhichSomeIsForgotten(t *testing.T) {
	state := func() *plat.URLState {
		return &plat.URLState{Head: 10, Forgotten: 2, Visits: 20, Changes: 8, PageBytes: 2000, StoredBytes: 800, PictureBytes: 80, ResourceBytes: 8, Level: 3, First: at, Last: at, Status: 1}
	}
	first, latest := &plat.Visit{Time: time.Unix(5, 0), Status: 5}, &plat.Visit{Time: time.Unix(6, 0), Status: 6, Outcome: plat.OutcomeChanged}
	now := time.Unix(9, 1_500_000).UTC()
	s := state()
	storage.Forget(s, 6, 5, first, latest, now)
	want := *state()
	want.Forgotten, want.ForgottenAt, want.Visits, want.Changes = 6, time.Unix(9, 1_000_000).UTC(), 5, 4
	want.PageBytes, want.StoredBytes, want.PictureBytes, want.ResourceBytes = 500, 400, 40, 4
	want.First, want.Last, want.Status, want.Outcome = first.Time, latest.Time, 6, plat.OutcomeChanged
	if fmt.Sprintf("%+v", *s) != fmt.Sprintf("%+v", want) {
		t.Errorf("half of it:\n%+v, want\n%+v", *s, want)
	}
	s = state()
	storage.Forget(s, 10, 0, nil, nil, now)
	if s.Head != 0 || s.Level != 0 || s.Forgotten != 10 || s.Visits != 0 || s.PageBytes != 0 || s.StoredBytes != 0 || !s.First.IsZero() || !s.Last.IsZero() || s.Status != 0 {
		t.Errorf("all of it: %+v", *s)
	}
	s = state()
	s.Visits = 0
	if storage.Forget(s, 1, 3, first, latest, now); s.Forgotten != 2 || s.PageBytes != 0 || s.StoredBytes != 800 {
		t.Errorf("none of it: %+v", *s)
	}
	s = state()
	s.Due, s.NotBefore, s.Dead, s.Attempts, s.Throttled, s.Main, s.Priority = at, at, at, 1, 2, "m", 3
	if storage.Drop(s, now); !s.Due.IsZero() || !s.NotBefore.IsZero() || !s.Dead.IsZero() || s.Attempts+s.Throttled != 0 || s.Main != "" || s.Priority != 0 || !s.Settled.Equal(time.Unix(9, 1_000_000)) {
		t.Errorf("without its job: %+v", *s)
	}
	s.Settled = now.Add(time.Hour)
	if storage.Drop(s, now); !s.Settled.Equal(now.Add(time.Hour)) {
		t.Error("what is settled later is not settled any more")
	}
	sum := storage.Forgotten{Versions: 1, Visits: 2, Items: 3, Until: now}
	sum.Add(storage.Forgotten{Versions: 10, Visits: 20, Items: 30, Until: at})
	if sum != (storage.Forgotten{Versions: 11, Visits: 22, Items: 33, Until: now}) {
		t.Errorf("sum %+v", sum)
	}
	if sum.Add(storage.Forgotten{Until: now.Add(1)}); !sum.Until.Equal(now.Add(1)) {
		t.Error("the later time counts")
	}
}

func TestJobsAreSettledInOrder(t *testing.T) {
	ms := func(n int64) time.Time { return time.UnixMilli(n).UTC() }
	for _, tc := range []struct {
		settled, due time.Time
		want         bool
	}{
		{time.Time{}, ms(5), true}, {ms(5), ms(6), true}, {ms(5), ms(5), false}, {ms(6), ms(5), false}, {ms(5), ms(5).Add(time.Microsecond), false}, {time.Time{}, time.Time{}, true},
	} {
		if got := storage.ToSettle(tc.settled, tc.due); got != tc.want {
			t.Errorf("%v and %v: %v", tc.settled, tc.due, got)
		}
		st, v := &plat.URLState{Settled: tc.settled}, &plat.Visit{Settles: tc.due}
		if got := storage.Takes(st, v); got != (tc.want || tc.due.IsZero()) {
			t.Errorf("%v takes %v: %v", tc.settled, tc.due, got)
		}
	}
	st := plat.URLState{Due: ms(5), Settled: ms(1), NotBefore: ms(7), Throttled: 2, Attempts: 3}
	for _, tc := range []struct {
		name          string
		v             plat.Visit
		due, dead     time.Time
		attempts, put int
	}{
		{"a visit without a job", plat.Visit{}, ms(5), time.Time{}, 3, 2},
		{"a visit that found it", plat.Visit{Settles: ms(5), Next: ms(9), Outcome: plat.OutcomeChanged}, ms(9), time.Time{}, 0, 0},
		{"a failure with another attempt", plat.Visit{Settles: ms(5), Next: ms(9), Outcome: plat.OutcomeError}, ms(9), time.Time{}, 0, 0},
		{"the last failure", plat.Visit{Settles: ms(5), Time: ms(8), Outcome: plat.OutcomeError}, time.Time{}, ms(8), 4, 0},
		{"a failure of what is not kept", plat.Visit{Settles: ms(5), Time: ms(8), Outcome: plat.OutcomeError, Unkept: true}, time.Time{}, time.Time{}, 0, 0},
		{"the last visit that found it", plat.Visit{Settles: ms(5), Time: ms(8), Outcome: plat.OutcomeNew}, time.Time{}, time.Time{}, 0, 0},
	} {
		s := st
		storage.Settle(&s, &tc.v)
		if !s.Due.Equal(tc.due) || !s.Dead.Equal(tc.dead) || s.Attempts != tc.attempts || s.Throttled != tc.put {
			t.Errorf("%s: %+v", tc.name, s)
		}
		if own := !tc.v.Settles.IsZero(); s.NotBefore.IsZero() != own || own && !s.Settled.Equal(ms(5)) {
			t.Errorf("%s: not before %v, settled %v", tc.name, s.NotBefore, s.Settled)
		}
	}
	if got := storage.ClockAfter(&plat.Visit{Time: ms(5), Duration: 3 * time.Millisecond, Rest: 2 * time.Millisecond}); !got.Equal(ms(10)) {
		t.Errorf("the host is free at %v", got)
	}
	if got := storage.ClockAfter(&plat.Visit{Time: ms(5), Duration: 3}); !got.IsZero() {
		t.Errorf("without a rest: %v", got)
	}
}

func TestVisitsAreCountedInAnyOrder(t *testing.T) {
	var st plat.URLState
	for _, n := range []int64{5, 3, 9, 9, 7} {
		storage.Count(&st, &plat.Visit{Time: time.Unix(n, 0), Status: int(n)*10 + st.Visits}, 100)
	}
	if st.Visits != 5 || st.PageBytes != 500 || st.First.Unix() != 3 || st.Last.Unix() != 9 || st.Status != 93 {
		t.Errorf("state %+v", st)
	}
}

func TestSinceWhenContentsStand(t *testing.T) {
	first, second := page(1, "a", "b"), page(2, "a", "c")
	since, err := storage.Since(first, nil, nil, nil)
	if err != nil || !slices.Equal(since, []int32{0, 1, 1}) {
		t.Fatalf("%v, %v", since, err)
	}
	none := func(int32, plat.Hash) (int32, error) { return 0, nil }
	if since, err = storage.Since(second, first, since, none); err != nil || !slices.Equal(since, []int32{0, 1, 2}) {
		t.Fatalf("%v, %v", since, err)
	}
	// b returns to its lineage, and lineage 3 is new.
	third := page(3, "a", "b", "d", "a")
	third.Blocks[4].Lineage = 1 // the same content twice
	second.Lineages = 2
	asked := 0
	since, err = storage.Since(third, second, since, func(lineage int32, h plat.Hash) (int32, error) {
		if asked++; lineage != 2 || h != plat.HashOf([]byte("b")) {
			t.Errorf("asked for lineage %d", lineage)
		}
		return 1, nil
	})
	if err != nil || asked != 1 || !slices.Equal(since, []int32{0, 1, 1, 3, 1}) {
		t.Errorf("%v, asked %d times, %v", since, asked, err)
	}
	second.Lineages = 3 // by an earlier version
	asked = 0
	if _, err = storage.Since(third, second, []int32{0, 1, 2}, func(int32, plat.Hash) (int32, error) { asked++; return 0, nil }); err != nil || asked != 2 {
		t.Errorf("asked %d times, %v", asked, err)
	}
	boom := errors.New("boom")
	if _, err := storage.Since(third, second, []int32{0, 1, 2}, func(int32, plat.Hash) (int32, error) { return 0, boom }); err != boom {
		t.Errorf("error %v", err)
	}
	ages := storage.Ages{}
	if ages.Of(&third.Blocks[1], 2) != 2 || ages.Of(&third.Blocks[1], 3) != 2 || ages.Of(&third.Blocks[2], 3) != 3 {
		t.Error("a content is as old as the first version that has it")
	}
}
