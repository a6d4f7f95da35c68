package settings

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"plat/queue"
	"plat/queue/links"
	"plat/queue/traps"
	"plat/workers"
	"plat/workers/visitor"
)

// CrewOptions returns the options of a crew. The error is an [*Error].
func (s *Settings) CrewOptions(log *slog.Logger) (o workers.CrewOptions, err error) {
	name, err := os.Hostname()
	if err != nil {
		name = "worker"
	}
	if s.MinDisk != "" {
		n, err := humanize.ParseBytes(s.MinDisk)
		if err != nil {
			return o, bad("min-disk %q: write 2GB or the like", s.MinDisk)
		}
		places := []string{os.TempDir()}
		if path, ok := s.SQLite(); ok {
			places = append(places, filepath.Dir(path))
		}
		for _, p := range places {
			o.Guards = append(o.Guards, visitor.FreeDisk(p, n))
		}
	}
	if s.MinMemory != "" {
		n, err := humanize.ParseBytes(s.MinMemory)
		if err != nil {
			return o, bad("min-memory %q: write 500MB or the like", s.MinMemory)
		}
		o.Guards = append(o.Guards, visitor.FreeMemory(n))
	}
	if s.Delay < 0 || s.MaxDelay < 0 {
		return o, bad("delay %v, max-delay %v: write 0 or more", s.Delay, s.MaxDelay)
	}
	o.Name = fmt.Sprintf("%s-%d", name, os.Getpid())
	about, err := s.About()
	if err != nil {
		return o, err
	}
	robots := s.robotsOptions(about)
	o.Agent, o.UserAgent, o.IgnoreRobots = robots.Agent, robots.UserAgent, !s.Robots
	o.Delay, o.MaxDelay = s.Delay, s.MaxDelay
	for _, d := range []*time.Duration{&o.Delay, &o.MaxDelay} {
		if *d == 0 {
			*d = -1 // disabled; zero means the default
		}
	}
	if s.RetryDelay <= 0 {
		return o, bad("retry-delay %v: write more than 0", s.RetryDelay)
	}
	o.Sitemaps = s.Sitemaps
	switch s.Traps {
	case "on", "":
		o.Traps = traps.On
	case string(traps.RulesOnly), string(traps.Off):
		o.Traps = traps.Mode(s.Traps)
	default:
		return o, bad("traps %q: write on, rules or off", s.Traps)
	}
	if s.MaxURLs < 0 {
		return o, bad("max-urls %d: write 1 or more, or 0 for any number", s.MaxURLs)
	}
	o.MaxURLs = s.MaxURLs
	o.Guide = links.InScope{Files: s.Files == "all"}
	for _, x := range []struct {
		name  string
		given int
		rule  *int
	}{{"max-repeats", s.MaxRepeats, &o.Rules.Repeats}, {"max-segments", s.MaxSegments, &o.Rules.Segments}, {"max-length", s.MaxLength, &o.Rules.Length}} {
		if x.given < 0 {
			return o, bad("%s %d: write 1 or more, or 0 for any number", x.name, x.given)
		}
		if *x.rule = x.given; x.given == 0 {
			*x.rule = -1 // disabled; zero means the default
		}
	}
	o.Drop = s.Drop()
	o.RetryDelay = s.RetryDelay
	o.Log, o.Metrics = log, workers.NewMetrics()
	return o, nil
}

// QueueOptions returns the options of the frontier at the URL redis. The error is an [*Error].
func (s *Settings) QueueOptions(redis string, log *slog.Logger) (o queue.Options, err error) {
	if redis == "" {
		return o, unusable("there is no frontier; name it with %s redis://HOST:PORT/0 (plat up has one at redis://127.0.0.1:6390/0)", s.named("redis"))
	}
	if s.Window < 0 {
		return o, bad("window %d: write 1 or more, or 0 to size it by the memory of Redis", s.Window)
	}
	if s.Attempts < 1 {
		return o, bad("attempts %d: write 1 or more", s.Attempts)
	}
	if s.Lease < time.Second {
		return o, bad("lease %v: write 1s or more", s.Lease)
	}
	return queue.Options{URL: redis, Prefix: s.Prefix, Shards: s.Shards, Size: s.Window, TTL: s.Lease, Attempts: s.Attempts, Rest: max(s.Delay, s.MaxDelay), Log: log}, nil
}
