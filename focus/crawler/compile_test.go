package crawler

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"plat/plat"
	"plat/segment/label"
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

func block(text string, l plat.Label) plat.Block {
	content := []byte("<p>" + text + "</p>")
	return plat.Block{Hash: plat.HashOf(content), Content: content, Label: l, Parent: -1}
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
	d, err := label.New(label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		topic, want string
		person      bool
	}{
		"no YAML":                   {"topics: {", "yaml", true},
		"no topics":                 {"topics: []", "there are no topics", true},
		"no words":                  {"topics: [{id: x, names: a}]", "no words", true},
		"an archive without answer": {"topics: [{id: x, names: birds, positive: [{url: 'https://a.test/'}]}]", "connection refused", false},
	} {
		c := &Compiler{Describer: d, Archive: &trouble{fails: func(int) bool { return true }}}
		_, _, err := c.Compile(t.Context(), &plat.Crawl{Topic: tc.topic})
		if err == nil || !strings.Contains(err.Error(), tc.want) || isTopicError(err) != tc.person {
			t.Errorf("%s: %v; a person must mend it: %t, want %t", name, err, isTopicError(err), tc.person)
		}
	}
}

// Crawls of earlier releases can name sources of related words, which are not read.
func TestSourcesOfRelatedWordsAreIgnored(t *testing.T) {
	d, err := label.New(label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &Compiler{Describer: d}
	topic, _, err := c.Compile(t.Context(), &plat.Crawl{Topic: "topics: [{id: birds, names: birds}]", Near: "wordnet,archive,/none/vectors.txt"})
	if err != nil {
		t.Fatal(err)
	}
	if got := topic.Terms(); len(got) != 1 || got[0] != "bird" {
		t.Errorf("terms %q", got)
	}
}
