package output

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"plat/cmd/plat/terminal"
	"plat/plat/excerpt"
	"plat/queue"
	"plat/queue/window"
	"plat/storage"
)

// Frontier prints counts of waiting, running and failed visits: the jobs of the archive, and
// their window in Redis. If the queue is paused, it names the command resume.
func Frontier(out *terminal.Screen, s *window.Stats, resume string, asJSON bool) {
	if asJSON {
		out.JSON(s)
		return
	}
	row := func(name string, n int64, what string) {
		out.Print(fmt.Sprintf("%-14s %12s  %s", name, humanize.Comma(n), what))
	}
	if c := s.Jobs; c != nil {
		row("backlog", c.Backlog, fmt.Sprintf("URLs to be visited for the first time; %s hosts have jobs", humanize.Comma(c.Hosts)))
		if c.Due >= storage.MaxDue {
			row("due", c.Due, "or more to be visited again, or retried, now")
		} else {
			row("due", c.Due, "to be visited again, or retried, now")
		}
		row("later", c.Later, "visits and retries to come")
		row("dead", c.Dead, "failed URLs; see plat queue dead")
	}
	row("window", s.Queued, fmt.Sprintf("of at most %s URLs in Redis, of %s hosts; %s may be visited now, %s rest",
		humanize.Comma(s.Size), humanize.Comma(s.Stats.Hosts), humanize.Comma(s.ReadyHosts), humanize.Comma(s.WaitingHosts)))
	row("leased", s.Leased, "being visited, the oldest for "+s.Oldest().Round(100*time.Millisecond).String())
	row("inbox", s.Inbox, "entries, not read yet")
	row("rejected", s.Rejected, "entries of the inbox; see plat queue rejected")
	row("done", s.Done, fmt.Sprintf("jobs; %s retried, %s delayed by host, %s put off, %s leases expired", humanize.Comma(s.Retried), humanize.Comma(s.Slowed), humanize.Comma(s.PutOff), humanize.Comma(s.Expired)))
	switch {
	case s.Newer():
		out.Print(fmt.Sprintf("The frontier in Redis has format %d, of a newer plat: upgrade this one, which understands %d.", s.Format, queue.Format))
	case !s.Exists:
		out.Print("There is no frontier in Redis yet: the first worker makes it.")
	case s.Paused:
		out.Print("Paused; to resume: " + resume + ".")
	case s.HeldFor > 0:
		out.Print(fmt.Sprintf("No visits start until earlier leases have ended, in %v at most.", (time.Duration(s.HeldFor) * time.Millisecond).Round(time.Second)))
	}
}

// AllDead prints at most limit failed URLs, 0: all.
func AllDead(out *terminal.Screen, all iter.Seq2[storage.DeadURL, error], limit int, asJSON bool) error {
	n := 0
	for d, err := range all {
		if err != nil {
			return err
		}
		if n++; limit > 0 && n > limit {
			break
		}
		dead(out, &d, asJSON)
	}
	return nil
}

func dead(out *terminal.Screen, d *storage.DeadURL, asJSON bool) {
	if asJSON {
		out.JSON(d)
		return
	}
	out.Print(fmt.Sprintf("%s  %-13s  %2d×  %s\n    %s", d.Time.Format("2006-01-02 15:04"), d.Outcome, d.Attempts, excerpt.Printable(d.URL), excerpt.Printable(d.Error)))
}

// Hosts prints how many jobs hosts have.
func Hosts(out *terminal.Screen, all []storage.HostCount, asJSON bool) {
	if asJSON {
		for i := range all {
			out.JSON(&all[i])
		}
		return
	}
	if len(all) > 0 {
		out.Print(fmt.Sprintf("%12s %12s %12s  %s", "backlog", "due or later", "failed", "host"))
	}
	for _, h := range all {
		out.Print(fmt.Sprintf("%12s %12s %12s  %s", humanize.Comma(h.Backlog), humanize.Comma(h.Timed), humanize.Comma(h.Dead), excerpt.Printable(h.Host)))
	}
}

// Rejected prints entries of the inbox that could not be used.
func Rejected(out *terminal.Screen, list []queue.Rejected, asJSON bool) {
	for _, r := range list {
		if asJSON {
			out.JSON(r)
			continue
		}
		out.Print(fmt.Sprintf("%s  %.200s\n    %s", r.Time.Format("2006-01-02 15:04:05"), excerpt.Printable(r.Entry), excerpt.Printable(r.Reason)))
	}
}

// Workers prints the workers of a fleet.
func Workers(out *terminal.Screen, all []queue.Worker, now time.Time, asJSON bool) {
	if asJSON {
		for i := range all {
			out.JSON(&all[i])
		}
		return
	}
	if len(all) == 0 {
		out.Print("no workers; start one with plat worker, or plat up. One that still waits for its archive is not listed: its log says what it waits for")
		return
	}
	var t terminal.Table
	t.Head("worker", "state", ">visits", ">tabs", ">memory", "version", "up", "seen")
	for _, w := range all {
		memory := ""
		if w.Memory > 0 {
			memory = humanize.IBytes(uint64(w.Memory))
		}
		ago := func(at time.Time) string { return max(0, now.Sub(at)).Round(time.Second).String() }
		version := w.Version
		if len(w.Revision) >= 8 && !strings.Contains(version, w.Revision[:8]) {
			version += " " + w.Revision[:8]
		}
		t.Row(terminal.Text(w.Name), terminal.Text(w.State), terminal.Number(strconv.Itoa(w.Visits)), terminal.Number(strconv.Itoa(w.Tabs)),
			terminal.Number(memory), terminal.Text(version), terminal.Text(ago(w.Started)), terminal.Text(ago(w.Seen)+" ago"))
	}
	t.Print(out)
}

// Counted prints a count of things and their new state; name is the JSON key of the count.
func Counted(out *terminal.Screen, n int, noun, what, name string, asJSON bool) {
	if asJSON {
		out.JSON(map[string]int{name: n})
	} else {
		out.Print(terminal.Counted(n, noun) + " " + what)
	}
}

// Paused prints whether jobs are given out; resume is the command that has them given out again.
func Paused(s *terminal.Screen, paused bool, resume string, asJSON bool) {
	switch {
	case asJSON:
		s.JSON(map[string]bool{"paused": paused})
	case paused:
		s.Print("no more jobs are given out; go on with " + resume)
	default:
		s.Print("jobs are given out again")
	}
}
