package output

import (
	"fmt"
	"slices"
	"time"

	"plat/cmd/plat/terminal"
	"plat/queue/simulate"
)

// simulatedJSON is a line of JSON: a policy on a trace, or on all of them.
type simulatedJSON struct {
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
	Asked           float64 `json:"asked_per_visit"`
	Best            *int    `json:"best,omitempty"`

	BlockStaleness *float64 `json:"block_staleness,omitempty"` // of an archive
}

// Simulated prints the results of policies on traces: a table, or a line of JSON for each. each
// also prints every trace.
func Simulated(s *terminal.Screen, found []simulate.Comparison, traces []*simulate.Trace, each, asJSON bool) {
	t := terminal.Table{}
	head := []string{">visits/change", "policy", "trace", ">fresh", ">staleness", ">block staleness", ">captured", ">delay", ">90 %", ">nothing new", ">visits", ">planning", ">best"}
	const ofBlocks = 5 // column
	hasBlocks := slices.ContainsFunc(found, func(c simulate.Comparison) bool { return c.Mean.Blocks })
	if !hasBlocks {
		head = slices.Delete(head, ofBlocks, ofBlocks+1)
	}
	t.Head(head...)
	line := func(c *simulate.Comparison, trace string, r *simulate.Result, best *int) {
		var staleness *float64
		blocks := ""
		if r.Blocks {
			staleness, blocks = &r.BlockStaleness, fmt.Sprintf("%.4f", r.BlockStaleness)
		}
		if asJSON {
			s.JSON(simulatedJSON{c.Policy, c.VisitsPerChange, trace, r.Fresh, r.Staleness, r.Captured, r.Delay[0], r.Delay[1], r.Wasted, r.Visits, r.Budget, r.Planning.Seconds(), r.Asked, best, staleness})
			return
		}
		count := ""
		if best != nil {
			count = fmt.Sprint(*best)
		}
		number := func(format string, v ...any) terminal.Cell { return terminal.Number(fmt.Sprintf(format, v...)) }
		if trace == "" {
			trace = fmt.Sprintf("mean of %d", len(traces))
		}
		cells := []terminal.Cell{number("%g", c.VisitsPerChange), terminal.Text(c.Policy), terminal.Text(trace), number("%.4f", r.Fresh), number("%.3f", r.Staleness), terminal.Number(blocks), number("%.4f", r.Captured),
			number("%.2f d", r.Delay[0]), number("%.1f d", r.Delay[1]), number("%.1f %%", 100*r.Wasted), number("%.1f %%", 100*float64(r.Visits)/float64(max(1, r.Budget))),
			terminal.Number(r.Planning.Round(time.Millisecond).String()), terminal.Number(count)}
		if !hasBlocks {
			cells = slices.Delete(cells, ofBlocks, ofBlocks+1)
		}
		t.Row(cells...)
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
	if !asJSON {
		t.Print(s)
	}
}
