package focus

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
)

// someReading makes a page with all fields at random.
func someReading(rng *rand.Rand) *Page {
	terms := func(n int) []Term {
		var out []Term
		for range rng.IntN(n) {
			out = append(out, Term(rng.Uint32()))
		}
		return out
	}
	p := &Page{URL: "https://a.test/é", Title: terms(5), Words: terms(200)}
	at := 0
	for at < len(p.Words) && rng.IntN(4) > 0 {
		first := at + rng.IntN(len(p.Words)-at)
		end := first + rng.IntN(len(p.Words)-first+1)
		p.Menus = append(p.Menus, Span{int32(first), int32(end)})
		at = end
	}
	for range rng.IntN(4) {
		p.Headings = append(p.Headings, Heading{Text: "heading", Terms: terms(4)})
	}
	for range rng.IntN(20) {
		first := rng.IntN(len(p.Words) + 1)
		l := Link{URL: "https://b.test/", Text: "text", At: Span{int32(first), int32(first + rng.IntN(len(p.Words)-first+1))},
			Terms: terms(3), Tip: terms(6), Heading: int32(rng.IntN(len(p.Headings)+1)) - 1, Path: rng.Uint32(), Menu: rng.IntN(2) == 0}
		p.Links = append(p.Links, l)
	}
	return p
}

func TestAReadingIsReadAsItWasWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		p := someReading(rng)
		b := p.Encode()
		got, err := DecodePage(b)
		if err != nil || !reflect.DeepEqual(got, p) {
			t.Fatalf("%v\n%+v, want\n%+v", err, got, p)
		}
		if _, err := DecodePage(b[:len(b)-1]); !errors.Is(err, ErrReading) {
			t.Fatalf("a reading that was cut off: %v", err)
		}
	}
	for _, b := range [][]byte{nil, {2}, {readingVersion}, {readingVersion, 1, 2, 3}} {
		if _, err := DecodePage(b); !errors.Is(err, ErrReading) {
			t.Errorf("%v: %v", b, err)
		}
	}
}

func FuzzDecodePage(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		f.Add(someReading(rng).Encode()[1:])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := DecodePage(append([]byte{readingVersion}, b...))
		if err != nil {
			return
		}
		// Whatever was read is safe to use.
		topic, err := NewTopic([]Text{{Stems: []string{"word"}, Weight: 1}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(topic, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c.Add("https://a.test/", p)
		again, err := DecodePage(p.Encode())
		if err != nil || !reflect.DeepEqual(p, again) {
			t.Fatalf("%v: %+v, then %+v", err, p, again)
		}
	})
}
