package simulate

import (
	"fmt"
	"sync"
	"time"
)

// Progress is the state of a comparison.
type Progress struct {
	Ended, Runs   int
	Part          float64 // of the work, from 0 to 1
	Policy, Trace string  // of the run that began last
}

// After returns a line for display: the part done after d, the run in progress, and an estimate of
// the remaining time. The estimate is left out until there is enough data.
func (p Progress) After(d time.Duration) string {
	line := fmt.Sprintf("%.0f %%, %d of %d runs", 100*p.Part, p.Ended, p.Runs)
	if p.Part >= 0.02 && d >= time.Second && p.Ended < p.Runs {
		line += ", about " + time.Duration(float64(d)/p.Part*(1-p.Part)).Round(time.Second).String() + " left"
	}
	if p.Policy != "" && p.Ended < p.Runs {
		line += ": " + p.Policy + " on " + p.Trace
	}
	return line
}

// watch reports the progress of a comparison.
type watch struct {
	report func(Progress)
	all    float64 // work

	mu   sync.Mutex
	done float64  // guarded by mu, as the next
	now  Progress // without Part
}

func newWatch(traces []*Trace, all []Comparison, report func(Progress)) *watch {
	w := &watch{report: report, now: Progress{Runs: len(traces) * len(all)}}
	for i := range all {
		for _, t := range traces {
			w.all += work(&all[i], t)
		}
	}
	return w
}

// work returns the cost of a run, without a unit: each step of the budget checks all pages. A run
// without visits still has a cost.
func work(c *Comparison, t *Trace) float64 {
	return 1 + c.VisitsPerChange*float64(t.Versions())*float64(len(t.Pages))
}

func (w *watch) begins(c *Comparison, t *Trace) { w.tell(c, t, false) }

func (w *watch) ended(c *Comparison, t *Trace) { w.tell(c, t, true) }

func (w *watch) tell(c *Comparison, t *Trace, ended bool) {
	if w.report == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if ended {
		w.now.Ended++
		w.done += work(c, t)
	} else {
		w.now.Policy, w.now.Trace = c.Policy, t.Name
	}
	p := w.now
	p.Part = min(1, w.done/w.all)
	w.report(p)
}
