package draw

import (
	"strings"
	"testing"
	"time"
)

func TestVisitsHaveAMarkEachInTheirLane(t *testing.T) {
	noon := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	lanes := func() []Lane { return []Lane{{Name: "news"}, {Name: "nothing"}} }
	visits := []VisitMark{
		{Time: noon.AddDate(0, 0, -10), Lane: 0, Name: "new", Href: "#1"},
		{Time: noon.Add(-2 * time.Second), Lane: 0, Name: "changed", Href: "#2"},
		{Time: noon.Add(-time.Second), Lane: 0, Name: "changed", Href: "#3"},
		{Time: noon, Lane: 1, Name: "unchanged"},
	}
	v := NewVisits(visits, lanes(), noon.AddDate(0, 0, 10), noon.AddDate(0, 0, 15))
	news, nothing := v.Lanes[0], v.Lanes[1]
	if news.N != 3 || len(news.Marks) != 2 || nothing.N != 1 || len(nothing.Marks) != 1 {
		t.Fatalf("the lanes are %+v", v.Lanes)
	}
	if m := news.Marks[0]; m.X != 1 || m.Name != "2026-01-21 12:00:00: new" || m.Href != "#1" || !m.First {
		t.Errorf("the first mark is %+v", m)
	}
	if m := news.Marks[1]; m.Name != "news: 2 visits up to 2026-01-31 11:59:59" || m.Href != "#3" || m.First {
		t.Errorf("two visits within a second are %+v", m)
	}
	if x := nothing.Marks[0].X; x != 1+98*10.0/25 || v.Now != 1+98*20.0/25 || v.Next != 99 || v.Now+v.Future != 100 {
		t.Errorf("at %v; now %v, next %v, future %v", x, v.Now, v.Next, v.Future)
	}
	if v.Name != "4 visits from 2026-01-21 12:00:00 to 2026-01-31 12:00:00; news: 3; nothing: 1" {
		t.Error(v.Name)
	}
	var dates []string
	for _, d := range v.Dates {
		dates = append(dates, d.Text)
	}
	if got := strings.Join(dates, " "); got != "2026-01-21 2026-01-27 2026-02-03 2026-02-09 2026-02-15" {
		t.Error(got)
	}

	// A next visit that is far off, or missing, is not drawn. A due visit is drawn at now.
	for _, next := range []time.Time{noon.AddDate(1, 0, 0), {}} {
		if v := NewVisits(visits, lanes(), noon, next); v.Next != 0 || v.Now != 99 {
			t.Errorf("next at %v: %v, now %v", next, v.Next, v.Now)
		}
	}
	if v := NewVisits(visits, lanes(), noon, noon.AddDate(0, 0, -1)); v.Next != 99 {
		t.Errorf("one that is due is at %v", v.Next)
	}
	one := NewVisits(visits[3:], lanes(), noon, time.Time{})
	if one.Name != "one visit, 2026-01-31 12:00:00; news: 0; nothing: 1" || one.Dates[0].Text != "12:00:00" {
		t.Errorf("%s, %+v", one.Name, one.Dates)
	}
}
