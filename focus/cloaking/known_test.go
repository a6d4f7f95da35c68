package cloaking

import (
	"fmt"
	"testing"
)

// Beyond maxKnown places, a checker forgets all of them and checks them anew.
func TestPlacesThatAreKeptAreBounded(t *testing.T) {
	c := New(nil, nil, Options{})
	at := func(i int) place { return place{host: fmt.Sprint("h", i, ".test")} }
	for i := range maxKnown {
		if !c.due(at(i)) {
			t.Fatal("a place that is not known is not due")
		}
	}
	if len(c.known) != maxKnown {
		t.Fatalf("%d places are known, want %d", len(c.known), maxKnown)
	}
	if c.due(at(0)); len(c.known) != maxKnown {
		t.Errorf("with a place that is known, %d are", len(c.known))
	}
	if c.due(at(maxKnown)); len(c.known) != 1 {
		t.Errorf("with one more, %d are known, want it alone", len(c.known))
	}
}

// TestAPlaceIsCheckedUntilItTells, then one of its pages in 50, and after a difference every page.
func TestAPlaceIsCheckedUntilItTells(t *testing.T) {
	due := func(c *Checker, n int) (all int) {
		for range n {
			if c.due(place{host: "a.test"}) {
				all++
			}
		}
		return all
	}
	silent := New(nil, nil, Options{})
	if n := due(silent, maxTries); n != maxTries {
		t.Errorf("%d of the first %d pages are checked", n, maxTries)
	}
	if n := due(silent, every-1); n != 0 {
		t.Errorf("%d of the next ones are checked", n)
	}
	if n := due(silent, 1); n != 1 {
		t.Errorf("one in %d is not checked", every)
	}
	honest := New(nil, nil, Options{})
	due(honest, 1)
	honest.tell(place{host: "a.test"}, false)
	if n := due(honest, 2*every); n != 2 {
		t.Errorf("of %d pages of an honest place %d are checked, want 2", 2*every, n)
	}
	honest.tell(place{host: "a.test"}, true)
	if n := due(honest, 9); n != 9 {
		t.Errorf("after a difference %d of 9 pages are checked", n)
	}
}
