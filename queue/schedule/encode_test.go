package schedule

import (
	"errors"
	"math/rand/v2"
	"testing"

	"plat/plat"
)

// A decoded model gives the same answers as the encoded one.
func TestEncode(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	m := &Model{Burst: &Burst{}}
	for i := range 200 {
		m.Visit(r.ExpFloat64()*float64(1+i%7), r.IntN(3) == 0)
		text := m.Encode()
		if len(text) > MaxModel || len(text) > plat.MaxPolicyMemory {
			t.Fatalf("%d bytes", len(text))
		}
		back, err := DecodeModel(text)
		if err != nil {
			t.Fatal(err)
		}
		for policy, worth := range worths {
			if got, want := worth(back, 2.5), worth(m, 2.5); !near(got, want) {
				t.Fatalf("after %d visits %s says %v, before %v", i, policy, got, want)
			}
		}
		if again := back.Encode(); again != text {
			t.Fatalf("another text: %q, %q", text, again)
		}
		for _, damaged := range []string{text[:len(text)-1], text + "x", "\x03" + text[1:]} {
			if _, err := DecodeModel(damaged); !errors.Is(err, plat.ErrCorrupt) {
				t.Fatalf("%q: %v", damaged, err)
			}
		}
	}
	if m, err := DecodeModel(""); err != nil || m.Visits != 0 {
		t.Error(m, err)
	}
}

func FuzzDecodeModel(f *testing.F) {
	m := &Model{Burst: &Burst{}}
	for i := range 60 {
		m.Visit(1, i%2 == 0)
	}
	f.Add(m.Encode())
	f.Fuzz(func(t *testing.T, text string) {
		m, err := DecodeModel(text)
		if err != nil {
			return
		}
		for policy, worth := range worths {
			if w := worth(m, 3); w != w {
				t.Fatalf("%s says %v", policy, w)
			}
		}
		m.Visit(1, true)
	})
}
