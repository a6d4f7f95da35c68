package memento

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"plat/web/memento/mementotest"
)

const (
	asked = "http://a.test/p//q?u=http://b.test/%2F&x="
	here  = "http://example.com"
)

func TestALongTimemapIsSplitIntoLinkedParts(t *testing.T) {
	times := make([]time.Time, 2*PerPart+1)
	for i := range times {
		times[i] = time.Date(2020, 1, 1, i, 0, 0, 0, time.UTC)
	}
	m := NewList(asked, times)
	if m.Parts() != 3 {
		t.Errorf("it has %d parts", m.Parts())
	}
	seen := map[string]bool{}
	for part := 1; part <= 3; part++ {
		text := m.Text(here, part, 3)
		maps := 0
		for target, params := range mementotest.Links(t, text) {
			switch {
			case strings.Contains(params, `memento"`):
				seen[target] = true
			case strings.HasPrefix(params, `rel="timemap"`):
				maps++
			}
		}
		if maps != 2 {
			t.Errorf("part %d names %d others", part, maps)
		}
		if info := m.JSON(here, part, 3); len(info.Index) != 3 || info.Index[part-1].URI != info.Self {
			t.Errorf("part %d in JSON: %+v", part, info.Index)
		}
	}
	if len(seen) != 2*PerPart+1 {
		t.Errorf("the parts list %d mementos", len(seen))
	}
	first := mementotest.Links(t, m.Text(here, 1, 3))
	if p := first[here+"/timemap/link/3/"+asked]; p != `rel="timemap"; type="application/link-format"; from="`+m.Taken[2000].Format(http.TimeFormat)+`"; until="`+m.Taken[2000].Format(http.TimeFormat)+`"` {
		t.Errorf("the third part is %s", p)
	}
}

// Round trip: PathWith writes what Parse accepts.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"20140126200804/" + asked, "2014mp_/http://a.test/", "20140229/x", "00010101000000id_/y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, rest string) {
		from, to, mod, u, err := Parse(rest)
		if err != nil {
			return
		}
		if to.Before(from) || to.Year() != from.Year() {
			t.Fatalf("%q is from %v to %v", rest, from, to)
		}
		again, end, mod2, u2, err := Parse(strings.TrimPrefix(PathWith(u, to, mod), "/web/"))
		if err != nil || !again.Equal(to) || !end.Equal(to) || mod2 != mod || u2 != u {
			t.Fatalf("%q is of %v %q %q, and then of %v %q %q, %v", rest, to, mod, u, again, mod2, u2, err)
		}
	})
}
