package memento

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/web/memento/mementotest"
)

// seconds returns instants after the beginning of 2026; a negative number is no instant.
func seconds(all ...float64) (times []time.Time) {
	for _, s := range all {
		if s < 0 {
			times = append(times, time.Time{})
			continue
		}
		times = append(times, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(s*float64(time.Second))))
	}
	return times
}

func TestAListHasTheLastVersionOfEachSecond(t *testing.T) {
	m := NewList("http://a.test/", seconds(10, -1, 20.1, 20.9, 5, 20.5, 30))
	if !slices.Equal(m.N, []int{5, 1, 4, 7}) || !slices.Equal(m.Taken, seconds(5, 10, 20, 30)) {
		t.Errorf("versions %v of %v", m.N, m.Taken)
	}
	for s, want := range map[float64]int{0: 0, 5: 0, 7: 0, 7.5: 0, 7.9: 0, 8: 1, 10: 1, 14: 1, 15: 1, 16: 2, 20: 2, 24: 2, 25: 2, 26: 3, 30: 3, 99: 3} {
		if got := m.Near(seconds(s)[0]); got != want {
			t.Errorf("near %v s is %d, want %d", s, got, want)
		}
	}
	if got := m.Near(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)); got != 3 {
		t.Errorf("in the year 9999 it is %d", got)
	}
	if got := m.Near(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)); got != 0 {
		t.Errorf("in the year 1 it is %d", got)
	}
	for _, tc := range []struct {
		from, to float64
		want     int
	}{{0, 40, 3}, {10, 20, 2}, {10, 19, 1}, {11, 19, 2}, {11, 14, 1}, {20, 20, 2}, {21, 22, 2}, {0, 4, 0}, {31, 40, 3}, {30, 40, 3}} {
		times := seconds(tc.from, tc.to)
		if got := m.Within(times[0], times[1]); got != tc.want {
			t.Errorf("from %v to %v s it is %d, want %d", tc.from, tc.to, got, tc.want)
		}
	}
}

func TestLinksOfAMementoLeadToItsNeighbours(t *testing.T) {
	m := NewList("http://a.test/", seconds(1, 2, 3, 4, 5))
	at := func(s int) string { return fmt.Sprintf("http://h.test/web/2026010100000%d/http://a.test/", s) }
	for i, want := range []map[int]string{
		{1: "first memento", 2: "next memento", 5: "last memento"},
		{1: "first prev memento", 2: "memento", 3: "next memento", 5: "last memento"},
		{1: "first memento", 2: "prev memento", 3: "memento", 4: "next memento", 5: "last memento"},
		{1: "first memento", 3: "prev memento", 4: "memento", 5: "last next memento"},
		{1: "first memento", 4: "prev memento", 5: "last memento"},
	} {
		links := mementotest.Links(t, m.Links("http://h.test", i))
		if links["http://a.test/"] != `rel="original"` || links["http://h.test/timegate/http://a.test/"] != `rel="timegate"` ||
			links["http://h.test/timemap/link/http://a.test/"] != `rel="timemap"; type="application/link-format"` || len(links) != 3+len(want) {
			t.Errorf("links of %d: %v", i, links)
		}
		for s, rel := range want {
			if got := links[at(s)]; got != fmt.Sprintf(`rel="%s"; datetime="Thu, 01 Jan 2026 00:00:0%d GMT"`, rel, s) {
				t.Errorf("the link of %d to %d is %q, want %s", i, s, got, rel)
			}
		}
	}
	if links := mementotest.Links(t, NewList("http://a.test/", seconds(1)).Links("http://h.test", 0)); len(links) != 4 || links[at(1)] != `rel="first last memento"; datetime="Thu, 01 Jan 2026 00:00:01 GMT"` {
		t.Errorf("links of a single memento: %v", links)
	}
}

func TestPathsOfMementos(t *testing.T) {
	for path, want := range map[string][2]string{
		"2026/u": {"2026-01-01T00:00:00Z", "2026-12-31T23:59:59Z"}, "202602/u": {"2026-02-01T00:00:00Z", "2026-02-28T23:59:59Z"}, "20260203/u": {"2026-02-03T00:00:00Z", "2026-02-03T23:59:59Z"},
		"2026020304/u": {"2026-02-03T04:00:00Z", "2026-02-03T04:59:59Z"}, "202602030405/u": {"2026-02-03T04:05:00Z", "2026-02-03T04:05:59Z"}, "20260203040506/u": {"2026-02-03T04:05:06Z", "2026-02-03T04:05:06Z"},
	} {
		from, to, mod, url, err := Parse(path)
		if err != nil || from.Format(time.RFC3339) != want[0] || to.Format(time.RFC3339) != want[1] || mod != "" || url != "u" {
			t.Errorf("%s: %v to %v, %q, %q, %v", path, from, to, mod, url, err)
		}
	}
	for _, mod := range []string{"mp_", "id_"} {
		if _, _, got, url, err := Parse("2026" + mod + "/http://a.test/?b"); err != nil || got != mod || url != "http://a.test/?b" {
			t.Errorf("%s: %q, %q, %v", mod, got, url, err)
		}
	}
	for _, bad := range []string{"", "2026", "2026/", "202/u", "20261/u", "202613/u", "2026im_/u", "2026mp/u"} {
		if _, _, _, _, err := Parse(bad); err == nil {
			t.Errorf("%q is a path", bad)
		}
	}
	if _, _, _, _, err := Parse("2026im_/u"); err == nil || !strings.Contains(err.Error(), "unknown modifier im_;") {
		t.Errorf("an unknown modifier: %v", err)
	}
	if got := PathWith("u", seconds(1)[0].In(time.FixedZone("", 3600)), "id_"); got != "/web/20260101000001id_/u" {
		t.Errorf("a path is %s", got)
	}
	for rest, want := range map[string]string{"link/u": "link 1 u", "json/2/u": "json 2 u", "link/10/http://a.test/3": "link 10 http://a.test/3"} {
		format, part, url, err := ParseTimeMap(rest)
		if got := fmt.Sprint(format, " ", part, " ", url); err != nil || got != want {
			t.Errorf("%s is %s, %v", rest, got, err)
		}
	}
	for _, bad := range []string{"", "xml/u", "link/0/u", "link/1", "link/", "json/12345678/u"} {
		if format, part, url, err := ParseTimeMap(bad); err == nil {
			t.Errorf("%q is %s, %d, %s", bad, format, part, url)
		}
	}
	if d, err := ParseDatetime("Thu, 31 May 2007 20:35:00"); err != nil || d.Unix() != 1180643700 {
		t.Errorf("%v, %v", d, err)
	}
	if _, err := ParseDatetime("2007-05-31"); err == nil {
		t.Error("a date of ISO 8601 is read")
	}
}

func TestLinesOfATimemapSayWhichIsFirstAndLast(t *testing.T) {
	for n := 1; n <= 3; n++ {
		text := NewList("http://a.test/", seconds([]float64{1, 2, 3}[:n]...)).Text("http://h.test", 1, 1)
		var got []string
		for line := range strings.Lines(text) {
			if _, rel, ok := strings.Cut(line, `; rel="`); ok && strings.Contains(rel, "memento\"") {
				rel, _, _ = strings.Cut(rel, `"`)
				got = append(got, rel)
			}
		}
		if want := [][]string{{"first last memento"}, {"first memento", "last memento"}, {"first memento", "memento", "last memento"}}[n-1]; !slices.Equal(got, want) {
			t.Errorf("of %d versions: %q, want %q", n, got, want)
		}
	}
}
