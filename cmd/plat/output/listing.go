package output

import (
	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/storage"
	"plat/storage/history"
)

// Listing prints URLs, one by one.
type Listing struct {
	out    *terminal.Screen
	asJSON bool
	n      int
}

// NewListing returns a printer of URLs.
func NewListing(out *terminal.Screen, asJSON bool) *Listing {
	return &Listing{out: out, asJSON: asJSON}
}

// N returns how many were printed.
func (l *Listing) N() int { return l.n }

// listColumns are the widths of all but the last column.
var listColumns = []int{len("versions"), len("2006-01-02 15:04:05"), len("unchanged login?"), 40, 0}

// Print prints a URL with the title of its last version. seems is the answer that this probably is, see
// [plat.Version.Seems].
func (l *Listing) Print(st *plat.URLState, title string, seems plat.Outcome) {
	if l.n++; l.asJSON {
		l.out.JSON(struct {
			history.StateInfo
			Title string       `json:"title"`
			Seems plat.Outcome `json:"seems,omitempty"`
		}{history.StateOf(st), title, seems})
		return
	}
	if l.n == 1 {
		l.out.Print(terminal.Line(l.out, terminal.Head(">versions", "last visit (UTC)", "outcome", "title", "URL"), listColumns))
	}
	outcome := terminal.Text(string(st.Outcome))
	switch {
	case st.Outcome.Failed():
		outcome = outcome.In(terminal.Red)
	case seems != "":
		outcome = terminal.Text(string(st.Outcome) + " " + Seems(seems)).In(terminal.Yellow)
	}
	l.out.Print(terminal.Line(l.out, []terminal.Cell{
		terminal.Number(terminal.Count(int64(st.Head))), terminal.Text(terminal.Clock(st.Last)), outcome, terminal.Text(title).AtMost(40), terminal.Text(st.URL),
	}, listColumns))
}

// More says that there are more URLs.
func (l *Listing) More() {
	if !l.asJSON {
		l.out.Print(l.out.Paint(terminal.Faint, "there are more; --limit 0 lists all"))
	}
}

// End says that there were none.
func (l *Listing) End() {
	if l.n == 0 && !l.asJSON {
		l.out.Print(l.out.Paint(terminal.Faint, "no such URL was visited"))
	}
}

// HostList prints hosts, or one of them, with the number of their URLs.
func HostList(out *terminal.Screen, all []storage.SiteStats, host string, asJSON bool) {
	t := terminal.Table{}
	t.Head("host", ">URLs", ">visits", ">versions")
	for i := range all {
		s := &all[i]
		if host != "" && s.Host != host {
			continue
		}
		if asJSON {
			out.JSON(struct {
				Host     string `json:"host"`
				URLs     int    `json:"urls"`
				Visits   int    `json:"visits"`
				Versions int    `json:"versions"`
			}{s.Host, int(s.URLs), int(s.Visits), int(s.Versions)})
			continue
		}
		t.Row(terminal.Text(s.Host), terminal.Number(terminal.Count(int64(s.URLs))), terminal.Number(terminal.Count(int64(s.Visits))), terminal.Number(terminal.Count(int64(s.Versions))))
	}
	if !asJSON {
		t.Print(out)
	}
}
