package sorted

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// fill returns a set with several values for each third key, each text twice, and those texts in order.
func fill(t *testing.T, chunk, n int) (*Set, []string) {
	t.Helper()
	s := newSet(t.Context(), chunk, "")
	t.Cleanup(s.Close)
	texts := map[string]bool{}
	for i := range n {
		for v := range 1 + i%3 {
			texts[fmt.Sprintf("key %05d\x00value %d", i, v)] = true
		}
	}
	all := slices.Sorted(maps.Keys(texts))
	r := rand.New(rand.NewPCG(1, 2))
	mixed := slices.Concat(all, all)
	r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	for _, text := range mixed {
		s.Add(text[:9], text[10:])
	}
	return s, all
}

// However many chunks there are, each text is read once, in order.
func TestTextsAreReadInOrder(t *testing.T) {
	for _, chunk := range []int{3, 100, 100_000} {
		s, want := fill(t, chunk, 500)
		r := s.Read()
		var got []string
		for key, value := range r.All() {
			got = append(got, key+"\x00"+value)
		}
		if err := r.End(nil); err != nil || !slices.Equal(got, want) {
			t.Errorf("chunks of %d: %d texts, %v; want %d", chunk, len(got), err, len(want))
		}
	}
}

func TestAReaderWalksBesideOtherKeys(t *testing.T) {
	s, _ := fill(t, 50, 100)
	r := s.Read()
	defer r.Close()
	var passed, of []string
	to := func(key string) int {
		n, err := r.To(key, func(key, value string) { passed = append(passed, key+" "+value) }, func(_, value string) { of = append(of, value) })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := to("key 00002"); n != 3 || !slices.Equal(of, []string{"value 0", "value 1", "value 2"}) || !slices.Equal(passed, []string{"key 00000 value 0", "key 00001 value 0"}) {
		t.Errorf("%d values %q, passed %q", n, of, passed)
	}
	if n := to("key 00002 and more"); n != 0 {
		t.Errorf("a key that is not there has %d values", n)
	}
	if passed = nil; to("key 00005") != 3 || len(passed) != 2 {
		t.Errorf("passed %q", passed)
	}
	passed = nil
	if err := r.End(func(key, _ string) { passed = append(passed, key) }); err != nil || len(passed) != 94 {
		t.Errorf("the rest has %d keys, %v; want 94", len(passed), err)
	}
}

func TestAnEmptySet(t *testing.T) {
	s := New(t.Context())
	if r := s.Read(); r.End(func(string, string) { t.Error("it has a text") }) != nil {
		t.Error("it cannot be read")
	}
}

// A disk without room is an error, and nothing waits for it.
func TestTemporaryFilesCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSet(t.Context(), 10, file)
	for i := range 100_000 {
		s.Add(fmt.Sprint(i), "")
	}
	if err := s.Read().End(nil); err == nil {
		t.Error("no error")
	}
}

func BenchmarkSet(b *testing.B) {
	for b.Loop() {
		s := New(b.Context())
		for i := range 200_000 {
			s.Add(fmt.Sprintf("%064x", uint64(i)*0x9e3779b97f4a7c15), "version 1 of https://a.test/")
		}
		if err := s.Read().End(nil); err != nil {
			b.Fatal(err)
		}
	}
}
