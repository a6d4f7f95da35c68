package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// The goals, as fractions.
const (
	meanGoal   = .998 // mean recall
	pageGoal   = .99  // recall of a good page …
	shareGoal  = .98  // … and how many pages are good
	worstGoal  = .95  // recall of every page
	excessGoal = .003 // of all words shown
)

// totals cover the pages that could be compared; the rest count as failed.
type totals struct {
	pages, failed      int
	mean, share, worst float64 // recall
	excess             float64
}

func summary(all []*result) totals {
	t := totals{worst: 1}
	shown, excess := 0, 0
	for _, r := range all {
		if r.Error != "" {
			t.failed++
			continue
		}
		t.pages++
		t.mean += r.recall()
		t.worst = min(t.worst, r.recall())
		if r.recall() >= pageGoal {
			t.share++
		}
		shown += r.Shown
		excess += r.Excess
	}
	n := float64(max(t.pages, 1))
	t.mean /= n
	t.share /= n
	t.excess = float64(excess) / float64(max(shown, 1))
	return t
}

func (t totals) good() bool {
	return t.pages > 0 && t.failed == 0 && t.mean >= meanGoal && t.share >= shareGoal && t.worst >= worstGoal && t.excess <= excessGoal
}

// report prints the tables and reports whether the goals are met.
func report(out io.Writer, all []*result, worst int) bool {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "package\tpages\tfailed\twords\trecall\tworst\texcess\t\n")
	for i := 0; i < len(all); {
		j := i
		words, excess := 0, 0.
		for ; j < len(all) && all[j].Package == all[i].Package; j++ {
			words += all[j].Seen
			excess += all[j].excess()
		}
		t := summary(all[i:j])
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.4f\t%.4f\t%.4f\t\n", all[i].Package, j-i, t.failed, words, t.mean, t.worst, excess/float64(j-i))
		i = j
	}
	w.Flush()
	t := summary(all)
	fmt.Fprintf(out, "\n%d pages, %d failed\n", t.pages+t.failed, t.failed)
	for _, g := range []struct {
		name      string
		got, goal float64
		ok        bool
	}{
		{"mean recall", t.mean, meanGoal, t.mean >= meanGoal},
		{"share of pages with recall ≥ .99", t.share, shareGoal, t.share >= shareGoal},
		{"lowest recall", t.worst, worstGoal, t.worst >= worstGoal},
		{"excess of all words", t.excess, excessGoal, t.excess <= excessGoal},
	} {
		verdict := "ok"
		if !g.ok {
			verdict = "missed"
		}
		fmt.Fprintf(out, "%-34s %.5f   goal %.3f   %s\n", g.name, g.got, g.goal, verdict)
	}
	// A few long pages contain most of the words, so short ones hardly count
	// above.
	pageExcess := 0.
	for _, r := range all {
		pageExcess += r.excess()
	}
	fmt.Fprintf(out, "%-34s %.5f   no goal\n", "mean excess of pages", pageExcess/float64(max(len(all), 1)))
	printWorst(out, all, worst)
	return t.good()
}

// printWorst prints pages that could not be compared, then those with the most
// errors.
func printWorst(out io.Writer, all []*result, n int) {
	badness := func(r *result) float64 {
		if r.Error != "" {
			return 2
		}
		return max(1-r.recall(), r.excess())
	}
	some := slices.Clone(all)
	slices.SortStableFunc(some, func(a, b *result) int { return cmp.Compare(badness(b), badness(a)) })
	for _, r := range some[:min(n, len(some))] {
		if badness(r) == 0 {
			return
		}
		fmt.Fprintf(out, "\n%s\n", r.Page)
		if r.Error != "" {
			fmt.Fprintf(out, "  %s\n", r.Error)
			continue
		}
		fmt.Fprintf(out, "  recall %.4f, excess %.4f; %d words seen, %d shown\n", r.recall(), r.excess(), r.Seen, r.Shown)
		if r.Missing > 0 {
			fmt.Fprintf(out, "  missing %d: %s\n", r.Missing, strings.Join(r.MissingWords, ", "))
		}
		if r.Excess > 0 {
			fmt.Fprintf(out, "  excess  %d: %s\n", r.Excess, strings.Join(r.ExcessWords, ", "))
		}
	}
}
