// Command figures keeps the measured figures of docs/figures, one CSV file for each
// benchmark, and writes the table of the latest ones, docs/figures.md.
//
//	go run ./scripts/figures            writes docs/figures.md
//	go run ./scripts/figures --check    fails if docs/figures.md differs from the data
//	go run ./scripts/figures add BENCHMARK -measure TEXT -value N [-unit TEXT] [-range TEXT] [-goal TEXT]
//	                         [-command TEXT] [-conditions TEXT] [-machine TEXT] [-note TEXT]
//
// add appends one record, with today's date and the commit of the checkout, and writes the table.
package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A record is one line of a file in docs/figures: a figure, or a note without one.
type record struct {
	date       string // day of the run, YYYY-MM-DD
	commit     string // measured commit, or the one that added the figure
	machine    string // letter of the machine, and its load
	command    string // repeats the run; empty if no command does
	conditions string // of the run: rounds, seeds, data, an earlier commit beside it
	measure    string // name of the figure; the latest of a name is in the table
	value      string // number; empty: the record is a note
	unit       string // × for ratios, empty for a share from 0 to 1
	span       string // lowest and highest of several runs
	goal       string // "≤ N" or "≥ N", in the unit of the value
	note       string // causes, and figures without a name
}

// header is the first line of each file.
const header = "date,commit,machine,command,conditions,measure,value,unit,range,goal,note"

func (r *record) fields() []*string {
	return []*string{&r.date, &r.commit, &r.machine, &r.command, &r.conditions, &r.measure,
		&r.value, &r.unit, &r.span, &r.goal, &r.note}
}

const (
	folder = "docs/figures"
	table  = "docs/figures.md"

	// longestNote is the limit of a note in bytes: a record is one figure, not a report.
	longestNote = 500
)

const head = `# Figures

The latest figure of each measure. The data are in [figures/](figures): one CSV file for each benchmark,
with every earlier figure and the conditions of each run. ` + "`go run ./scripts/figures`" + ` writes this table from them;
` + "`go run ./scripts/figures add BENCHMARK -measure … -value …`" + ` appends a figure ([CONTRIBUTING.md](../CONTRIBUTING.md)).

Times on a shared machine vary by a fifth from one run to the next, so compare ratios within one run. Machine A has
2 cores, 24 GB, Debian 12 and Chromium headless shell 156. A range in brackets is the lowest and highest of several runs.
**Missed** marks a figure that does not reach its goal. The commit is the measured one where the run names it, otherwise
the one that added the figure. Commands of earlier dates name packages as they were called then; ` + "`.ci/run`" + ` is
` + "`scripts/test`" + ` on a clean checkout.
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 0:
		return write()
	case len(args) == 1 && (args[0] == "--check" || args[0] == "-check"):
		want, err := render()
		if err != nil {
			return err
		}
		if have, err := os.ReadFile(table); err != nil || !bytes.Equal(have, want) {
			return errors.New(table + " differs from the data in " + folder + "; run go run ./scripts/figures and commit the result")
		}
		return nil
	case len(args) > 1 && args[0] == "add":
		if err := add(args[1], args[2:]); err != nil {
			return err
		}
		return write()
	}
	return errors.New("usage: go run ./scripts/figures [--check | add BENCHMARK -measure TEXT -value N …]")
}

func write() error {
	b, err := render()
	if err != nil {
		return err
	}
	return os.WriteFile(table, b, 0o644)
}

// render returns the table.
func render() ([]byte, error) {
	files, err := filepath.Glob(folder + "/*.csv")
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var b bytes.Buffer
	b.WriteString(head)
	for _, name := range files {
		records, err := read(name)
		if err != nil {
			return nil, err
		}
		section(&b, strings.TrimSuffix(filepath.Base(name), ".csv"), records)
	}
	return b.Bytes(), nil
}

// section writes the latest record of each measure, in the order in which the measures
// first appear in the file.
func section(b *bytes.Buffer, name string, records []record) {
	latest := map[string]record{}
	var order []string
	for _, r := range records {
		if r.measure == "" {
			continue
		}
		if _, ok := latest[r.measure]; !ok {
			order = append(order, r.measure)
		}
		latest[r.measure] = r
	}
	if len(order) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## [%s](figures/%s.csv)\n\n", name, name)
	b.WriteString("| measure | figure | goal | date | commit | command |\n|---|--:|--:|---|---|---|\n")
	for _, m := range order {
		r := latest[m]
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n",
			cell(m), cell(figure(r)), cell(r.goal), r.date, r.commit, how(r))
	}
}

// figure returns the value with its unit and range.
func figure(r record) string {
	s := r.value
	if whole, err := strconv.ParseInt(s, 10, 64); err == nil {
		s = thousands(whole)
	}
	switch r.unit {
	case "":
	case "×":
		s = "× " + s
	default:
		s += " " + r.unit
	}
	if r.span != "" {
		s += " (" + r.span + ")"
	}
	if missed(r) {
		s += " **missed**"
	}
	return s
}

// missed reports whether a figure does not reach a goal of the form "≤ N" or "≥ N".
func missed(r record) bool {
	sign, limit, ok := strings.Cut(r.goal, " ")
	if !ok {
		return false
	}
	goal, err := strconv.ParseFloat(strings.ReplaceAll(limit, ",", ""), 64)
	value, err2 := strconv.ParseFloat(r.value, 64)
	if err != nil || err2 != nil {
		return false
	}
	return sign == "≤" && value > goal || sign == "≥" && value < goal
}

func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// how returns the command of a record, or its conditions if no command repeats it.
func how(r record) string {
	if r.command == "" {
		return cell(r.conditions)
	}
	return "`" + cell(r.command) + "`"
}

// read returns the records of a file. It refuses a different header, bad dates, dates out of order,
// values that are not numbers, records that are neither a figure nor a note, and long notes.
func read(name string) ([]record, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(string(b), "\n")
	if first != header {
		return nil, fmt.Errorf("%s: the first line is not %s", name, header)
	}
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var records []record
	last := ""
	for n, row := range rows[1:] {
		var r record
		for i, field := range r.fields() {
			*field = row[i]
		}
		if err := check(r, last); err != nil {
			return nil, fmt.Errorf("%s, record %d: %w", name, n+1, err)
		}
		last = r.date
		records = append(records, r)
	}
	return records, nil
}

func check(r record, last string) error {
	_, err := time.Parse(time.DateOnly, r.date)
	_, number := strconv.ParseFloat(r.value, 64)
	switch {
	case err != nil:
		return fmt.Errorf("date %q is not of the form YYYY-MM-DD", r.date)
	case r.date < last:
		return fmt.Errorf("date %s is before that of the previous line, %s; append records at the end", r.date, last)
	case (r.measure == "") != (r.value == ""):
		return errors.New("a measure needs a value, and a value a measure")
	case r.value != "" && number != nil:
		return fmt.Errorf("value %q is not a number; write 1234.5", r.value)
	case r.measure == "" && r.note == "":
		return errors.New("the record has no measure and no note")
	case len(r.note) > longestNote:
		return fmt.Errorf("the note has %d bytes of at most %d; divide it into several records", len(r.note), longestNote)
	}
	return nil
}

// add appends a record to the file of a benchmark.
func add(benchmark string, args []string) error {
	flags := flag.NewFlagSet("add", flag.ContinueOnError)
	r := record{date: time.Now().UTC().Format(time.DateOnly)}
	flags.StringVar(&r.measure, "measure", "", "name of the figure, as in the table")
	flags.StringVar(&r.value, "value", "", "number, without its unit")
	flags.StringVar(&r.unit, "unit", "", "unit: ms, MB, %, × for ratios")
	flags.StringVar(&r.span, "range", "", "lowest and highest of several runs: 0.76–0.96")
	flags.StringVar(&r.goal, "goal", "", "goal: ≤ 300 or ≥ 0.80")
	flags.StringVar(&r.command, "command", "scripts/bench "+benchmark, "command that repeats the run")
	flags.StringVar(&r.conditions, "conditions", "", "rounds, seeds, data, a commit beside it")
	flags.StringVar(&r.machine, "machine", "A", "letter of the machine, and its load")
	flags.StringVar(&r.note, "note", "", "causes, and figures without a name")
	if err := flags.Parse(args); err != nil {
		return err
	}
	name := filepath.Join(folder, benchmark+".csv")
	var last string
	if records, err := read(name); err == nil && len(records) > 0 {
		last = records[len(records)-1].date
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := check(r, last); err != nil {
		return err
	}
	out, err := exec.Command("git", "rev-parse", "--short=7", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("the commit of this checkout: %w", err)
	}
	r.commit = strings.TrimSpace(string(out))
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	if last == "" {
		err = w.Write(strings.Split(header, ","))
	}
	var row []string
	for _, field := range r.fields() {
		row = append(row, *field)
	}
	err = errors.Join(err, w.Write(row))
	w.Flush()
	return errors.Join(err, w.Error(), f.Close())
}
