package chart_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"plat/queue/simulate"
	"plat/queue/simulate/chart"
)

// compared returns results of policies with budgets: fresh, by policy and budget.
func compared(budgets []float64, fresh map[string][]float64, policies ...string) (all []simulate.Comparison) {
	for x, budget := range budgets {
		for _, p := range policies {
			all = append(all, simulate.Comparison{Policy: p, VisitsPerChange: budget, Best: 1, Mean: simulate.Result{Fresh: fresh[p][x]}})
		}
	}
	return all
}

func TestHeadlinesSayWhichIsBestAndByHowMuch(t *testing.T) {
	fresh := map[string][]float64{"a": {0.5, 0.6, 0.7}, "b": {0.45, 0.62, 0.6}, "c": {0.1, 0.2, 0.3}, "same": {0.5, 0.6, 0.7}}
	traces := []*simulate.Trace{{Name: "one <site>", Pages: make([]simulate.Page, 1234)}, {Name: "two", Pages: make([]simulate.Page, 1)}}
	for _, tc := range []struct {
		budgets  []float64
		policies string
		title    string
		subtitle string
		traces   int
		signals  simulate.Signals
	}{
		{[]float64{1}, "c b a", "a keeps copies freshest: 50.0 % of the time; next is b with 45.0 %", "1 visit per change; means of 2 traces, 1,235 pages; a is freshest on 1 of them", 2, simulate.Signals{}},
		{[]float64{0.5}, "a same", "a and same keep copies freshest: 50.0 % of the time", "0.5 visits per change; two, 1 page", -1, simulate.Signals{}},
		{[]float64{1}, "c", "c keeps copies fresh 10.0 % of the time", "1 visit per change; one <site>, 1,234 pages; signals of 80 % of the changes, 0.25 false ones per change", 1, simulate.Signals{Recall: 0.8, False: 0.25}},
		{[]float64{1, 2, 4}, "a b c", "a keeps copies freshest with 2 of 3 budgets, by 5.0 to 10.0 points", "means of 2 traces, 1,235 pages", 2, simulate.Signals{}},
		{[]float64{1, 2}, "a c", "a keeps copies freshest with each budget, by 40.0 points", "means of 2 traces, 1,235 pages", 2, simulate.Signals{}},
		{[]float64{1, 2}, "a same", "No policy keeps copies fresher than all others", "means of 2 traces, 1,235 pages", 2, simulate.Signals{}},
		{[]float64{1, 2}, "a", "a keeps copies fresh 50.0 % to 60.0 % of the time", "means of 2 traces, 1,235 pages", 2, simulate.Signals{}},
	} {
		of := traces
		switch tc.traces {
		case 1:
			of = traces[:1]
		case -1:
			of = traces[1:]
		}
		c := chart.Simulated(compared(tc.budgets, fresh, strings.Fields(tc.policies)...), of, tc.signals)
		if c.Title != tc.title || c.Subtitle != tc.subtitle {
			t.Errorf("%v, %s:\n%s\n%s\nwant\n%s\n%s", tc.budgets, tc.policies, c.Title, c.Subtitle, tc.title, tc.subtitle)
		}
		if _, err := c.Draw(); err != nil {
			t.Error(err)
		}
	}
}

// The same budget or policy, given twice, is one.
func TestAChartOfASimulation(t *testing.T) {
	trace := &simulate.Trace{Name: "site", To: 100}
	for i := range 5 {
		p := simulate.Page{Name: fmt.Sprint(i)}
		for k := range 20 {
			p.Changes = append(p.Changes, simulate.Change{At: float64(i + k*(i+1)), State: uint64(1 + k)})
		}
		trace.Pages = append(trace.Pages, p)
	}
	traces := []*simulate.Trace{trace}
	for _, budgets := range [][]float64{{1, 1}, {2, 0.5, 1, 2}} {
		found, err := simulate.Compare(t.Context(), traces, budgets, []string{"uniform", "harmonic", "uniform"}, simulate.Signals{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := chart.Simulated(found, traces, simulate.Signals{}).Draw()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := d.SVG(&b); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"uniform", "harmonic", ">fresh<", ">staleness<", ">captured<"} {
			if !strings.Contains(b.String(), name) {
				t.Errorf("budgets %v: %s is missing", budgets, name)
			}
		}
	}
}
