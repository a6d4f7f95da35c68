package watch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"plat/fixtures"
)

// dictionary holds the words of the titles.
var dictionary = strings.Fields("amber basin cedar delta ember fjord grove heath inlet jetty knoll ledge marsh notch orbit perch quarry ridge shoal tower upland vale weir yard zenith")

// randomPost returns a post that differs from all previous ones.
func randomPost(r *rand.Rand, n int) post {
	var words []string
	for range 3 + r.IntN(4) {
		words = append(words, dictionary[r.IntN(len(dictionary))])
	}
	// The last word is unique to this title, and is not a number, which might be a counter.
	id := ""
	for k := n; k >= 0; k = k/26 - 1 {
		id = string(rune('a'+k%26)) + id
	}
	title := strings.Join(words, " ") + " item" + id
	return post{title, fmt.Sprintf("/p/%d", n), fmt.Sprintf("2026-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28)), "About " + title}
}

// TestWhatIsToldIsTheTruth edits random lists in random ways, and compares the report with the
// edits.
func TestWhatIsToldIsTheTruth(t *testing.T) {
	for seed := range 40 / fixtures.OneIn(5) {
		for _, s := range shapes {
			if s.title != nil {
				continue
			}
			r := rand.New(rand.NewPCG(uint64(seed), 7))
			made := 0
			next := func() post { made++; return randomPost(r, made-1) }
			var now, gone []post
			for range 8 + r.IntN(12) {
				now = append(now, next())
			}
			m, redesign := New(), false
			look(t, m, pageOf(t, pageURL, s.page(now, false)))
			for n := range 8 {
				var want []string
				for range r.IntN(4) {
					p := next()
					want = append(want, s.told("new", p))
					now = slices.Insert(now, r.IntN(len(now)+1), p)
				}
				for range r.IntN(3) {
					i := r.IntN(len(now))
					if !slices.Contains(want, s.told("new", now[i])) {
						gone = append(gone, now[i])
						now = slices.Delete(now, i, i+1)
					}
				}
				if len(gone) > 0 && r.IntN(3) == 0 {
					i := r.IntN(len(gone))
					now = slices.Insert(now, r.IntN(len(now)+1), gone[i])
					gone = slices.Delete(gone, i, i+1)
				}
				switch r.IntN(4) {
				case 0:
					r.Shuffle(len(now), func(i, j int) { now[i], now[j] = now[j], now[i] })
				case 1:
					redesign = !redesign
				}
				page := pageOf(t, pageURL, s.page(now, redesign))
				again := memoryOf(t, bytesOf(t, m))
				told, broken := look(t, m, page)
				if copied, b := look(t, again, page); !slices.Equal(told, copied) || b != broken {
					t.Fatalf("%s, seed %d, look %d: told %q, after a round trip %q", s.name, seed, n, told, copied)
				}
				var got []string
				for _, line := range told {
					if strings.HasPrefix(line, "new ") {
						got = append(got, line)
					}
					if strings.HasPrefix(line, "changed ") {
						t.Fatalf("%s, seed %d, look %d: nothing changed, but %q", s.name, seed, n, line)
					}
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) || broken != "" {
					t.Fatalf("%s, seed %d, look %d: told\n%s\nwant\n%s\nbroken %q", s.name, seed, n, strings.Join(got, "\n"), strings.Join(want, "\n"), broken)
				}
				if told, _ := look(t, m, page); len(told) > 0 {
					t.Fatalf("%s, seed %d, look %d: the same page tells %q", s.name, seed, n, told)
				}
			}
		}
	}
}

// TestEveryAlignmentReportsTheSame enumerates all longest common subsequences of short
// sequences, as Zhou and Guo do, and drops the alignments that insert an element of old.
func TestEveryAlignmentReportsTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	some := func() []uint64 {
		out := make([]uint64, r.IntN(8))
		for i := range out {
			out[i] = 1 + r.Uint64N(6)
		}
		return out
	}
	left := 0
	for range 5000 {
		old, now := some(), some()
		want := inserted(old, now, true)
		kept := 0
		for _, matched := range alignments(old, now) {
			var in []int
			news := true
			for i := range now {
				if !slices.Contains(matched, i) {
					in = append(in, i)
					news = news && !slices.Contains(old, now[i])
				}
			}
			if !news {
				continue
			}
			kept++
			if !slices.Equal(in, want) {
				t.Fatalf("old %d, now %d: an alignment inserts %d, inserted says %d", old, now, in, want)
			}
		}
		if kept > 0 {
			left++
		}
	}
	if left < 500 {
		t.Fatalf("only %d pairs have an alignment that is kept", left)
	}
}

// alignments returns, for every longest common subsequence and every place where it occurs, the
// indexes of now that match.
func alignments(old, now []uint64) [][]int {
	best, out := 0, map[string][]int{}
	var try func(a, b int, matched []int)
	try = func(a, b int, matched []int) {
		if len(matched) > best {
			best = len(matched)
			clear(out)
		}
		if len(matched) == best {
			out[fmt.Sprint(matched)] = slices.Clone(matched)
		}
		for i := b; i < len(now); i++ {
			// The first match in old leaves most room for the following matches.
			if k := slices.Index(old[a:], now[i]); k >= 0 {
				try(a+k+1, i+1, append(matched, i))
			}
		}
	}
	try(0, 0, nil)
	var all [][]int
	for _, m := range out {
		all = append(all, m)
	}
	return all
}
