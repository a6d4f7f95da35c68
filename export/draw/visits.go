package draw

import (
	"fmt"
	"plat/plat"
	"time"
)

// Visits shows the visits of a URL and their results: a lane for each kind of result, with a
// mark for each visit. All X are percent of the width, so that the picture is as wide as its
// page while texts keep their size. Y are px.
type Visits struct {
	Name    string
	Height  float64
	Lanes   []Lane
	Dates   []Date
	Now     float64
	Next    float64 // time of the next visit; 0: never, or beyond the picture
	Future  float64 // width from now to the end
	NextAt  time.Time
	AxisY   float64
	LabelsY float64
}

// Lane has the visits with one kind of result.
type Lane struct {
	Class, Name string
	N           int
	Y, Middle   float64
	Marks       []Mark
}

// Mark represents one visit, or several that are less than a mark's width apart.
type Mark struct {
	X          float64
	Name, Href string // empty Href: no link
	First      bool   // the first of the links
}

// Date is a label of the axis.
type Date struct {
	X            float64
	Text, Anchor string
	Minor        bool // left out if there is only room for two
}

// VisitMark is a visit that is drawn.
type VisitMark struct {
	Time       time.Time
	Lane       int
	Name, Href string
}

const (
	laneHeight = 30.0 // px
	markHeight = 20.0
	markSlots  = 240 // slots of the width; a mark represents the visits of one
	dates      = 5
)

// NewVisits draws at least one visit, earliest first, and fills in the marks of the given
// lanes. The right end is now, or the next visit if that leaves at most a third of the picture
// for the future.
func NewVisits(visits []VisitMark, lanes []Lane, now, next time.Time) *Visits {
	from, last := visits[0].Time, visits[len(visits)-1].Time
	now = plat.Later(now, last)
	to := now
	if past := now.Sub(from); next.After(now) && next.Sub(now) <= max(past/2, time.Hour) {
		to = next
	}
	span := max(to.Sub(from), time.Minute)
	at := func(t time.Time) float64 { return 1 + 98*float64(t.Sub(from))/float64(span) } // marks have a width
	v := &Visits{Lanes: lanes, Now: at(now), AxisY: laneHeight * float64(len(lanes))}
	v.Future = 100 - v.Now
	v.LabelsY, v.Height = v.AxisY+18, v.AxisY+24
	if !next.IsZero() && !next.After(to) {
		v.Next, v.NextAt = at(plat.Later(next, now)), next
	}
	linked := false
	v.Name = fmt.Sprintf("%d visits from %s to %s", len(visits), day(from, 0), day(last, 0))
	if len(visits) == 1 {
		v.Name = "one visit, " + day(from, 0)
	}
	for i := range v.Lanes {
		l := &v.Lanes[i]
		l.Y = laneHeight*float64(i) + (laneHeight-markHeight)/2
		l.Middle = laneHeight * (float64(i) + 0.5)
		v.Name += fmt.Sprintf("; %s: %d", l.Name, l.draw(visits, i, at))
	}
	for i := range v.Lanes {
		for k := range v.Lanes[i].Marks {
			if m := &v.Lanes[i].Marks[k]; m.Href != "" && !linked {
				m.First, linked = true, true
			}
		}
	}
	for i := range dates {
		d := Date{X: 1 + 98*float64(i)/(dates-1), Anchor: "middle", Minor: i > 0 && i < dates-1, Text: day(from.Add(span/(dates-1)*time.Duration(i)), span/dates)}
		switch i {
		case 0:
			d.X, d.Anchor = 0, "start"
		case dates - 1:
			d.X, d.Anchor = 100, "end"
		}
		v.Dates = append(v.Dates, d)
	}
	return v
}

// draw sets the marks of lane i, and returns the number of its visits.
func (l *Lane) draw(visits []VisitMark, i int, at func(time.Time) float64) int {
	slot, n := -1, 0 // slot of the last mark, and number of its visits
	for k := range visits {
		x := &visits[k]
		if x.Lane != i {
			continue
		}
		l.N++
		here := int(at(x.Time) * markSlots / 100)
		if here == slot {
			n++
			m := &l.Marks[len(l.Marks)-1]
			m.Name, m.Href = fmt.Sprintf("%s: %d visits up to %s", l.Name, n, day(x.Time, 0)), x.Href
			continue
		}
		slot, n = here, 1
		l.Marks = append(l.Marks, Mark{X: at(x.Time), Name: day(x.Time, 0) + ": " + x.Name, Href: x.Href})
	}
	return l.N
}

// day formats a time for labels at the distance apart, as precisely as they need, or in full if
// apart is 0.
func day(t time.Time, apart time.Duration) string {
	switch t = t.UTC(); {
	case apart == 0:
		return t.Format(time.DateTime)
	case apart < time.Minute:
		return t.Format(time.TimeOnly)
	case apart < 12*time.Hour:
		return t.Format("01-02 15:04")
	}
	return t.Format(time.DateOnly)
}
