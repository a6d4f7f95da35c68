package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"plat/schedule"
	"plat/simulate"
	"plat/term"
)

func (a *app) simulateCommand() *cobra.Command {
	var policies []string
	var budgets []float64
	var each bool
	var least int
	cmd := &cobra.Command{
		Use:   "simulate FILE|FOLDER...",
		Short: "Compare when policies would have visited pages",
		Long: `simulate replays how pages have changed, at virtual time, and says what each
policy would have seen of it with the same number of visits: how fresh copies
were, how many changes were captured, how long changes waited to be seen.

A file is a trace in JSON, compressed with gzip or not: {"source": NAME,
"observations": [SECONDS...], "pages": {PATH: [[SECONDS, HASH or null], ...]}}.

Columns: fresh, the part of the time that copies equal their pages; staleness,
the harmonic number of the changes that copies lack; captured, the part of the
changes whose result was seen; delay, days from a change to the visit that sees
it or a later one, for half and for nine tenths of the changes; nothing new, the
part of the visits that found none; visits, of those that the budget allows;
best, on how many traces no other policy keeps copies fresher. They are means of
the traces.`,
		Example: `  plat simulate traces/
  plat simulate traces/site.json.gz --visits 0.5,1,2 --policies uniform,harmonic
  plat simulate traces/ --each --json | jq .captured`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, p := range policies {
				if _, err := schedule.Worth(p); err != nil {
					return fail(exitUsage, "--policies: %w", err)
				}
			}
			if i := slices.IndexFunc(budgets, func(v float64) bool { return !(v > 0 && v <= 1000) }); i >= 0 {
				return fail(exitUsage, "--visits: %v visits per change: write a number above 0, at most 1000", budgets[i])
			}
			traces, err := a.traces(args, least)
			if err != nil {
				return err
			}
			var done atomic.Int64
			all := len(traces) * len(policies) * len(budgets)
			found, err := simulate.Compare(cmd.Context(), traces, budgets, policies, func() {
				a.out.Progress(fmt.Sprintf("%d of %d runs", done.Add(1), all))
			})
			a.out.Progress("")
			if err != nil {
				return err
			}
			a.printComparison(found, traces, each)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&policies, "policies", schedule.Worths(), "which policies")
	f.Float64SliceVar(&budgets, "visits", []float64{1}, "visits per change, of all pages together; several are compared one after another")
	f.BoolVar(&each, "each", false, "print each trace too")
	f.IntVar(&least, "min-pages", 1, "leave out traces of fewer pages")
	f.Lookup("visits").DefValue = "1"
	return cmd
}

// traces reads files, and all those of folders.
func (a *app) traces(args []string, least int) (all []*simulate.Trace, err error) {
	var files []string
	for _, arg := range args {
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			for _, pattern := range []string{"*.json", "*.json.gz"} {
				in, err := filepath.Glob(filepath.Join(arg, pattern))
				if err != nil {
					return nil, err
				}
				files = append(files, in...)
			}
			continue
		}
		files = append(files, arg)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		t, err := simulate.Read(f)
		f.Close()
		if err != nil {
			return nil, about(name, err)
		}
		if len(t.Pages) >= least {
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		return nil, fail(exitUsage, "no traces in %s", strings.Join(args, ", "))
	}
	return all, nil
}

// comparisonJSON is a line of JSON: a policy on a trace, or on all of them.
type comparisonJSON struct {
	Policy          string  `json:"policy"`
	VisitsPerChange float64 `json:"visits_per_change"`
	Trace           string  `json:"trace,omitempty"` // empty: the mean of all
	Fresh           float64 `json:"fresh"`
	Staleness       float64 `json:"staleness"`
	Captured        float64 `json:"captured"`
	DelayMedian     float64 `json:"delay_median_days"`
	Delay90         float64 `json:"delay_90_days"`
	NothingNew      float64 `json:"nothing_new"`
	Visits          int     `json:"visits"`
	Budget          int     `json:"budget"`
	PlanningSeconds float64 `json:"planning_seconds"`
	Best            *int    `json:"best,omitempty"`
}

func (a *app) printComparison(found []simulate.Comparison, traces []*simulate.Trace, each bool) {
	t := term.Table{}
	t.Head(">visits/change", "policy", "trace", ">fresh", ">staleness", ">captured", ">delay", ">90 %", ">nothing new", ">visits", ">planning", ">best")
	line := func(c *simulate.Comparison, trace string, r *simulate.Result, best *int) {
		if a.JSON {
			a.out.JSON(comparisonJSON{c.Policy, c.VisitsPerChange, trace, r.Fresh, r.Staleness, r.Captured, r.Delay[0], r.Delay[1], r.Wasted, r.Visits, r.Budget, r.Planning.Seconds(), best})
			return
		}
		count := ""
		if best != nil {
			count = fmt.Sprint(*best)
		}
		number := func(format string, v ...any) term.Cell { return term.Number(fmt.Sprintf(format, v...)) }
		if trace == "" {
			trace = fmt.Sprintf("mean of %d", len(traces))
		}
		t.Row(number("%g", c.VisitsPerChange), term.Text(c.Policy), term.Text(trace), number("%.4f", r.Fresh), number("%.3f", r.Staleness), number("%.4f", r.Captured),
			number("%.2f d", r.Delay[0]), number("%.1f d", r.Delay[1]), number("%.1f %%", 100*r.Wasted), number("%.1f %%", 100*float64(r.Visits)/float64(max(1, r.Budget))),
			term.Number(r.Planning.Round(time.Millisecond).String()), term.Number(count))
	}
	for i := range found {
		c := &found[i]
		if each {
			for k := range traces {
				line(c, traces[k].Name, &c.Of[k], nil)
			}
		}
		line(c, "", &c.Mean, &c.Best)
	}
	if !a.JSON {
		t.Print(a.out)
	}
}
