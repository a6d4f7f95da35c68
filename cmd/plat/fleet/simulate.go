package fleet

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/export/atomicfile"
	"plat/queue/schedule"
	"plat/queue/simulate"
	"plat/queue/simulate/archived"
	"plat/queue/simulate/chart"
	"plat/storage"
	"plat/storage/uri"
)

func simulateCommand(a *app.App) *cobra.Command {
	var o simulateOptions
	var each, bySite bool
	var least int
	cmd := &cobra.Command{
		Use:   "simulate [FILE|FOLDER...]",
		Short: "Compare when policies would have visited pages",
		Long: `simulate replays how pages have changed, at virtual time, and says what each
policy would have seen of it with the same number of visits: how fresh copies
were, how many changes were captured, how long changes waited to be seen.

A file is a trace in JSON, compressed with gzip or not: {"source": NAME,
"observations": [SECONDS...], "pages": {PATH: [[SECONDS, HASH or null], ...]}}.

Without a file, it replays the archive of --store; block staleness, the mean part of
the lasting content that copies lack or have in an older state, is then printed too.

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
  plat simulate traces/ --visits 0.5,1,2 --chart policies.svg
  plat simulate traces/ --each --json | jq .captured
  plat simulate --store sqlite:news.db --visits 0.5,1,2 --policies uniform,harmonic,blocks`,
		RunE: func(cmd *cobra.Command, args []string) error {
			heard, err := o.check()
			if err != nil {
				return err
			}
			from := archived.Options{Store: a.Store, BySite: bySite, MinPages: least, Progress: a.Out.Progress}
			traces, err := archived.Load(cmd.Context(), args, from, func(read func(archived.Archive) error) error {
				return a.WithStore(cmd.Context(), uri.Reads, func(s storage.Store) error { return read(s) })
			})
			if len(args) > 0 && app.Unread(err) {
				return app.Fail(app.ExitUsage, "trace: %w", err)
			}
			if err != nil {
				return err
			}
			if len(traces) == 0 {
				return app.Fail(app.ExitUsage, "no traces in %s", strings.Join(args, ", "))
			}
			began := time.Now()
			found, err := simulate.Compare(cmd.Context(), traces, o.budgets, o.policies, heard, func(p simulate.Progress) {
				a.Out.Progress(p.After(time.Since(began)))
			})
			a.Out.Progress("")
			if err != nil {
				return err
			}
			output.Simulated(a.Out, found, traces, each, a.JSON)
			if o.chart == "" {
				return nil
			}
			drawing, err := chart.Simulated(found, traces, heard).Draw()
			if err != nil {
				return err
			}
			return atomicfile.Write(o.chart, func(w io.Writer) error { return drawing.Write(w, o.chart) })
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.policies, "policies", schedule.Worths(), "which policies")
	f.Float64SliceVar(&o.budgets, "visits", []float64{1}, "visits per change, of all pages together; several are compared one after another")
	f.Float64SliceVar(&o.signals, "signals", nil, "`RECALL,FALSE`: let a signal come with that part of the changes, and so many false ones per change")
	f.Lookup("signals").DefValue = ""
	f.BoolVar(&each, "each", false, "print each trace too")
	f.StringVar(&o.chart, "chart", "", "draw a chart to `FILE`, by its ending an .svg or a .png: bars for one budget, lines for several")
	f.IntVar(&least, "min-pages", 1, "leave out traces of fewer pages")
	f.BoolVar(&bySite, "by-site", false, "of an archive: a trace of each host, with a budget of its own")
	f.Lookup("visits").DefValue = "1"
	return cmd
}

// simulateOptions are flags that can be wrong.
type simulateOptions struct {
	policies         []string
	budgets, signals []float64
	chart            string
}

// check returns the signals to simulate.
func (o *simulateOptions) check() (heard simulate.Signals, err error) {
	for _, p := range o.policies {
		if _, err := schedule.Worth(p); err != nil {
			return heard, app.Fail(app.ExitUsage, "--policies: %w", err)
		}
	}
	if i := slices.IndexFunc(o.budgets, func(v float64) bool { return !(v > 0 && v <= 1000) }); i >= 0 {
		return heard, app.Fail(app.ExitUsage, "--visits: %v visits per change: write a number above 0, at most 1000", o.budgets[i])
	}
	if _, err := chart.Format(o.chart); o.chart != "" && err != nil {
		return heard, app.Fail(app.ExitUsage, "--chart: %w", err)
	} else if _, err := os.Stat(filepath.Dir(o.chart)); o.chart != "" && err != nil {
		return heard, app.Fail(app.ExitUsage, "--chart: %w", err) // before the work, not after it
	}
	switch s := o.signals; {
	case len(s) == 0:
		return simulate.Signals{Seed: 1}, nil
	case len(s) != 2, !(s[0] >= 0 && s[0] <= 1), !(s[1] >= 0 && s[1] <= 100):
		return heard, app.Fail(app.ExitUsage, "--signals: write RECALL,FALSE, such as 0.8,0.25")
	default:
		return simulate.Signals{Seed: 1, Recall: s[0], False: s[1]}, nil
	}
}
