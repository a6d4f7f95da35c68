package flags

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"plat/queue"
	"plat/queue/schedule"
)

// Seeds declares flags for the options of a queued URL.
func Seeds(f *pflag.FlagSet, s *queue.Seed) {
	f.StringVar(&s.Scope, "scope", "", "which links to follow: page (none), prefix, host, domain or any, then depth=N, include=REGEXP, exclude=REGEXP")
	f.Func("priority", "0 to 1; higher goes first (default 0.5)", func(text string) error {
		p, err := strconv.ParseFloat(text, 32)
		if err != nil {
			return errors.New("write 0 to 1")
		}
		s.Priority = new(float32(p))
		return nil
	})
	Schedule(f, s)
}

// Schedule declares the flags of when a URL is visited again.
func Schedule(f *pflag.FlagSet, s *queue.Seed) {
	f.StringVar(&s.Every, "every", "", "visit again after this `TIME`: 90m, 24h, 7d, hourly, daily, weekly; or every day at 07:30, or \"07:30 Europe/Berlin\" (default: once)")
	f.Float64Var(&s.Jitter, "jitter", 0, "make each interval of --every longer or shorter by up to this share of it, 0 to 1")
	f.StringVar(&s.Policy, "policy", "", "what decides, with --every or --budget, when a URL is visited again: "+strings.Join(schedule.Policies(), ", ")+" (default: fixed, with --budget "+schedule.Default+")")
	f.StringVar(&s.Budget, "budget", "", "instead of --every, give all URLs together so many `VISITS`: 5000/day, 200/hour; 200/day/host for each host")
	f.StringVar(&s.Min, "min", "", "the shortest `TIME` between visits that a policy may choose (default: 10m)")
	f.StringVar(&s.Max, "max", "", "the longest `TIME` between visits that a policy may choose (default: 30d)")
}
