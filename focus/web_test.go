package focus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// anchorOf is a link of a made page: its URL, and its text.
type anchorOf struct{ to, text string }

// pageOf makes a page of words; the texts of its links come after them.
func pageOf(url, words string, links ...anchorOf) *Page {
	p := &Page{URL: url}
	add := func(text string) Span {
		first := int32(len(p.Words))
		for _, w := range strings.Fields(text) {
			p.Words = append(p.Words, TermOf(w))
		}
		return Span{first, int32(len(p.Words))}
	}
	add(words)
	for _, l := range links {
		k := Link{URL: l.to, Text: l.text, Heading: -1, Path: uint32(len(l.text) % 3), At: add(l.text)}
		urlWords(l.to, func(w string) bool { k.Tip = append(k.Tip, TermOf(w)); return true })
		p.Links = append(p.Links, k)
	}
	return p
}

// seaWords describe the topic of the tests.
const seaWords = "octopus squid cuttlefish nautilus tentacle mollusc cephalopod beak sucker mantle"

func seaTopic(t testing.TB) *Topic {
	t.Helper()
	topic, err := NewTopic([]Text{{Stems: strings.Fields(seaWords), Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return topic
}

// prose returns n words by Zipf's law, a share of them on the topic.
func prose(rng *rand.Rand, n int, share float64) string {
	topic := strings.Fields(seaWords)
	var b strings.Builder
	for range n {
		if rng.Float64() < share {
			b.WriteString(topic[rng.IntN(len(topic))])
		} else {
			fmt.Fprintf(&b, "w%d", int(math.Exp(rng.Float64()*math.Log(5_000))))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// web is a simulated web: it returns the page at a URL, nil if absent. It is the same at each
// call.
type web func(u string) *Page

// rngOf returns a random generator seeded by a URL.
func rngOf(u string) *rand.Rand { return rand.New(rand.NewPCG(uint64(TermOf(u)), uint64(len(u)))) }

// crawl runs a crawl over a web until it is done, and returns the URLs in the order of their visits.
func crawl(t testing.TB, c *Crawl, w web) []string {
	t.Helper()
	var visited []string
	for {
		a, ok := c.Next(nil)
		if !ok {
			return visited
		}
		p := w(a.URL)
		if p == nil {
			c.Miss(a.URL)
			continue
		}
		c.Add(a.URL, p)
		visited = append(visited, a.URL)
	}
}

func newCrawl(t testing.TB, o Options) *Crawl {
	t.Helper()
	c, err := New(seaTopic(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
