package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"plat/fixtures/history"
)

// score is the counts of the evaluator for a page, a site or a set. P, R and F are nil if
// nothing is new.
type score struct {
	Pairs  int      `json:"pairs"`
	New    int      `json:"new"`
	Found  int      `json:"tp"`
	Missed int      `json:"fn"`
	False  int      `json:"fp"`
	Pieces int      `json:"piece"`
	P      *float64 `json:"P"`
	R      *float64 `json:"R"`
	F      *float64 `json:"F"`
}

// whole are the further figures of a set.
type whole struct {
	score
	Pages        int      `json:"pages"`
	PagesWithNew int      `json:"pages_with_new"`
	MacroP       *float64 `json:"macro_P"`
	MacroR       *float64 `json:"macro_R"`
	MacroF       *float64 `json:"macro_F"`
	CalmPairs    int      `json:"pairs_without_new"`
	FalseCalm    int      `json:"false_on_pairs_without_new"`
	SamePairs    int      `json:"same_text_pairs"`
	FalseSame    int      `json:"false_on_same_text_pairs"`
	NonePairs    int      `json:"none_pairs"`
	FalseNone    int      `json:"false_on_none_pages"`
}

// perThousand is the number of false items on 1,000 pairs of pages that have no list.
func (w *whole) perThousand() float64 {
	return 1000 * float64(w.FalseNone) / float64(max(1, w.NonePairs))
}

// verdict is the evaluator's answer.
type verdict struct {
	Sets  map[string]*whole `json:"sets"`
	Sites map[string]*score `json:"sites"`
	Pages map[string]struct {
		Set  string `json:"set"`
		Site string `json:"site"`
	} `json:"pages"`
	Unknown int `json:"unknown_pairs"`
	Errors  []struct {
		Page     string   `json:"page"`
		From     int      `json:"from"`
		To       int      `json:"to"`
		Missed   []string `json:"missed"`
		Reported []struct {
			URL   string `json:"url"`
			Title string `json:"title"`
		} `json:"wrong"`
	} `json:"errors"`
}

// setReport is all that is measured of a set.
type setReport struct {
	Set     string      `json:"set"`
	Split   string      `json:"split"`
	Sites   []siteRow   `json:"sites"`
	Whole   *whole      `json:"all"`
	PerK    float64     `json:"false_per_1000_pairs_of_none_pages"`
	Methods []methodRow `json:"methods"`
	Errors  []errorRow  `json:"errors"`
	Speed   speed       `json:"speed"`
}

type siteRow struct {
	Site  string `json:"site"`
	Pages int    `json:"pages"`
	score
}

type methodRow struct {
	Method string `json:"method"`
	*whole
}

type errorRow struct {
	Page  string `json:"page"`
	From  int    `json:"from"`
	To    int    `json:"to"`
	Kind  string `json:"kind"` // "missed", "false" or "piece"
	Item  string `json:"item"`
	Cause string `json:"cause"`
}

// errors.txt has a line a pair: page, pair, and the cause of all errors there.
//
//go:embed errors.txt
var causesText string

const notLookedAt = "not looked at"

// causes reads such a text; keys are "page from-to".
func causes(text string) (map[string]string, error) {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		page, rest, _ := strings.Cut(line, " ")
		pair, cause, ok := strings.Cut(strings.TrimSpace(rest), " ")
		if !ok || !strings.Contains(pair, "-") {
			return nil, fmt.Errorf("errors.txt: %q is not a page, a pair such as 3-4, and a cause", line)
		}
		out[page+" "+pair] = strings.TrimSpace(cause)
	}
	return out, nil
}

//go:embed pieces.py
var piecesProgram string

// baselines are those of eval/baselines.py, as tables call them.
var baselines = [][2]string{
	{"difflib", "baseline: difflib"}, {"never", "baseline: links never seen"},
	{"never3", "baseline: never seen, main part, 3 words"}, {"lcs", "baseline: LCS of links"},
}

// evaluator runs the programs of the data.
type evaluator struct {
	*options
	python string
	dir    string // of the programs
	causes map[string]string
}

func newEvaluator(o *options) (*evaluator, error) {
	e := &evaluator{options: o}
	var err error
	if e.python, err = exec.LookPath("python3"); err != nil {
		return nil, errors.New("there is no python3, which the evaluator of the data is written for; install it (Debian: apt-get install python3)")
	}
	// Data that are kept apart may come without the programs.
	shared, _ := history.Dir()
	for _, data := range []string{o.data, shared} {
		e.dir = filepath.Join(data, "watch", "eval")
		if _, err = os.Stat(filepath.Join(e.dir, "watcheval.py")); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("there is no evaluator: %w; set -data or PLAT_DATA to the folder that holds watch/eval", err)
	}
	e.causes, err = causes(causesText)
	return e, err
}

// truth is the file with the truth of a set.
func (e *evaluator) truth(set string) (string, error) {
	name := filepath.Join(e.data, "watch", "truth", set+"-"+e.split+".jsonl")
	for _, n := range []string{name + ".gz", name} {
		if _, err := os.Stat(n); err == nil {
			return n, nil
		}
	}
	return "", fmt.Errorf("there is no truth %s.gz; set -data to the folder that holds watch/truth", name)
}

// report measures a set.
func (e *evaluator) report(ctx context.Context, set string) (*setReport, error) {
	truth, err := e.truth(set)
	if err != nil {
		return nil, err
	}
	a, err := e.open(ctx, set)
	if err != nil {
		return nil, err
	}
	defer a.store.Close()
	r := &setReport{Set: set, Split: e.split}
	files, cost, err := e.predict(ctx, set, a)
	if err != nil {
		return nil, err
	}
	r.Speed = cost
	for i, file := range files {
		v, w, err := e.judgeAll(ctx, truth, file)
		if err != nil {
			return nil, err
		}
		r.Methods = append(r.Methods, methodRow{methods[i].name, w})
		if i > 0 {
			continue
		}
		r.Whole, r.PerK = w, w.perThousand()
		r.Sites = v.sites()
		pieces, err := e.pieces(ctx, truth, file)
		if err != nil {
			return nil, err
		}
		r.Errors = v.errors(pieces, e.causes)
	}
	for _, b := range baselines {
		file, err := e.baseline(ctx, set, b[0])
		if err != nil {
			return nil, err
		}
		_, w, err := e.judgeAll(ctx, truth, file)
		if err != nil {
			return nil, err
		}
		r.Methods = append(r.Methods, methodRow{b[1], w})
	}
	return r, nil
}

// judgeAll judges predictions, and returns the figures of the set as a whole too.
func (e *evaluator) judgeAll(ctx context.Context, truth, predictions string) (*verdict, *whole, error) {
	v, err := e.judge(ctx, truth, predictions)
	if err != nil {
		return nil, nil, err
	}
	w, err := v.only()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", truth, err)
	}
	return v, w, nil
}

// run runs a program of the data, and returns its output.
func (e *evaluator) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, e.python, append([]string{"-B"}, args...)...)
	var told bytes.Buffer
	cmd.Stderr = &told
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("python3 %s: %w\n%s", strings.Join(args, " "), err, told.Bytes())
	}
	return out, nil
}

// judge holds predictions against the truth.
func (e *evaluator) judge(ctx context.Context, truth, predictions string) (*verdict, error) {
	out, err := os.CreateTemp("", "plat-watch-*.json")
	if err != nil {
		return nil, err
	}
	out.Close()
	defer os.Remove(out.Name())
	if _, err := e.run(ctx, filepath.Join(e.dir, "watcheval.py"), "--truth", truth, predictions, "--json", out.Name()); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(out.Name())
	if err != nil {
		return nil, err
	}
	v := &verdict{}
	if err := json.Unmarshal(b, v); err != nil {
		return nil, fmt.Errorf("what watcheval.py has written: %w", err)
	}
	if v.Unknown > 0 {
		return nil, fmt.Errorf("%d pairs of %s are not in the truth: archive and truth are of other data", v.Unknown, predictions)
	}
	return v, nil
}

// only is the one set that was judged.
func (v *verdict) only() (*whole, error) {
	for _, w := range v.Sets {
		if len(v.Sets) == 1 {
			return w, nil
		}
	}
	return nil, fmt.Errorf("has %d sets; one is wanted", len(v.Sets))
}

// sites are the rows of the sites. As in the sums of the evaluator, pages that are debatable are
// left out.
func (v *verdict) sites() []siteRow {
	pages := map[string]int{}
	for _, p := range v.Pages {
		pages[p.Set+"/"+p.Site]++
	}
	var out []siteRow
	for _, k := range slices.Sorted(maps.Keys(v.Sites)) {
		_, site, _ := strings.Cut(k, "/")
		out = append(out, siteRow{site, pages[k], *v.Sites[k]})
	}
	return out
}

// piece is a prediction that the evaluator counts as a link inside of a new item.
type piece struct {
	Page string
	From int
	To   int
	Item string
}

func (e *evaluator) pieces(ctx context.Context, truth, predictions string) ([]piece, error) {
	printed, err := e.run(ctx, "-c", piecesProgram, e.dir, truth, predictions)
	if err != nil {
		return nil, err
	}
	var out []piece
	for d := json.NewDecoder(bytes.NewReader(printed)); d.More(); {
		var p piece
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("what pieces.py has printed: %w", err)
		}
		out = append(out, p)
	}
	return out, nil
}

// errors returns the rows of the errors, in the order of pages and pairs.
func (v *verdict) errors(pieces []piece, causes map[string]string) []errorRow {
	out := []errorRow{}
	add := func(page string, from, to int, kind, item string) {
		cause := causes[fmt.Sprintf("%s %d-%d", page, from, to)]
		if cause == "" {
			cause = notLookedAt
		}
		out = append(out, errorRow{page, from, to, kind, item, cause})
	}
	for _, x := range v.Errors {
		for _, m := range x.Missed {
			add(x.Page, x.From, x.To, "missed", m)
		}
		for _, w := range x.Reported {
			if w.Title == "" {
				w.Title = w.URL
			}
			add(x.Page, x.From, x.To, "false", w.Title)
		}
	}
	for _, p := range pieces {
		add(p.Page, p.From, p.To, "piece", p.Item)
	}
	slices.SortStableFunc(out, func(a, b errorRow) int {
		return cmp.Or(strings.Compare(a.Page, b.Page), a.From-b.From)
	})
	return out
}

// baseline is the file with the predictions of a baseline, kept with the archives, and made
// again when the data or the program are newer.
func (e *evaluator) baseline(ctx context.Context, set, name string) (string, error) {
	file := filepath.Join(e.archives, set+"-baseline-"+name+".jsonl")
	program := filepath.Join(e.dir, "baselines.py")
	if kept, err := os.Stat(file); err == nil {
		fresh := true
		for _, of := range []string{program, filepath.Join(e.recorded(set), "urls.json")} {
			i, err := os.Stat(of)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
			fresh = fresh && err == nil && i.ModTime().Before(kept.ModTime())
		}
		if fresh {
			return file, nil
		}
	}
	fmt.Fprintf(os.Stderr, "%s: running the baseline %s\n", set, name)
	out, err := e.run(ctx, program, name, e.recorded(set))
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file+".new", out, 0o644); err != nil {
		return "", err
	}
	return file, os.Rename(file+".new", file)
}
