package saferegexp

import (
	"fmt"
	"sync"
	"testing"
)

func TestExpressionsInUseAreCompiledOnce(t *testing.T) {
	var c Cache
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 400 {
				re, err := c.Compile(fmt.Sprintf("ferry %d$", i%20))
				if err != nil || !re.MatchString(fmt.Sprintf("a ferry %d", i%20)) || re.MatchString("ferry") {
					t.Errorf("%v, %v", re, err)
				}
			}
		})
	}
	all.Wait()
	if c.compiled != 20 {
		t.Errorf("%d expressions are compiled, want 20", c.compiled)
	}
	if _, err := c.Compile("a{1000}{10}"); err == nil {
		t.Error("an expression that is too large is compiled")
	}
}

func TestACacheIsBoundedBySize(t *testing.T) {
	var c Cache
	for i := range 200 {
		if _, err := c.Compile(fmt.Sprintf("a{1000}b{1000}%d", i)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Compile("in use"); err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, generation := range []map[string]cached{c.now, c.old} {
			for _, e := range generation {
				size += e.size
			}
		}
		if size > 2*maxCached || c.size > maxCached {
			t.Fatalf("after %d expressions it holds %d steps, %d in the younger generation", i+1, size, c.size)
		}
	}
	if c.compiled != 201 {
		t.Errorf("%d are compiled, want 201", c.compiled)
	}
}
