// Mutate checks the tests. It changes one operator, condition, constant or statement of a package at a time (a
// mutation) and runs the tests that reach it. What no test notices is printed: a test is missing, or the code is not
// needed, or the mutation changes nothing.
//
//	go run ./scripts/mutate                          300 mutations of the packages without I/O
//	go run ./scripts/mutate -n 50 -seed 7 ./diff/... 50 of these packages, others than those of seed 1
//	go run ./scripts/mutate -changed main            all mutations of lines that differ from main
//	go run ./scripts/mutate -at diff/kind.go:82      all mutations of this line, or file
//
// No file of the checkout is changed: mutants are compiled by go test -c with an overlay, in a temporary folder.
// Tests get five times their usual time, and five seconds; a mutant that takes longer counts as killed. One on a line
// that no test reaches survives without a run. Those that do not compile are not counted, nor those whose binary is
// the same, nor those that equivalent.txt lists with a reason. Integers of tables of data (of 16 and more), lengths of
// arrays, capacities and locks are not mutated.
//
// What tests cover is measured before, test by test, and kept in .work/mutate until tests or code change. For all
// packages that takes about ten minutes of a core, and a mutation 3 to 10 seconds. The cache of go build grows with
// each mutant: go clean -cache empties it.
package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

//go:embed equivalent.txt
var equivalents []byte

var (
	count   = flag.Int("n", 300, "mutations; with -changed or -at all, unless it is given")
	seed    = flag.Uint64("seed", 1, "which mutations")
	changed = flag.String("changed", "", "only lines that differ from this `COMMIT`")
	at      = flag.String("at", "", "only this `FILE` or FILE:LINE")
	with    = flag.String("with", "", "tests of these `PACKAGES` (comma) count, too, for every mutation")
	workers = flag.Int("p", max(1, runtime.NumCPU()), "mutants at a time")
	short   = flag.Bool("short", true, "run tests with -short")
	asJSON  = flag.Bool("json", false, "print JSON, one mutation a line")
	list    = flag.Bool("list", false, "print the mutations and run nothing")
)

// A target is packages that are mutated if none are named.
type target struct {
	pattern string
	files   string   // of names, if not all
	not     string   // names that are left out: they read or write an archive
	with    []string // packages whose tests count, too
}

// targets have no I/O, clock or randomness, or only in files that are left out.
var targets = []target{
	{pattern: "plat/..."},
	{pattern: "segment"}, {pattern: "segment/article"}, {pattern: "segment/article/phrases", with: []string{"segment/article"}},
	{pattern: "segment/boilerplate"}, {pattern: "segment/classifier", with: []string{"segment/classifier/fit", "segment/label"}}, {pattern: "segment/htmlsnapshot"},
	{pattern: "segment/label"}, {pattern: "segment/label/chinese"}, {pattern: "segment/markdown"}, {pattern: "segment/markup"}, {pattern: "segment/metadata"},
	{pattern: "diff"}, {pattern: "diff/noise"}, {pattern: "diff/noise/attributes", with: []string{"diff/noise"}},
	{pattern: "diff/noise/times", with: []string{"diff/noise"}}, {pattern: "diff/noise/dial", with: []string{"diff/noise"}}, {pattern: "diff/rules"},
	{pattern: "queue/links"}, {pattern: "queue/recent"}, {pattern: "queue/schedule", not: `^planner\.go$`},
	{pattern: "queue/simulate"}, {pattern: "queue/slots"}, {pattern: "queue/traps", not: `^(alias|guard|known|links|visits)\.go$`},
	{pattern: "watch"}, {pattern: "watch/digest"}, {pattern: "watch/follow", files: `^(check|filter|item)\.go$`}, {pattern: "watch/opml"},
	{pattern: "focus"}, {pattern: "focus/cloaking"}, {pattern: "focus/topic"},
	{pattern: "storage", not: `^(address|crawls|frontier|storage|subscriptions)\.go$`, with: []string{"storage/sqlite"}}, {pattern: "storage/delta"},
	{pattern: "storage/sqlite", files: `^(head|pack|shape|tree|wire)\.go$`},
	{pattern: "browser/cookies"}, {pattern: "browser/fetch/robots"}, {pattern: "browser/fetch/sitemap"}, {pattern: "browser/origin"},
	{pattern: "browser/revalidate", files: `^(answer|decide|observe|source|state)\.go$`}, {pattern: "browser/steps"},
	{pattern: "workers/softerror"},
	{pattern: "export/warc", files: `^(cdxj|record)\.go$`}, {pattern: "web/memento"},
}

// A mutant is one mutation and what came of it.
type mutant struct {
	site site
	edit edit
	pkg  *pkg

	Package string   `json:"package"`
	File    string   `json:"file"`
	Line    int      `json:"line"`
	Func    string   `json:"func"`
	Kind    string   `json:"kind"`
	Before  []string `json:"before"`
	After   []string `json:"after"`
	Result  string   `json:"result"`
	By      string   `json:"by,omitempty"` // the test that failed, or the reason of an entry
	Seconds float64  `json:"seconds"`      // with its compilation
}

// Results of mutants.
const (
	killed     = "killed"
	timedOut   = "timed out" // counts as killed
	survived   = "survived"
	uncovered  = "not covered" // counts as survived
	equivalent = "equivalent"  // not counted
	invalid    = "does not compile"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("mutate: ")
	flag.Usage = usage
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := mutate(ctx, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// usage prints what --help says.
func usage() {
	fmt.Fprintf(os.Stderr, "Usage: go run ./scripts/mutate [flags] [PACKAGE...]\n\n"+
		"Changes one operator, condition, constant or statement of a package at a time and prints what no test notices.\n"+
		"Without PACKAGE: the packages without I/O. No file is changed; mutants are compiled with an overlay.\n\n"+
		"  go run ./scripts/mutate -n 50 -seed 7 ./diff/...    50 mutations of these packages\n"+
		"  go run ./scripts/mutate -changed main               all of lines that differ from main\n"+
		"  go run ./scripts/mutate -at diff/kind.go:82         all of this line\n\n"+
		"Tests get 5 times their usual time and 5 seconds; a mutant that takes longer, or more than 6 GB, counts as killed.\n"+
		"Judged survivors are in scripts/mutate/equivalent.txt.\n\n")
	flag.PrintDefaults()
}

func mutate(ctx context.Context, patterns []string) error {
	out, err := run(ctx, ".", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	root := strings.TrimSpace(string(out))
	entries, err := readEntries(bytes.NewReader(equivalents))
	if err != nil {
		return fmt.Errorf("equivalent.txt: %w", err)
	}
	lines, err := chosenLines(ctx, root)
	if err != nil {
		return err
	}
	pkgs, withs, err := choose(ctx, root, patterns, lines)
	if err != nil {
		return err
	}
	n := *count
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "n" })
	if lines != nil && !given {
		n = -1
	}
	mutants := sample(ctx, pkgs, n, *seed)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if *list {
		for _, m := range mutants {
			fmt.Println(m)
		}
		return nil
	}
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := &runner{
		root: root, work: work, kept: filepath.Join(root, ".work", "mutate"),
		short: *short, factor: 5, start: 5 * time.Second, memory: 6 << 30,
	}
	err = r.all(ctx, mutants, entries, func(dir string) []string {
		return append(withs[dir], strings.FieldsFunc(*with, func(c rune) bool { return c == ',' })...)
	})
	report(os.Stdout, mutants, entries, *asJSON)
	return err
}

// all measures the suites and tries each mutant, some at a time.
func (r *runner) all(ctx context.Context, mutants []*mutant, entries []*entry, with func(dir string) []string) error {
	suites := map[string][]*suite{}
	var todo []*mutant
	for _, m := range mutants {
		if e := judged(entries, m.site, m.edit); e != nil {
			m.Result, m.By = equivalent, e.reason
			continue
		}
		todo = append(todo, m)
		suites[m.Package] = nil
	}
	byDir := map[string]*pkg{}
	for _, m := range todo {
		byDir[m.Package] = m.pkg
	}
	var mu sync.Mutex
	var first error
	each(*workers, slices.Sorted(keys(suites)), func(dir string) {
		for _, tests := range append([]string{dir}, with(dir)...) {
			start := time.Now()
			s, err := r.measure(ctx, filepath.Clean(tests), byDir[dir])
			mu.Lock()
			if err != nil {
				first = cmp.Or(first, err)
			} else {
				suites[dir] = append(suites[dir], s)
				log.Printf("%s: %d tests of %s reach it (%.0f s)", dir, len(s.Tests), tests, time.Since(start).Seconds())
				for _, t := range s.Left {
					log.Printf("%s: %s of %s fails without a mutation and is not run", dir, t, tests)
				}
			}
			mu.Unlock()
		}
	})
	if first != nil {
		return first
	}
	done := 0
	each(*workers, todo, func(m *mutant) {
		start := time.Now()
		err := r.try(ctx, m, suites[m.Package])
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			m.Result = ""
			return
		}
		first = cmp.Or(first, err)
		m.Seconds = time.Since(start).Seconds()
		done++
		log.Printf("%d/%d %s:%d %s: %s %s (%.1f s)", done, len(todo), m.File, m.Line, m.Kind, m.Result, m.By, m.Seconds)
		if !*asJSON && (m.Result == survived || m.Result == uncovered) {
			fmt.Printf("%s\n\n", m)
		}
	})
	return cmp.Or(first, ctx.Err())
}

// each calls f with all of list, n at a time.
func each[T any](n int, list []T, f func(T)) {
	ch := make(chan T)
	var wg sync.WaitGroup
	for range max(1, n) {
		wg.Go(func() {
			for v := range ch {
				f(v)
			}
		})
	}
	for _, v := range list {
		ch <- v
	}
	close(ch)
	wg.Wait()
}

var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// try runs the tests that reach m until one fails.
func (r *runner) try(ctx context.Context, m *mutant, suites []*suite) error {
	folder, err := os.MkdirTemp(r.work, "mutant")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	overlay, err := r.overlay(folder, m.File, m.site.file.apply(m.edit))
	if err != nil {
		return err
	}
	m.Result = uncovered
	same := true // as far as has been compiled
	for _, s := range suites {
		tests := s.covering(m.site)
		if len(tests) == 0 || ctx.Err() != nil {
			continue
		}
		bin := filepath.Join(folder, "mutant.test")
		if err := r.build(ctx, s.dir, bin, overlay); err != nil {
			m.Result, m.By = invalid, err.Error()
			return nil
		}
		if is, err := sum(bin); err != nil {
			return err
		} else if is == s.plain {
			if differs, err := r.differs(ctx, s, m, overlay); err != nil {
				return err
			} else if differs {
				m.Result, same = survived, false
			} else if same {
				m.Result, m.By = equivalent, "the binary is the same"
			}
			continue
		}
		same = false
		m.Result, m.By = survived, ""
		for _, group := range groups(tests) {
			names, seconds := []string{}, 0.0
			for _, t := range group {
				names = append(names, t.Name)
				seconds += t.Seconds
			}
			limit := r.start + time.Duration(r.factor*seconds*float64(time.Second))
			switch end, out := r.execute(ctx, bin, s.dir, limit, "-test.failfast", "-test.run", "^("+strings.Join(names, "|")+")$"); end {
			case failed:
				m.Result = killed
				if f := failure.FindSubmatch(out); f != nil {
					m.By = string(f[1])
				}
				return nil
			case late, large:
				m.Result, m.By = timedOut, fmt.Sprintf("%.0f s", limit.Seconds())
				return nil
			}
		}
	}
	return nil
}

// differs reports whether a mutation makes a difference to a program that is compiled without inlining. With it, a
// function that tests call with constants only may be in no binary at all.
func (r *runner) differs(ctx context.Context, s *suite, m *mutant, overlay string) (bool, error) {
	whole := func(bin, overlay string) ([32]byte, error) {
		if err := r.build(ctx, s.dir, bin, overlay, "-gcflags="+m.pkg.path+"=-l"); err != nil {
			return [32]byte{}, err
		}
		return sum(bin)
	}
	mutated, err := whole(filepath.Join(filepath.Dir(overlay), "whole.test"), overlay)
	if err != nil {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.whole == nil {
		plain, err := whole(filepath.Join(r.work, "whole.test"), "")
		if err != nil {
			return false, err
		}
		s.whole = &plain
	}
	return mutated != *s.whole, nil
}
