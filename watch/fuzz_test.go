package watch

import (
	"bytes"
	"compress/flate"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"plat/plat"
)

// deflated compresses JSON as MarshalBinary does.
func deflated(tb testing.TB, body string) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := w.Write([]byte(body)); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// FuzzLook examines one page and then a second page, both as they are and as a browser writes
// them. Examining the same page twice reports no items, all reported items are valid text, and
// a memory survives being written and read.
func FuzzLook(f *testing.F) {
	all := posts()
	for _, s := range shapes {
		f.Add(s.page(all, false), s.page(with(all[2:], 1, fresh), true))
	}
	f.Add("", "<ul><li><a href=/x>")
	f.Add("<plaintext><li>", "<svg><title><a href='//'>x</a></title></svg></p><table><tr><th>")
	f.Add("<base href='::'><a href='%zz'>\xff\x00</a>", "<article><h2>\xc3\x28 1.2.3</h2></article>")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, written := range []bool{false, true} {
			m := New()
			for _, src := range []string{a, b, a} {
				if written {
					doc, err := html.Parse(strings.NewReader(src))
					if err != nil {
						return
					}
					var w bytes.Buffer
					if err := html.Render(&w, doc); err != nil {
						return
					}
					src = w.String()
				}
				r, err := m.Look(raw(src), Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, it := range r.Items {
					if it.Title == "" || !utf8.ValidString(it.Title) || !utf8.ValidString(it.URL) || !utf8.ValidString(it.Excerpt) {
						t.Fatalf("an item %q <%q> %q", it.Title, it.URL, it.Excerpt)
					}
					if it.Kind == plat.ItemChanged && it.Was == "" {
						t.Fatalf("%q was nothing", it.Title)
					}
				}
				copied := memoryOf(t, bytesOf(t, m))
				if !bytes.Equal(bytesOf(t, copied), bytesOf(t, m)) || !reflect.DeepEqual(copied.seen, m.seen) {
					t.Fatal("a memory that was written and read is another")
				}
				if r, err = copied.Look(raw(src), Options{}); err != nil || len(r.Items) > 0 && r.Broken == "" {
					t.Fatalf("the same page tells %v, %v", r.Items, err)
				}
			}
		}
	})
}

// FuzzUnmarshal reads memories that plat did not write. A memory that is read without an error
// can be used.
func FuzzUnmarshal(f *testing.F) {
	m := New()
	page := pageOf(f, pageURL, shapes[0].page(posts(), false))
	look(f, m, page)
	f.Add(bytesOf(f, m))
	f.Add([]byte("{}"))
	f.Add(deflated(f, `{"Format":1,"Looks":-1,"Entries":-5,"Lists":[1,18446744073709551615,2],"Shapes":[0],"Titles":[""],"URLs":["\u0000"]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, deflated(t, string(b))} {
			m := New()
			if err := m.UnmarshalBinary(b); err != nil {
				continue
			}
			if _, err := m.Look(page, Options{}); err != nil {
				t.Fatal(err)
			}
			memoryOf(t, bytesOf(t, m))
		}
	})
}

func TestAMemoryIsBounded(t *testing.T) {
	for _, tc := range []struct{ name, body string }{
		{"a bomb", strings.Repeat(" ", 64<<20)},
		{"many marks", `{"Format":1,"Marks":"` + strings.Repeat("AAAA", (maxMarks+9)*markSize/3/4*4) + `"}`},
		{"many titles", `{"Format":1,"Titles":[` + strings.Repeat(`"",`, 1<<21) + `""]}`},
		{"many lists", `{"Format":1,"Lists":[` + strings.Repeat(`1,1,1,`, maxLists) + `1,1,1]}`},
		{"another length", `{"Format":1,"Titles":["a"],"URLs":["b"],"Shapes":[]}`},
		{"another length of marks", `{"Format":1,"Marks":"AAAA"}`},
		{"no format", `{}`},
		{"a later format", `{"Format":2}`},
		{"no JSON", `looks`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := deflated(t, tc.body)
			var before, after runtime.MemStats
			inTime(t, func() {
				runtime.ReadMemStats(&before)
				m := New()
				if err := m.UnmarshalBinary(b); err == nil {
					t.Fatal("it was read")
				}
				if !reflect.DeepEqual(m, New()) {
					t.Fatal("a part of it was read")
				}
			})
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 200<<20 {
				t.Errorf("allocates %d MB", got>>20)
			}
		})
	}
	m := New()
	if err := m.UnmarshalBinary(nil); err != nil || !reflect.DeepEqual(m, New()) {
		t.Errorf("no bytes are %v, %v", m, err)
	}
}

// TestWhatStandsOnThePageIsNotForgotten fills a memory beyond its limits.
func TestWhatStandsOnThePageIsNotForgotten(t *testing.T) {
	if race {
		t.Skip("slow")
	}
	rows := func(name string, n int) string {
		return `<table>` + counted(n, `<tr><td>`+name+` %d</td><td>x</td></tr>`) + `</table>`
	}
	m := New()
	stays := rows("stays", 100)
	for i := range 3 {
		page := raw(stays + rows(fmt.Sprint("goes", string(rune('a'+i)), " on"), 18_000))
		if _, err := m.Look(page, Options{}); err != nil {
			t.Fatal(err)
		}
		told, _ := look(t, memoryOf(t, bytesOf(t, m)), page)
		if len(told) > 0 {
			t.Fatalf("look %d tells %q", i, told[:min(len(told), 5)])
		}
	}
	if len(m.seen.marks) > maxMarks {
		t.Errorf("%d marks", len(m.seen.marks))
	}
}

func TestListsAreForgotten(t *testing.T) {
	m := New()
	for i := range 5 * maxAbsence {
		if _, err := m.Look(raw(fmt.Sprintf(`<ul class="%c%c"><li><a href="/a">alpha</a></li>`, 'a'+i/26, 'a'+i%26)+counted(8, `<li><a href="/%[1]d">title %[1]d</a></li>`)+"</ul>"), Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.lists) > maxAbsence+1 {
		t.Errorf("%d lists", len(m.lists))
	}
	for shape := range uint64(2 * maxLists) {
		m.lists[shape] = &track{last: m.looks}
	}
	if _, err := m.Look(raw("<ul>"+counted(8, `<li><a href="/%[1]d">title %[1]d</a></li>`)), Options{}); err != nil || len(m.lists) > maxLists {
		t.Errorf("%d lists, %v", len(m.lists), err)
	}
}
