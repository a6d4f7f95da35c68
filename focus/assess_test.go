package focus

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// An assessor knows what its crawl knew, also when it was encoded.
func TestAnAssessorDecidesAsItsCrawl(t *testing.T) {
	c := newCrawl(t, Options{Least: .4})
	for i := range 40 {
		words := "harbour pier ferry crane"
		if i%5 == 0 {
			words = "octopus squid tentacle harbour"
		}
		c.Add(fmt.Sprintf("https://h.test/%d", i), pageOf(fmt.Sprintf("https://h.test/%d", i), words+strings.Repeat(" once", i%2)+fmt.Sprintf(" page%c", 'a'+i)))
	}
	a := c.Assessor()
	if a.docs.pages != c.docs.pages || a.docs.in[TermOf("harbour")] != c.docs.in[TermOf("harbour")] || a.docs.in[TermOf("pagea")] != 0 || a.least != .4 {
		t.Errorf("it knows %d pages, %d terms", a.docs.pages, len(a.docs.in))
	}
	b, err := DecodeAssessor(a.Encode())
	if err != nil {
		t.Fatal(err)
	}
	belong := 0
	for _, words := range []string{"octopus squid mollusc", "octopus harbour pier", "harbour", "squid once", "", "unknown words"} {
		p := pageOf("https://h.test/new", words)
		want := c.topic.relevance(p.vector(), &a.docs)
		x, y := a.Assess(p), b.Assess(p)
		if x.Relevance != want || x.Belongs != (want >= .4) || x != y {
			t.Errorf("%q: %+v, %+v decoded, relevance %v", words, x, y, want)
		}
		if x.Belongs {
			belong++
		}
	}
	if belong == 0 || belong == 6 {
		t.Errorf("%d of 6 pages belong", belong)
	}
	enc := a.Encode()
	for n := range enc {
		if _, err := DecodeAssessor(enc[:n]); !errors.Is(err, ErrReading) {
			t.Errorf("of %d bytes the first %d: %v", len(enc), n, err)
		}
	}
	for name, change := range map[string]func(a *Assessor){"no number": func(a *Assessor) { a.least = math.NaN() }, "an infinite one": func(a *Assessor) { a.topic.odds.half = math.Inf(1) }} {
		bad := *a
		topic := *a.topic
		bad.topic = &topic
		change(&bad)
		if _, err := DecodeAssessor(bad.Encode()); !errors.Is(err, ErrReading) {
			t.Errorf("%s: %v", name, err)
		}
	}
	big := *a
	big.docs.in = map[Term]int32{1: math.MaxInt32, 2: 0}
	if got, err := DecodeAssessor(big.Encode()); err != nil || got.docs.in[1] != math.MaxInt32 || len(got.docs.in) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	for i := range Term(20_010) {
		c.docs.in[i] = 2
	}
	c.docs.in[20_009] = 9
	if a := c.Assessor(); len(a.docs.in) != 20_000 || a.docs.in[20_009] != 9 || a.docs.in[0] != 2 || a.docs.in[20_008] != 0 {
		t.Errorf("%d terms are kept", len(a.docs.in))
	}
}

func TestResultsMayBeGiven(t *testing.T) {
	c := newCrawl(t, Options{})
	for i := range 30 {
		c.AddAs(fmt.Sprintf("https://h.test/%d", i), pageOf(fmt.Sprintf("https://h.test/%d", i), "octopus"), Result{1, true})
	}
	if c.docs.pages != 30 || c.Counts().Belong != 30 {
		t.Errorf("%d pages count, %d belong", c.docs.pages, c.Counts().Belong)
	}
	c.AddAs("https://h.test/30", pageOf("https://h.test/30", "octopus"), Result{1, true})
	if c.docs.pages != 30 {
		t.Error("later, a page of the topic counts")
	}
	c.AddAs("https://h.test/31", pageOf("https://h.test/31", "octopus"), Result{.1, false})
	c.AddAs("https://h.test/31", pageOf("https://h.test/31", "octopus"), Result{1, true})
	if c.docs.pages != 31 || c.Counts().Pages != 32 || c.Counts().Belong != 31 {
		t.Errorf("%d pages count; %+v", c.docs.pages, c.Counts())
	}
	w := c.Why("https://h.test/31")
	if w.State != "visited" || w.Belongs || math.Abs(w.Relevance-.1) > 1e-6 {
		t.Errorf("%+v", w)
	}
	words := c.WordsOf(pageOf("u", "octopus squid squid harbour"))
	if len(words) != 2 || words[0].Name != "squid" || words[0].Value != 2 || words[1].Name != "octopus" || words[0].Counts <= words[1].Counts || words[1].Counts < 0 {
		t.Errorf("words %+v", words)
	}
	page := c.topic.cosine(pageOf("u", "octopus squid squid harbour").vector(), &c.docs)
	if sum := words[0].Counts + words[1].Counts; math.Abs(sum-page) > 1e-9 {
		t.Errorf("they count %v of %v", sum, page)
	}
}
