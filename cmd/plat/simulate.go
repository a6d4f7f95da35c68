package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"plat/listing"
	"plat/schedule"
	"plat/simulate"
)

func (a *app) simulateCommand() *cobra.Command {
	var policies []string
	var budgets []float64
	var signals []float64
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
  plat simulate traces/ --signals 0.8,0.25 --policies harmonic,archive
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
			if len(signals) != 0 && (len(signals) != 2 || !(signals[0] >= 0 && signals[0] <= 1) || !(signals[1] >= 0 && signals[1] <= 100)) {
				return fail(exitUsage, "--signals: write RECALL,FALSE, such as 0.8,0.25")
			}
			heard := simulate.Signals{Seed: 1}
			if len(signals) == 2 {
				heard.Recall, heard.False = signals[0], signals[1]
			}
			traces, err := a.traces(args, least)
			if err != nil {
				return err
			}
			var done atomic.Int64
			all := len(traces) * len(policies) * len(budgets)
			found, err := simulate.Compare(cmd.Context(), traces, budgets, policies, heard, func() {
				a.out.Progress(fmt.Sprintf("%d of %d runs", done.Add(1), all))
			})
			a.out.Progress("")
			if err != nil {
				return err
			}
			listing.Simulated(a.out, found, traces, each, a.JSON)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&policies, "policies", schedule.Worths(), "which policies")
	f.Float64SliceVar(&budgets, "visits", []float64{1}, "visits per change, of all pages together; several are compared one after another")
	f.Float64SliceVar(&signals, "signals", nil, "`RECALL,FALSE`: let a signal come with that part of the changes, and so many false ones per change")
	f.Lookup("signals").DefValue = ""
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
