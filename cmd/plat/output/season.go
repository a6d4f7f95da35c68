package output

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"plat/cmd/plat/terminal"
	"plat/plat/excerpt"
	"plat/queue/forecast"
)

// seasonJSON is a season with the schedule that was chosen.
type seasonJSON struct {
	*forecast.Season
	Every   string `json:"every"`        // of the chosen schedule
	Slots   string `json:"chosen_slots"` // of the chosen schedule; empty: even intervals
	Applied bool   `json:"applied"`      // it is that of the URL now
}

// Season prints how a page's changes repeat, and which plan is best. applied says that its schedule
// is the URL's now.
func Season(s *terminal.Screen, x *forecast.Season, applied, asJSON bool) {
	chosen := x.Schedule()
	if asJSON {
		s.JSON(seasonJSON{x, chosen.Every.String(), chosen.Slots, applied})
		return
	}
	s.Print(s.Paint(terminal.Bold, excerpt.Printable(x.URL)))
	s.Print(fmt.Sprintf("  %d periods of %d slots of %s; %.0f %% of the slots were visited", x.Periods, x.Slots, excerpt.Interval(x.Slot.String()), 100*x.Visited))
	s.Print("")
	s.Print("  news    " + s.Paint(terminal.Green, bars(x.News)))
	for i := range x.Plans {
		p := &x.Plans[i]
		marks := []rune(strings.Repeat("·", x.Slots))
		for _, k := range p.Visits {
			marks[k] = '▲'
		}
		text := fmt.Sprintf("%s  found %3.0f %%, in time %3.0f %%", string(marks), 100*p.Accuracy, 100*p.Freshness)
		if p.Gap > 0 {
			text += fmt.Sprintf(", not proved to be the best (gap %.2g)", p.Gap)
		}
		name := fmt.Sprintf("  %-8s", p.Method)
		if p.Method == x.Chosen {
			name = s.Paint(terminal.Bold, name)
		}
		s.Print(name + text)
	}
	s.Print("")
	s.Print("  " + x.Why)
	if chosen.Slots == "" {
		s.Print(fmt.Sprintf("  plat schedule set %s --every %s", excerpt.Printable(x.URL), excerpt.Interval(chosen.Every.String())))
		return
	}
	s.Print("  visits (UTC): " + strings.Join(slotTimes(x), ", "))
	if applied {
		s.Print("  this is its schedule now")
	} else {
		s.Print("  --apply makes this its schedule")
	}
}

// levels draw a number from 0 to 1.
var levels = []rune("▁▂▃▄▅▆▇█")

// bars draws numbers relative to the greatest.
func bars(all []float64) string {
	top := slices.Max(all)
	var b strings.Builder
	for _, x := range all {
		k := 0
		if top > 0 {
			k = min(len(levels)-1, int(x/top*float64(len(levels))))
		}
		b.WriteRune(levels[k])
	}
	return b.String()
}

// slotTimes are the times of visits of the chosen plan.
func slotTimes(x *forecast.Season) (all []string) {
	layout := "15:04"
	switch x.Slot * time.Duration(x.Slots) {
	case 24 * time.Hour:
	case 7 * 24 * time.Hour:
		layout = "Mon 15:04"
	default:
		layout = "2006-01-02 15:04"
	}
	for _, t := range x.Visits() {
		all = append(all, t.Format(layout))
	}
	return all
}
