package workers

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"plat/focus"
	"plat/storage"
)

// However long the URLs of a page are, its reading can be stored and decoded.
func TestReadingsFit(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute under the race detector, of one goroutine")
	}
	r := rand.New(rand.NewPCG(1, 2))
	noise := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"[r.IntN(64)])
		}
		return b.String()
	}
	terms := func(n int) (all []focus.Term) {
		for range n {
			all = append(all, focus.Term(r.Uint32()))
		}
		return all
	}
	for _, long := range []int{10, 1_000, 16_000} {
		p := &focus.Page{URL: "http://a.test/", Words: terms(20_000), Title: terms(60)}
		for i := range maxLinks {
			p.Headings = append(p.Headings, focus.Heading{Text: noise(100), Terms: terms(60)})
			p.Links = append(p.Links, focus.Link{URL: fmt.Sprint("http://a.test/", i, noise(long)), Text: noise(100), Terms: terms(24), Tip: terms(24), Heading: int32(i)})
		}
		b := encoded(p)
		got, err := focus.DecodePage(b)
		if err != nil || len(b) > storage.MaxCrawlReading || len(got.Links) < 100 {
			t.Fatalf("URLs of %d bytes: %d bytes, %v", long, len(b), err)
		}
		t.Logf("URLs of %d bytes: %d links, %d bytes", long, len(got.Links), len(b))
	}
}
