package watch

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"plat/plat"
	"plat/plat/calendar"
	"plat/storage"
)

// A page that fills its memory to every limit is still stored and read. Otherwise nothing could
// be found on it any more.
func TestTheLargestMemoryIsStoredAndRead(t *testing.T) {
	for name, letter := range map[string]func(*rand.Rand) byte{
		"cannot be compressed": func(r *rand.Rand) byte { return byte(33 + r.IntN(94)) },
		"is escaped":           func(*rand.Rand) byte { return 1 },
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			m := New()
			for range maxMarks {
				m.seen.add(mark{url: r.Uint64(), title: r.Uint64(), version: r.Uint64(), product: r.Uint64(),
					date: calendar.Day{Year: 1900 + r.IntN(200), Month: 1 + r.IntN(12), Day: 1 + r.IntN(28)}})
				m.lines = append(m.lines, r.Uint64())
			}
			for range maxLists {
				m.lists[r.Uint64()] = &track{r.IntN(100_000), r.IntN(3)}
			}
			for range maxDates {
				m.dates = append(m.dates, r.Uint64())
			}
			for range maxLeaves {
				m.leaves = append(m.leaves, r.Int32())
			}
			title := make([]byte, maxLast/maxEntries)
			for range maxEntries {
				for k := range title {
					title[k] = letter(r)
				}
				m.last = append(m.last, past{shape: r.Uint64(), title: string(title)})
			}
			b := bytesOf(t, m)
			if len(b) > storage.MaxPageMemory {
				t.Errorf("a memory has %d bytes, and %d are stored", len(b), storage.MaxPageMemory)
			}
			memoryOf(t, b)
		})
	}
}

// Lines beyond the limit of the memory are never reported, instead of at every check.
func TestTextBeyondWhatIsRememberedIsNotToldAgain(t *testing.T) {
	var b strings.Builder
	for i := range maxMarks + 100 {
		fmt.Fprintf(&b, "words of %s\n", strings.Map(func(r rune) rune { return r + 'a' - '0' }, strconv.Itoa(i)))
	}
	m := New()
	for i := range 3 {
		p := &Page{URL: pageURL, Layout: &plat.Layout{HTML: []byte("<body></body>"), Slots: []int32{6}}, Blocks: []plat.Block{
			{Parent: -1, Slot: -1, Run: 1, Lineage: 1},
			{Run: 1, Path: []int32{0}, Level: 1, Tag: "main", Lineage: 2, Content: []byte("<main>words</main>"), Text: b.String()},
		}}
		r, err := m.Look(p, Options{Text: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range r.Items {
			if it.Kind == plat.ItemText {
				t.Errorf("look %d tells of %.100q", i+1, it.Excerpt)
			}
		}
	}
}
