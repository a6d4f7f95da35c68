package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
)

// String returns the mutation as a small diff.
func (m *mutant) String() string {
	text := fmt.Sprintf("%s:%d %s, %s", m.File, m.Line, m.Func, m.Kind)
	if m.Result != "" {
		text += ": " + m.Result
	}
	for _, line := range m.Before {
		text += "\n    - " + line
	}
	for _, line := range m.After {
		text += "\n    + " + line
	}
	return text
}

// A tally counts mutants of a package by what came of them.
type tally struct{ all, killed, timedOut, survived, uncovered, equivalent int }

// add counts m.
func (t *tally) add(m *mutant) {
	switch m.Result {
	case killed:
		t.killed++
	case timedOut:
		t.timedOut++
	case survived:
		t.survived++
	case uncovered:
		t.uncovered++
	case equivalent:
		t.equivalent++
	default: // not tried, or not valid
		return
	}
	t.all++
}

// percent returns how many of those that are not equivalent are killed.
func (t *tally) percent() string {
	if t.all == t.equivalent {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*float64(t.killed+t.timedOut)/float64(t.all-t.equivalent))
}

// report prints a table by package, and entries that match nothing any more; or all mutants as JSON.
func report(w io.Writer, mutants []*mutant, entries []*entry, asJSON bool) {
	if asJSON {
		for enc := json.NewEncoder(w); len(mutants) > 0; mutants = mutants[1:] {
			enc.Encode(mutants[0])
		}
		return
	}
	var total tally
	var order []string
	tallies := map[string]*tally{}
	for _, m := range mutants {
		if tallies[m.Package] == nil {
			tallies[m.Package] = &tally{}
			order = append(order, m.Package)
		}
		tallies[m.Package].add(m)
		total.add(m)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "package\tmutants\tkilled\ttimed out\tsurvived\tnot covered\tequivalent\tkilled of the rest")
	row := func(name string, n *tally) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", name, n.all, n.killed, n.timedOut, n.survived, n.uncovered, n.equivalent, n.percent())
	}
	for _, name := range order {
		row(name, tallies[name])
	}
	row("all", &total)
	t.Flush()
	for _, e := range stale(mutants, entries) {
		fmt.Fprintf(w, "equivalent.txt: no mutation of %s is that of %s any more: %q\n", e.file, e.fn, e.before)
	}
}

// stale returns the entries on files of the mutated packages that no mutation matches.
func stale(mutants []*mutant, entries []*entry) []*entry {
	var old []*entry
	seen := map[*pkg]bool{}
	used := map[*entry]bool{}
	files := map[string]bool{}
	for _, m := range mutants {
		if seen[m.pkg] {
			continue
		}
		seen[m.pkg] = true
		for _, s := range m.pkg.sources {
			files[s.name] = true
			for _, at := range sitesOf(s, m.pkg.info) {
				for _, e := range at.edits {
					if j := judged(entries, at, e); j != nil {
						used[j] = true
					}
				}
			}
		}
	}
	for _, e := range entries {
		if files[e.file] && !used[e] {
			old = append(old, e)
		}
	}
	return old
}
