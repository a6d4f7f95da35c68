package listing

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"plat/excerpt"
	"plat/queue"
	"plat/term"
)

// Frontier prints how many URLs wait, are visited, are dead. Where no jobs are given
// out, it says that the command resume has them given out again.
func Frontier(out *term.Screen, s *queue.Stats, resume string, asJSON bool) {
	if asJSON {
		out.JSON(s)
		return
	}
	row := func(name string, n int64, what string) {
		out.Print(fmt.Sprintf("%-14s %12s  %s", name, humanize.Comma(n), what))
	}
	row("known", s.Known, "URLs")
	row("queued", s.Queued, fmt.Sprintf("to be visited; %s hosts may be now, %s wait", humanize.Comma(s.ReadyHosts), humanize.Comma(s.WaitingHosts)))
	row("later", s.Later, "visits and retries to come")
	row("leased", s.Leased, "being visited, the oldest for "+s.Oldest().Round(100*time.Millisecond).String())
	row("dead", s.Dead, "failed URLs; see plat queue dead")
	row("inbox", s.Inbox, "not taken yet")
	row("rejected", s.Rejected, "entries of the inbox; see plat queue rejected")
	row("done", s.Done, fmt.Sprintf("jobs; %s retried, %s delayed by host, %s leases expired", humanize.Comma(s.Retried), humanize.Comma(s.Slowed), humanize.Comma(s.Expired)))
	switch {
	case !s.Exists:
		out.Print("There is no frontier yet: the first worker makes it from the archive.")
	case s.Paused:
		out.Print("Paused: go on with " + resume + ".")
	case s.HeldFor > 0:
		out.Print(fmt.Sprintf("Nothing is given out for another %v: leases of before Redis' restart may still be held.", (time.Duration(s.HeldFor) * time.Millisecond).Round(time.Second)))
	}
}

// Dead prints URLs that were given up.
func Dead(out *term.Screen, dead []queue.DeadLetter, asJSON bool) {
	for _, l := range dead {
		if asJSON {
			out.JSON(l)
			continue
		}
		out.Print(fmt.Sprintf("%s  %-13s  %2d×  %s\n    %s", l.Time.Format("2006-01-02 15:04"), l.Outcome, l.Attempts, excerpt.Printable(l.URL), excerpt.Printable(l.Error)))
	}
}

// Rejected prints entries of the inbox that could not be used.
func Rejected(out *term.Screen, list []queue.Rejected, asJSON bool) {
	for _, r := range list {
		if asJSON {
			out.JSON(r)
			continue
		}
		out.Print(fmt.Sprintf("%s  %.200s\n    %s", r.Time.Format("2006-01-02 15:04:05"), excerpt.Printable(r.Entry), excerpt.Printable(r.Reason)))
	}
}
