//go:build !race

// With a browser, one visit follows another: the race detector has nothing to find here, and need not
// build the browser.

package workers_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/diff/noise"
	"plat/fixtures"
	"plat/plat"
	"plat/workers"
)

// hard are noises that are counted as news now and then: docs/noise.md says so.
var hard = map[string]bool{
	"testimonials":     true, // some of many, by their lengths in one block or in several
	"clock, by script": true, // ahead by the time that the browser lends its pages
}

// Self-changes are no news, neither at first nor later.
func TestWhatPagesDoByThemselvesIsNoNews(t *testing.T) {
	visits := 3 + 4/fixtures.OneIn(4) // 7 of all pages with PLAT_LONG=1
	slow(t)
	var mu sync.Mutex
	var second, later, ofHard, looks, versions, all int
	var text, noDigits, lines, unique [2]int // reports of simpler monitors: at the second visit, later
	t.Run("pages", func(t *testing.T) {
		for i, name := range slices.Sorted(maps.Keys(noises)) {
			if i%fixtures.OneIn(9) != 0 {
				continue
			}
			make := noises[name]
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				l := newLooker(t, noise.New, &notice{seed: uint64(len(name) + 1000*other), noise: make, part: "<p>Nothing else changes.</p>"})
				l.visit()
				for n := 2; n <= visits; n++ {
					time.Sleep(time.Second)
					news, r := l.visit()
					mu.Lock()
					if news != "" && n == 2 {
						second++
						t.Logf("%s, visit 2: %s", name, news)
					} else if news != "" {
						if hard[name] {
							ofHard++
						} else {
							later++
						}
						t.Logf("%s, visit %d: %s; by itself %v, %d more looks", name, n, news, r.SelfChanges, r.Looks)
					}
					for of, reports := range map[*[2]int]bool{&text: l.others.text, &noDigits: l.others.noDigits, &lines: l.others.lines, &unique: l.others.unique} {
						if reports {
							of[min(n-2, 1)]++
						}
					}
					looks += r.Looks
					if r.Stored {
						versions++
					}
					if n == 2 {
						all++
					}
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d pages, %d visits each after the first: false alarms at the second %d, later %d, and %d of the kind that docs/noise.md names; %d second looks, %d versions", all, visits-1, second, later, ofHard, looks, versions)
	t.Logf("on the same visits a hash of the text reports %d at the second and %d later, one of the text without digits %d and %d", text[0], text[1], noDigits[0], noDigits[1])
	t.Logf("changedetection.io's way reports %d and %d, and %d and %d if only lines count that it has never seen", lines[0], lines[1], unique[0], unique[1])
	if second > max(1, 3*all/100) || later > 0 {
		t.Errorf("%d false alarms at the second visit, %d later", second, later)
	}
}

// The mask of a URL may be damaged, or of a different version of plat: it is learned again
// from the versions, and changes by an author are news meanwhile.
func TestWhatWasLearnedIsDamaged(t *testing.T) {
	slow(t)
	for name, damage := range map[string]func(string) string{
		"no mask":       func(string) string { return "no mask" },
		"a format once": func(s string) string { return "\x01" + s[1:] },
		"half":          func(s string) string { return s[:len(s)-3] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLooker(t, noise.New, &notice{seed: 3, noise: noises["view counter"], part: truths["stock"][0]})
			for range 3 {
				l.visit()
			}
			state, err := l.store.State(t.Context(), l.page.URL+"/")
			if err != nil {
				t.Fatal(err)
			}
			memory, err := plat.DecodeMemory(state.Memory)
			if err != nil || memory.Noise == "" {
				t.Fatalf("nothing was learned: %v", err)
			}
			memory.Noise = damage(memory.Noise)
			if _, err := noise.DecodeMask(memory.Noise); err == nil {
				t.Fatal("it is not damaged")
			}
			v := plat.Visit{URL: state.URL, Time: time.Now(), Outcome: plat.OutcomeUnchanged, Version: state.Head, Memory: memory.Encode()}
			if err := l.store.Record(t.Context(), v, 0); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond) // visits of one instant are one
			if news, r := l.visit(); news != "" || r.Looks != 0 {
				t.Errorf("%s is news after %d second looks: nothing was learned anew", news, r.Looks)
			}
			l.page.mu.Lock()
			l.page.part = truths["stock"][1]
			l.page.mu.Unlock()
			if news, r := l.visit(); news != "1 content" {
				t.Errorf("stock 1 → 0: %q is news, %+v", news, r)
			}
		})
	}
}

// Versions of proven self-changes are stored only with the option KeepNoise, and they are no
// news.
func TestNoiseIsKeptIfAskedFor(t *testing.T) {
	slow(t)
	for keep, stored := range map[bool]int{false: 3, true: 4} {
		l := newLookerWith(t, workers.Options{News: workers.News{SecondLook: noise.New, KeepNoise: keep}}, &notice{seed: 3, noise: noises["view counter"], part: truths["stock"][0]})
		for range 4 {
			if news, r := l.visit(); news != "" && r.Version > 1 {
				t.Errorf("keep %v: %s is news", keep, news)
			}
		}
		v, err := l.store.Version(t.Context(), l.page.URL+"/", 0)
		if err != nil || v.N != stored {
			t.Fatalf("keep %v: %d versions, want %d: %v", keep, v.N, stored, err)
		}
		if keep && (v.News() || plat.SuppressedKinds(v.SelfChanges)[plat.Content] != 1) {
			t.Errorf("changes %v, by itself %+v", v.Changes, v.SelfChanges)
		}
		l.page.mu.Lock()
		l.page.part = truths["stock"][1]
		l.page.mu.Unlock()
		if news, _ := l.visit(); news != "1 content" {
			t.Errorf("keep %v: %q is news", keep, news)
		}
	}
}

// leastTheirs is the least percentage of the words marked beside a true change that are a part of
// it, in any order in which the pages show their variants and quotes.
const leastTheirs = 90

// Changes by an author are news, beside noise of all kinds, at once and after some visits.
func TestWhatSomebodyChangesIsNewsBesideNoise(t *testing.T) {
	slow(t)
	var mu sync.Mutex
	missed, all := 0, 0
	var text, noDigits, lines, unique int // changes that simpler monitors miss
	var marked, right int                 // words
	var byLine, rightByLine int           // words of the lines that changedetection.io shows
	kinds := slices.Sorted(maps.Keys(noises))
	t.Run("pages", func(t *testing.T) {
		i := 11 * other
		for n, name := range slices.Sorted(maps.Keys(truths)) {
			c := truths[name]
			i++
			if (n+1)%fixtures.OneIn(9) != 0 {
				continue
			}
			for k := range 4 {
				learned, same := 3*(k%2), k >= 2 && strings.HasPrefix(c[0], "<p>")
				beside := kinds[(7*i+3*k)%len(kinds)]
				for same && !strings.Contains(noises[beside](moment{r: rand.New(rand.NewPCG(1, 2)), at: battery}), "<p>") {
					i++
					beside = kinds[(7*i+3*k)%len(kinds)]
				}
				t.Run(fmt.Sprintf("%s with %s after %d, same block %v", name, beside, learned, same), func(t *testing.T) {
					t.Parallel()
					p := &notice{seed: uint64(i + 1000*other), noise: noises[beside], part: c[0], same: same}
					l := newLooker(t, noise.New, p)
					l.visit()
					for range learned {
						time.Sleep(300 * time.Millisecond)
						l.visit()
					}
					p.mu.Lock()
					p.part = c[1]
					p.mu.Unlock()
					time.Sleep(300 * time.Millisecond)
					news, r := l.visit()
					mu.Lock()
					defer mu.Unlock()
					for of, reports := range map[*int]bool{&text: l.others.text, &noDigits: l.others.noDigits, &lines: l.others.lines, &unique: l.others.unique} {
						if !reports {
							*of++
						}
					}
					if all++; news == "" || !r.Stored {
						missed++
						t.Errorf("missed: %+v", r)
						return
					}
					m, n, k, o := l.marks(r.Version, c[0], c[1])
					marked, right, byLine, rightByLine = marked+m, right+n, byLine+k, rightByLine+o
				})
			}
		}
	})
	t.Logf("%d true changes, %d missed; a hash of the text misses %d, one without digits %d, changedetection.io's way %d, and %d if only lines count that it has never seen", all, missed, text, noDigits, lines, unique)
	t.Logf("%d words are marked, and %d of these are theirs (%.1f %%)", marked, right, 100*float64(right)/float64(max(1, marked)))
	t.Logf("of %d words in the lines that changedetection.io shows %d are theirs (%.1f %%)", byLine, rightByLine, 100*float64(rightByLine)/float64(max(1, byLine)))
	if 100*right < leastTheirs*marked {
		t.Errorf("%d of %d words that are marked are theirs", right, marked)
	}
}

// However often a page is rendered, each version has one picture at most, and every stored picture
// belongs to a version.
func TestAVersionHasOnePictureAtMost(t *testing.T) {
	l := newLookerWith(t, workers.Options{News: workers.News{SecondLook: noise.Always}, Capture: workers.Capture{Pictures: true}}, &notice{seed: 5, noise: noises["view counter"], part: truths["stock"][0]})
	looks := 0
	for range 4 {
		_, r := l.visit()
		looks += r.Looks
	}
	got, err := l.store.Verify(t.Context(), nil)
	if err != nil || looks == 0 || got.Pictures == 0 || got.Pictures > got.Versions || got.Unreferenced > 0 || got.BrokenTotal > 0 {
		t.Errorf("after %d more looks: %+v, %v; want one picture a version at most, and no other", looks, got, err)
	}
}
