package crawler

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"plat/plat"
	"plat/storage"
)

// trouble is an archive with one page, some of whose answers fail.
type trouble struct {
	calls int
	fails func(call int) bool
}

var errRefused = errors.New("connection refused")

func (a *trouble) fail() error {
	if a.calls++; a.fails(a.calls) {
		return errRefused
	}
	return nil
}

func (a *trouble) State(context.Context, string) (plat.URLState, error) {
	return plat.URLState{Head: 1}, a.fail()
}

func (a *trouble) Version(context.Context, string, int) (*plat.Version, error) {
	b := block("ringing of geese", plat.LabelMain)
	return &plat.Version{Blocks: []plat.Block{b}, Capture: plat.Capture{Title: "Bird migration"}}, a.fail()
}

func (a *trouble) Contents(context.Context, []plat.Hash) ([][]byte, error) {
	return [][]byte{[]byte("<p>ringing of geese</p>")}, a.fail()
}

// broken is an archive of blocks that does not answer.
type broken struct{ shelf }

func (broken) Find(context.Context, storage.BlockQuery) iter.Seq2[storage.Found, error] {
	return func(yield func(storage.Found, error) bool) { yield(storage.Found{}, errRefused) }
}

// An error of the archive passes: whichever of its calls fail, the crawl is restored later, and
// never waits for a user.
func TestErrorsOfTheArchivePauseNoCrawl(t *testing.T) {
	for failing := 1; failing <= 3; failing++ {
		synctest.Test(t, func(t *testing.T) {
			r := rng(uint64(failing))
			w := newWorld(t, newWeb(r, 30))
			crawl := w.begin(func(c *plat.Crawl) { c.Topic = "topics: [{id: x, positive: [{url: 'https://a.test/'}]}]" })
			archive := &trouble{fails: func(call int) bool { return call >= failing && call < failing+3 }}
			s := w.steerer(w.store)
			s.Compiler = &Compiler{Describer: s.Compiler.Describer, Archive: archive}
			defer w.run(s)()
			defer w.keepWorking(r)()
			w.until("the end", func() bool {
				if state := w.state(crawl.ID); state == plat.CrawlPaused {
					t.Fatalf("call %d of the archive failed: %s", failing, w.crawl(crawl.ID).Reason)
				}
				return w.state(crawl.ID) == plat.CrawlIsDone
			})
			if archive.calls <= failing {
				t.Errorf("the archive was asked %d times: its error was not noticed", archive.calls)
			}
		})
	}
}

// Errors that only a user can correct are distinguished from temporary ones.
func TestWhoCanMendAnError(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.txt")
	if err := os.WriteFile(bad, []byte("ferry 1 0 0\nboat .9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const birds = "topics: [{id: birds, names: birds}]"
	for name, tc := range map[string]struct {
		topic, near, want string
		person            bool
	}{
		"no YAML":                   {"topics: {", "", "yaml", true},
		"no topics":                 {"topics: []", "", "there are no topics", true},
		"no words":                  {"topics: [{id: x, names: a}]", "", "no words", true},
		"no such file of vectors":   {birds, bad + ".none", "bad.txt.none", true},
		"no vectors":                {birds, bad, "word vectors, line 2", true},
		"an archive without answer": {"topics: [{id: x, names: birds, positive: [{url: 'https://a.test/'}]}]", "", "connection refused", false},
		"an archive to learn from":  {birds, NearArchive, "connection refused", false},
	} {
		w := wordsOver(t, nil)
		w.Archive = broken{}
		c := &Compiler{Describer: w.Describer, Words: w, Archive: &trouble{fails: func(int) bool { return true }}}
		_, _, err := c.Compile(t.Context(), &plat.Crawl{Topic: tc.topic, Near: tc.near})
		if err == nil || !strings.Contains(err.Error(), tc.want) || isTopicError(err) != tc.person {
			t.Errorf("%s: %v; a person must mend it: %t, want %t", name, err, isTopicError(err), tc.person)
		}
	}
}
