package listing

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"plat/intake"
	"plat/term"
)

// Intake says how far a list has been taken.
func Intake(p intake.Progress) string {
	rate := int64(float64(p.URLs) / max(p.Spent.Seconds(), 0.001))
	line := fmt.Sprintf("%s URLs taken, %s of them new, %s/s", humanize.Comma(p.URLs), humanize.Comma(p.New), humanize.Comma(rate))
	if p.Skipped > 0 {
		line += fmt.Sprintf("; %s lines were taken before", humanize.Comma(p.Skipped))
	}
	if p.Refused > 0 {
		line += fmt.Sprintf("; %s lines refused", humanize.Comma(p.Refused))
	}
	return line
}

// Enqueued prints how many URLs were queued, some of them from a list; fresh is how
// many were new, -1 if that is not known yet.
func Enqueued(out *term.Screen, n, fresh int, p intake.Progress, asJSON bool) {
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
	line := term.Counted(n, "URL") + " queued"
	if fresh >= 0 {
		line += fmt.Sprintf(", %d of them new", fresh)
	}
	if p.Skipped > 0 {
		line += fmt.Sprintf("; %s taken before", term.Counted(int(p.Skipped), "line"))
	}
	if p.Left > 0 {
		line += fmt.Sprintf(", and %s to be visited; with --again the list is begun anew", waits(p.Left))
	}
	out.Print(line)
}

func waits(n int64) string {
	if n == 1 {
		return "1 URL waits"
	}
	return humanize.Comma(n) + " URLs wait"
}
