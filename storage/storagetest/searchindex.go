package storagetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"plat/plat"
	"plat/storage"
)

func testIndexBehind(t *testing.T, s storage.Store) {
	steps := 0
	progress := func(done, total int64) { steps++ }
	if err := s.Index(t.Context(), progress); err != nil || steps != 0 {
		t.Errorf("Index of an empty archive = %v, with %d steps", err, steps)
	}
	if r := search(t, s, storage.Search{}); r.Total != 0 || r.Behind != 0 {
		t.Errorf("an empty archive: %+v", r)
	}
	p := passage{1, plat.LabelMain, "", "<p>ferry</p>"}
	commit(t, s, issue("https://a.test/", 1, 0, p))
	commit(t, s, issue("https://b.test/", 1, 1, p))
	record(t, s, plat.Visit{URL: "https://c.test/", Time: day, Outcome: plat.OutcomeGone})
	enlist(t, s, plat.Job{URL: "https://d.test/", Due: day})
	// A store may index what it commits at once.
	r := search(t, s, storage.Search{})
	atOnce := r.Behind == 0
	if atOnce && r.Total != 2 || !atOnce && (r.Total != 0 || r.Behind != 2) {
		t.Errorf("before Index: %+v, want 2 behind, or 2 found", r)
	}
	var last, of int64
	err := s.Index(t.Context(), func(done, total int64) { last, of = done, total })
	if want := int64(r.Behind); err != nil || last != want || of != want {
		t.Errorf("Index = %v, progress ends with %d of %d, want %d", err, last, of, want)
	}
	if r := search(t, s, storage.Search{}); r.Total != 2 || r.Behind != 0 {
		t.Errorf("after Index: %+v", r)
	}
	commit(t, s, issue("https://b.test/", 2, 2))
	record(t, s, plat.Visit{URL: "https://a.test/", Time: after(5), Outcome: plat.OutcomeUnchanged, Version: 1})
	if r := search(t, s, storage.Search{}); r.Total != 2 || r.Behind != 1 && !atOnce {
		t.Errorf("after one more version: %+v, want 1 behind, or none", r)
	}
	index(t, s)
	if err := s.Index(t.Context(), progress); err != nil || steps != 0 {
		t.Errorf("Index without new versions = %v, with %d steps", err, steps)
	}
	if r := search(t, s, storage.Search{Standing: true}); r.Total != 1 || r.Behind != 0 {
		t.Errorf("after Index: %+v", r)
	}
	clean(t, s)
}

// found returns everything in an index, as text.
func found(t testing.TB, s storage.Store) string {
	t.Helper()
	var b strings.Builder
	for _, q := range []storage.Search{{}, {Words: "the"}, {Words: "北京"}, {Gone: true, Words: "of -the"}} {
		r := search(t, s, q)
		fmt.Fprintf(&b, "%+v: %d, behind %d\n", q, r.Total, r.Behind)
		for _, h := range r.Hits {
			fmt.Fprintf(&b, "%+v\n", h)
		}
	}
	return b.String()
}

func testIndexContinued(t *testing.T, open func(testing.TB) storage.Store, size int) {
	once, often := open(t), open(t)
	pages := []*Page{NewPage("https://a.test/", 80), NewPage("https://a.test/b", 81), NewPage("https://c.test/", 82)}
	for i := range 12 + size/4 {
		c := pages[i*i%3].Next()
		commit(t, once, c)
		commit(t, often, c)
		if i%5 != 3 {
			index(t, often)
		}
	}
	index(t, once)
	index(t, often)
	if a, b := found(t, once), found(t, often); a != b {
		t.Errorf("built in one pass it finds\n%.2000s\ncontinued\n%.2000s", a, b)
	}
}

func testIndexTogether(t *testing.T, open func(testing.TB) storage.Store, size int) {
	alone, together := open(t), open(t)
	many(t, alone, size)
	many(t, together, size)
	index(t, alone)
	for stop := int64(1); stop < 1<<20; stop *= 4 {
		ctx, cancel := context.WithCancel(t.Context())
		err := together.Index(ctx, func(done, _ int64) {
			if done >= stop {
				cancel()
			}
		})
		cancel()
		if err == nil {
			break // already complete
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("Index interrupted = %v", err)
		}
		search(t, together, storage.Search{Words: "the"})
	}
	extra := NewPage("https://z.test/", 99)
	for range 3 {
		var both sync.WaitGroup
		c := extra.Next()
		commit(t, alone, c)
		commit(t, together, c)
		for range 3 {
			both.Go(func() {
				if err := together.Index(t.Context(), nil); err != nil {
					t.Errorf("Index with others = %v", err)
				}
			})
		}
		both.Wait()
		index(t, together)
	}
	index(t, alone)
	if a, b := found(t, alone), found(t, together); a != b {
		t.Errorf("built alone it finds\n%.2000s\nbuilt concurrently\n%.2000s", a, b)
	}
}

// Unreadable checks how an index handles an unreadable URL. open opens the same
// archive each time, which is empty at first; harm damages the last version of a URL
// without the store's knowledge, and mend repairs it.
func Unreadable(t *testing.T, open func(testing.TB) storage.Store, harm, mend func(t testing.TB, url string)) {
	const bad = "https://b.test/"
	p := passage{1, plat.LabelMain, "", "<p>ferry</p>"}
	s := open(t)
	for i, url := range []string{"https://a.test/", bad, "https://c.test/"} {
		commit(t, s, issue(url, 1, i, p))
	}
	// expect searches s, and requires the spans of ofBad versions of bad.
	expect := func(when string, ofBad, behind, unreadable int) {
		t.Helper()
		r, b := search(t, s, storage.Search{}), search(t, s, storage.Search{Host: "b.test"})
		if b.Total != ofBad || r.Total < 2+ofBad || r.Behind != behind || r.Unreadable != unreadable {
			t.Errorf("%s it finds %d, and %d of %s; %d URLs are behind and %d unreadable; want %d of it, %d and %d",
				when, r.Total, b.Total, bad, r.Behind, r.Unreadable, ofBad, behind, unreadable)
		}
	}
	told := func(when string) {
		t.Helper()
		if err := s.Index(t.Context(), nil); !errors.Is(err, plat.ErrCorrupt) || !strings.Contains(err.Error(), bad) || !strings.Contains(err.Error(), "run plat verify") {
			t.Errorf("%s Index = %v, want plat.ErrCorrupt, %s and what to do", when, err, bad)
		}
	}

	takes := func(when string, versions int64) {
		t.Helper()
		var last, of int64
		if err := s.Index(t.Context(), func(done, total int64) { last, of = done, total }); err != nil || last != versions || of != versions {
			t.Errorf("%s Index = %v, progress ends with %d of %d, want %d", when, err, last, of, versions)
		}
	}

	harm(t, bad)
	told("where a URL cannot be read")
	expect("then", 0, 0, 1)
	index(t, s) // reports nothing: already reported
	commit(t, s, issue("https://c.test/", 2, 10, p, passage{2, plat.LabelMain, "", "<p>boat</p>"}))
	expect("after another version of another URL", 0, 1, 1)
	index(t, s)
	expect("when that is indexed", 0, 0, 1)

	s = open(t)
	expect("opened anew", 0, 0, 1)
	told("opened anew")
	index(t, s)

	mend(t, bad)
	commit(t, s, issue(bad, 2, 20, passage{1, plat.LabelMain, "", "<p>harbour</p>"}))
	takes("mended, with another version,", 2)
	expect("mended, with another version,", 2, 0, 0)

	commit(t, s, issue(bad, 3, 30, passage{1, plat.LabelMain, "", "<p>quay</p>"}))
	harm(t, bad)
	told("where a third version cannot be read")
	expect("then", 2, 0, 1)
	mend(t, bad)
	s = open(t)
	takes("mended, and opened anew,", 1)
	expect("mended, and opened anew,", 3, 0, 0)
}
