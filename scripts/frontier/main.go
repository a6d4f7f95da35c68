// Frontier measures the frontier: the delay of a long list, the cost of a crawl that grows by
// links, the fairness between hosts, and the exactness of the order of visits.
//
//	frontier up      long lists, visited by plat up; with -kill it is killed meanwhile
//	frontier links   a crawl that finds its pages by links: does it become slower?
//	frontier hosts   a host with very many URLs beside many small ones
//	frontier order   the order of visits against that of one exact queue
//	frontier traps   a site with parts without end, and pages under three addresses each
//	frontier rules   URLs of real sites that the rules of URLs refuse
//	frontier lists   bad lists: lines that are not URLs, lists without an end, very many names
//	frontier known   an archive that knows very many URLs, and a real Redis: memory, rates, loss of Redis
//
// Each accepts -h. Everything listens on 127.0.0.1. The figures are of this machine, so run it
// on an idle one.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A command is one of the measurements.
type command struct {
	name, about string
	run         func(ctx context.Context, args []string) error
}

func commands() []command {
	return []command{
		{"up", "long lists, visited by plat up; with -kill it is killed meanwhile", up},
		{"links", "a crawl that finds its pages by links: does it become slower?", links},
		{"hosts", "one host with very many URLs beside many small ones", hosts},
		{"order", "the order of visits against that of one exact queue", order},
		{"traps", "a site with parts without end, and pages under three addresses each: how many visits, and is a page lost?", trapsCommand},
		{"rules", "what the rules of URLs refuse on recorded sites and documentation, and whether that has text of its own", rulesCommand},
		{"lists", "bad lists: lines that are no URLs, lists without an end, very many names", lists},
		{"known", "an archive that knows very many URLs, and a real Redis: memory, rates, loss of Redis", known},
	}
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "frontier:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var names []string
	for _, c := range commands() {
		if len(os.Args) > 1 && os.Args[1] == c.name {
			return c.run(ctx, os.Args[2:])
		}
		names = append(names, c.name)
	}
	if len(os.Args) > 1 && (os.Args[1] == "-h" || os.Args[1] == "--help") {
		for _, c := range commands() {
			fmt.Printf("  %-8s %s\n", c.name, c.about)
		}
		return nil
	}
	return fmt.Errorf("name a command: %s", strings.Join(names, ", "))
}

// newFlags returns the flags of a command; examples are the arguments of runs.
func newFlags(name string, examples ...string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ExitOnError)
	f.Usage = func() {
		out := f.Output()
		for _, c := range commands() {
			if c.name == name {
				fmt.Fprintf(out, "frontier %s: %s\n\n", name, c.about)
			}
		}
		f.PrintDefaults()
		fmt.Fprintln(out, "\nExamples:")
		for _, e := range examples {
			fmt.Fprintf(out, "  scripts/bench frontier %s %s\n", name, e)
		}
	}
	return f
}

// numbers reads a list such as 1000,100000.
func numbers(text string) ([]int, error) {
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.ReplaceAll(strings.TrimSpace(part), "_", ""))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q: write numbers from 1, separated by commas", text)
		}
		all = append(all, n)
	}
	return all, nil
}

// part returns the value below which a share of all sorted values lies.
func part[T any](sorted []T, share float64) T {
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// spread returns the first, the median and the worst of values; high means that high values are
// worse.
func spread(values []float64, high bool) [3]float64 {
	sorted := slices.Sorted(slices.Values(values))
	if !high { // low values are worse
		slices.Reverse(sorted)
	}
	return [3]float64{values[0], sorted[len(sorted)/2], sorted[len(sorted)-1]}
}
