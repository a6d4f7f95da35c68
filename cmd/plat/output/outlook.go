package output

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/queue/forecast"
)

// Outlook prints the forecast for a URL, with a chart of its visits.
func Outlook(s *terminal.Screen, o *forecast.Outlook, now time.Time, asJSON bool) {
	if asJSON {
		s.JSON(o)
		return
	}
	s.Print(s.Paint(terminal.Bold, excerpt.Printable(o.URL)))
	line := func(name, text string) {
		if text != "" {
			s.Print("  " + s.Paint(terminal.Faint, fmt.Sprintf("%-8s", name)) + excerpt.Printable(text))
		}
	}
	line("policy", cmp.Or(o.Schedule(), "once"))
	if !o.Known.IsZero() {
		line("changes", "every "+every(o))
		line("changed", fmt.Sprintf("by now with a chance of %s", chance(o)))
	}
	if o.Signal != nil {
		line("signal", fmt.Sprintf("%s: %s", sourceName[o.Signal.Source], moment(o.Signal.Time, now)))
	}
	for _, x := range o.Sources {
		line("signals", fmt.Sprintf("%s announced %.0f %% of the changes on its site; %.0f %% of its announcements were wrong", sourceName[x.Source], 100*x.Recall, 100*x.False))
	}
	line("last", moment(o.Last, now))
	line("next", moment(o.Next, now))
	line("why", o.Why)
	if len(o.Visits) == 0 {
		s.Print("  no visits yet")
		return
	}
	s.Print("")
	for _, l := range picture(s, o.Visits) {
		s.Print("  " + l)
	}
}

// Outlooks prints the forecasts for URLs, one line each.
func Outlooks(s *terminal.Screen, all []*forecast.Outlook, now time.Time, asJSON bool) {
	if !asJSON && len(all) == 0 {
		s.Print("no URL is going to be visited; plat enqueue URL --every 24h has one visited")
		return
	}
	t := terminal.Table{}
	t.Head("next (UTC)", ">in", ">chance", ">changes every", ">found/visits", "policy", "URL")
	for _, o := range all {
		if asJSON {
			s.JSON(o)
			continue
		}
		in := "now"
		if d := o.Next.Sub(now); d > 0 {
			in = excerpt.Span(d)
		}
		t.Row(terminal.Text(terminal.Clock(o.Next)), terminal.Number(in), terminal.Number(chance(o)), terminal.Number(every(o)),
			terminal.Number(fmt.Sprintf("%d/%d", o.Counts.News, o.Counts.Visits)), terminal.Text(cmp.Or(o.Schedule(), "once")).AtMost(40), terminal.Text(o.URL))
	}
	if !asJSON {
		t.Print(s)
	}
}

// sourceName maps a source of signals to its name in messages.
var sourceName = map[string]string{plat.SignalSitemap: "a sitemap", plat.SignalFeed: "a feed", plat.SignalLink: "links"}

// counted returns the results of visits, in words.
func counted(c *forecast.Counts) string {
	text := fmt.Sprintf("of %s %d found something; %d nothing", terminal.Counted(c.Visits, "visit"), c.News, c.Nothing)
	if c.Failed > 0 {
		text += fmt.Sprintf("; %d failed", c.Failed)
	}
	if c.First > 0 {
		text += "; one was the first"
	}
	return text
}

func every(o *forecast.Outlook) string {
	if o.ChangesEvery == 0 {
		return "-"
	}
	return excerpt.Span(time.Duration(min(o.ChangesEvery, 36500) * float64(24*time.Hour)))
}

func chance(o *forecast.Outlook) string {
	if o.ChangesEvery == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*o.Chance)
}

// moment is a time, and how far from now it is.
func moment(t, now time.Time) string {
	switch d := t.Sub(now); {
	case t.IsZero():
		return "never"
	case d == 0:
		return "now"
	case d > 0:
		return terminal.Clock(t) + " UTC, in " + excerpt.Span(d)
	default:
		return terminal.Clock(t) + " UTC, " + excerpt.Span(-d) + " ago"
	}
}

// Signs of the picture of visits.
const (
	signFirst   = "○"
	signNothing = "▁"
	signFailed  = "×"
	signNews    = "█"
)

// shares are signs of columns with several visits, by the share of them that found something.
var shares = []string{"▂", "▃", "▄", "▅", "▆", "▇", signNews}

// pictureWidth is the columns of the picture: with its margins it fits into 80.
const pictureWidth = 74

// picture returns the lines of a chart: visits on a time scale, below it the times of the first
// and the last visit, their counts, and a legend.
func picture(s *terminal.Screen, visits []forecast.Visit) []string {
	first, last := visits[0].Time, visits[len(visits)-1].Time
	columns := make([]forecast.Counts, pictureWidth)
	for i := range visits {
		at := 0
		if span := last.Sub(first); span > 0 {
			at = int(float64(visits[i].Time.Sub(first))/float64(span)*(pictureWidth-1) + 0.5)
		}
		c, one := &columns[at], forecast.Count(visits[i:i+1])
		c.Visits, c.First, c.News, c.Nothing, c.Failed = c.Visits+1, c.First+one.First, c.News+one.News, c.Nothing+one.Nothing, c.Failed+one.Failed
	}
	var drawn strings.Builder
	shared := false
	for i := range columns {
		sign, style := signOf(&columns[i])
		shared = shared || columns[i].News > 0 && columns[i].News < columns[i].Visits
		drawn.WriteString(s.Paint(style, sign))
	}
	begin, end := first.UTC().Format("2006-01-02 15:04"), last.UTC().Format("2006-01-02 15:04")
	below := begin + strings.Repeat(" ", pictureWidth-len(begin)-len(end)) + end
	if !last.After(first) {
		below = begin
	}
	var key []string
	say := func(is bool, style terminal.Style, sign, text string) {
		if is {
			key = append(key, s.Paint(style, sign)+" "+text)
		}
	}
	all := forecast.Count(visits)
	news := "found something"
	if shared {
		news = "found something (as high as the share of the visits that did)"
	}
	say(all.News > 0, terminal.Green, signNews, news)
	say(all.Nothing > 0, terminal.Plain, signNothing, "nothing")
	say(all.Failed > 0, terminal.Red, signFailed, "failed")
	say(all.First > 0, terminal.Cyan, signFirst, "first")
	return []string{strings.TrimRight(drawn.String(), " "), s.Paint(terminal.Faint, below), counted(&all), strings.Join(key, "  ")}
}

// signOf returns the sign of a column of visits: news take precedence over failures, failures
// over first versions.
func signOf(c *forecast.Counts) (string, terminal.Style) {
	switch {
	case c.Visits == 0:
		return " ", terminal.Plain
	case c.News > 0:
		return shares[(c.News*len(shares)-1)/c.Visits], terminal.Green
	case c.Failed > 0:
		return signFailed, terminal.Red
	case c.First > 0:
		return signFirst, terminal.Cyan
	}
	return signNothing, terminal.Plain
}

// Rebuilt prints how many memories were rebuilt.
func Rebuilt(s *terminal.Screen, n forecast.Rebuilt, asJSON bool) {
	if asJSON {
		s.JSON(n)
		return
	}
	s.Print(fmt.Sprintf("%s: memory rebuilt; %s: as it was", terminal.Counted(n.Rebuilt, "URL"), terminal.Counted(n.AsWas, "URL")))
}

// ScheduleSet prints how many URLs have a new schedule.
func ScheduleSet(s *terminal.Screen, n forecast.Set, asJSON bool) {
	if asJSON {
		s.JSON(n)
		return
	}
	text := fmt.Sprintf("%s: schedule set; %s: as it was", terminal.Counted(n.Set, "URL"), terminal.Counted(n.AsWas, "URL"))
	if n.Passed > 0 {
		text += fmt.Sprintf("; %s: skipped, because they have no scheduled visits: visited by hand only, failed for good, or a second URL of a page; name a URL to have it visited", terminal.Counted(n.Passed, "URL"))
	}
	s.Print(text)
}
