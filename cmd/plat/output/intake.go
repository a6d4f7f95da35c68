package output

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"plat/cmd/plat/terminal"
	"plat/queue/intake"
)

// Intake returns the progress of a list, in words.
func Intake(p intake.Progress) string {
	rate := int64(float64(p.URLs) / max(p.Spent.Seconds(), 0.001))
	line := fmt.Sprintf("%s URLs read, %s of them new, %s/s", humanize.Comma(p.URLs), humanize.Comma(p.New), humanize.Comma(rate))
	if p.Skipped > 0 {
		line += fmt.Sprintf("; %s lines were read before", humanize.Comma(p.Skipped))
	}
	return line + refused(p)
}

// Taken returns the progress of a list beside visits, or its end; a non-nil err interrupted it.
func Taken(p intake.Progress, ended bool, err error) string {
	switch {
	case !ended:
		return Intake(p)
	case err != nil:
		return "interrupted; run the command again to continue. " + Intake(p)
	case p.Left > 0 && p.New == 0:
		return "read before" + refused(p) + "; " + waits(p.Left) + ". It starts over with --again, or when nothing waits"
	case p.URLs == 0:
		return "there is no URL in it" + refused(p)
	}
	return "list read. " + Intake(p)
}

func refused(p intake.Progress) string {
	if p.Refused == 0 {
		return ""
	}
	return "; " + terminal.Counted(p.Refused, "line") + " refused"
}

// Enqueued prints how many URLs were queued, including those of a list; fresh is the number of
// new URLs, -1 if it is not known yet.
func Enqueued(out *terminal.Screen, n, fresh int, p intake.Progress, asJSON bool) {
	if asJSON {
		j := map[string]int{"accepted": n}
		if fresh >= 0 {
			j["new"] = fresh
		}
		if p.Refused > 0 {
			j["refused"] = int(p.Refused)
		}
		if p.Skipped > 0 {
			j["passed_over"] = int(p.Skipped)
		}
		if p.Left > 0 {
			j["waiting"] = int(p.Left)
		}
		out.JSON(j)
		return
	}
	line := terminal.Counted(n, "URL") + " queued"
	if fresh >= 0 {
		line += ", " + humanize.Comma(int64(fresh)) + " of them new"
	}
	if p.Skipped > 0 {
		line += fmt.Sprintf("; %s read before", terminal.Counted(int(p.Skipped), "line"))
	}
	if p.Left > 0 {
		line += "; " + waits(p.Left) + ". The list starts over with --again, or when nothing waits"
	}
	out.Print(line)
}

func waits(n int64) string {
	if n == 1 {
		return "1 URL of the archive waits to be visited"
	}
	return humanize.Comma(n) + " URLs of the archive wait to be visited"
}
