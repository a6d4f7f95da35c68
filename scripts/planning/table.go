package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// figure is a result of the paper, on a video site's list of new videos, day by day.
type figure struct {
	About     string  `json:"about"`
	Accuracy  float64 `json:"accuracy,omitempty"`
	Freshness float64 `json:"freshness,omitempty"`
	Two       float64 `json:"freshness_two_slots,omitempty"`
	Faster    float64 `json:"faster,omitempty"` // than exhaustive search, times
}

var published = []figure{
	{About: "11 visits, δ .65, training (3.1.2)", Accuracy: .71, Freshness: .46, Faster: 230},
	{About: "11 visits, last month (3.1.3)", Accuracy: .79, Freshness: .42, Two: .73},
}

func (r *report) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%d of %d pages have new links in at least %d slots of each period of %d.\n\n", r.Pages, r.Of, often, n)
	fmt.Fprintln(t, "visits\tplan of\tpages\t|M|\tcost\ttraining: accuracy\tfresh\tin 2 slots\ttest: accuracy\tfresh\tin 2 slots\ttime\tfaster\t")
	for _, x := range r.Rows {
		if x.Pages == 0 {
			fmt.Fprintf(t, "%d\t%s\t0\t\t\t\t\t\t\t\t\t\t\t\n", x.Visits, x.Strategy)
			continue
		}
		fmt.Fprintf(t, "%d\t%s\t%d\t%.1f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%s\t%s\t\n", x.Visits, x.Strategy, x.Pages, x.Kept, x.Cost,
			x.Training.Accuracy, x.Training.Freshness, x.Training.Two, x.Test.Accuracy, x.Test.Freshness, x.Test.Two,
			short(x.Time), r.faster(x))
	}
	for _, f := range r.Paper {
		if f.Faster > 0 {
			fmt.Fprintf(t, "11\tthe paper, δ 0.65\t\t\t0.367\t%.2f\t%.2f\t\t\t\t\t\t%.0f ×\t\n", f.Accuracy, f.Freshness, f.Faster)
		} else {
			fmt.Fprintf(t, "11\tthe paper, last month\t\t\t0.367\t\t\t\t%.2f\t%.2f\t%.2f\t\t\t\n", f.Accuracy, f.Freshness, f.Two)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nThe paper's figures are those in its text; of exhaustive, random and even plans it has pictures only.")
	fmt.Fprintln(w, "Means are over the pages that have a plan: with δ, not those that keep fewer slots than visits.")
	for _, x := range r.Rows {
		if x.Gap > 0 {
			fmt.Fprintf(w, "%s, %d visits: not proven the best; total similarity at most %.3g too great\n", x.Strategy, x.Visits, x.Gap)
		}
	}
	fmt.Fprintln(w, "\nDo changes repeat in the two training periods?")
	fmt.Fprintln(t, "correlation\tP\tpage\t")
	for _, p := range r.Repeats {
		fmt.Fprintf(t, "%.2f\t%.4f\t%s\t\n", p.Correlation, p.P, p.Page)
	}
	return t.Flush()
}

// faster formats the speed of a strategy relative to exhaustive search.
func (r *report) faster(x row) string {
	for _, e := range r.Rows {
		if e.Strategy == "exhaustive" && e.Visits == x.Visits && e.Pages > 0 && x.Time > 0 && x.Strategy != e.Strategy {
			return fmt.Sprintf("%.0f ×", float64(e.Time)/float64(x.Time))
		}
	}
	return ""
}

// short rounds a time to a meaningful precision: random and even plans take less than 1 µs.
func short(d time.Duration) time.Duration {
	if d < 10*time.Microsecond {
		return d.Round(10 * time.Nanosecond)
	}
	return d.Round(time.Microsecond)
}
