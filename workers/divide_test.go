package workers_test

import (
	"fmt"
	"strings"
	"testing"

	"plat/fixtures"
	"plat/plat"
	"plat/workers"
)

// A page of a site whose other pages are in the archive is labelled by them, also by a
// worker that has not seen them itself.
func TestOtherPagesOfTheSiteTellTheTemplate(t *testing.T) {
	w := start(t, workers.Options{})
	page := func(n int) string { return fmt.Sprintf("http://other.test/%d", n) }
	visit := func(worker *workers.Worker, n int) {
		w.pages.snap = fixtures.Snapshot(t, "site-1")
		if _, err := worker.Visit(t.Context(), plat.Job{URL: page(n)}); err != nil {
			t.Fatal(err)
		}
	}
	said := func(n int) (all []string) {
		v, err := w.store.Version(t.Context(), page(n), 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range v.Blocks {
			if strings.Contains(v.Blocks[i].Explanation, " other pages") {
				all = append(all, v.Blocks[i].Explanation)
			}
		}
		return all
	}
	for n := range 4 {
		visit(w.Worker, n)
	}
	if s := said(2); len(s) > 0 {
		t.Errorf("two other pages are too few, and yet: %q", s)
	}
	if s := said(3); len(s) == 0 || !strings.HasPrefix(s[0], "on 3 of 3 other pages") {
		t.Errorf("after three others the labels of the fourth say %q", s)
	}
	visit(newWorker(t, w.pages, w.store, workers.Options{}), 7)
	if s := said(7); len(s) == 0 || !strings.HasPrefix(s[0], "on 4 of 4 other pages") {
		t.Errorf("a new worker says of another page %q", s)
	}
}
