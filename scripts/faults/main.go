// Faults tries on the real command the faults that its users and attackers once found: changes
// that were missed, secrets that leaked, messages that misled, inputs that used all memory. Each
// is tried from outside, with pages, files and requests of its own, in a folder and with a browser of
// its own; it prints its observations.
//
//	scripts/bench faults                    plat of this checkout: exits with 1 if a fault is there
//	scripts/bench faults -before COMMIT     that commit beside it: the faults have been there, and a
//	                                        trial that finds none in it proves nothing of them
//	scripts/bench faults -only TEXT, -json
//
// docs/security.md names the regression tests for these, which are beside the code.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"plat/scripts/earlier"
)

var (
	bin    = flag.String("plat", "bin/plat", "the command")
	before = flag.String("before", "", "try plat of this `COMMIT` too")
	only   = flag.String("only", "", "only faults with this `TEXT` in their names")
	asJSON = flag.Bool("json", false, "print JSON, one fault a line")
)

// A fault is something that plat must not do.
type fault struct {
	name string
	// try returns an observation on the machine, and whether that is the fault. An error means that
	// the trial failed.
	try func(*machine) (seen string, there bool, err error)
}

// A trial is the result of one fault.
type trial struct {
	Fault  string `json:"fault"`
	Now    string `json:"now"`
	There  bool   `json:"there"`            // in plat of this checkout
	Before string `json:"before,omitempty"` // seen in the earlier commit
	Was    bool   `json:"was"`              // there in it
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("faults: ")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	now, err := filepath.Abs(*bin)
	if err != nil {
		return err
	}
	old := ""
	if *before != "" {
		if _, old, err = earlier.Plat(ctx, filepath.Join(".work", "faults"), *before); err != nil {
			return err
		}
		if old, err = filepath.Abs(old); err != nil {
			return err
		}
	}
	var trials []trial
	var errs []error
	for _, f := range faults {
		if !strings.Contains(f.name, *only) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "\r\033[K%s", f.name)
		t := trial{Fault: f.name}
		if t.Now, t.There, err = try(ctx, f, now); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.name, err))
		}
		if old != "" {
			if t.Before, t.Was, err = try(ctx, f, old); err != nil {
				errs = append(errs, fmt.Errorf("%s, before: %w", f.name, err))
			}
		}
		trials = append(trials, t)
	}
	fmt.Fprint(os.Stderr, "\r\033[K")
	return errors.Join(append(errs, report(trials))...)
}

// report prints the trials, and is an error if plat of this checkout has one of the faults.
func report(trials []trial) error {
	there, was := 0, 0
	for _, t := range trials {
		if t.There {
			there++
		}
		if t.Was {
			was++
		}
	}
	if *asJSON {
		e := json.NewEncoder(os.Stdout)
		for _, t := range trials {
			if err := e.Encode(t); err != nil {
				return err
			}
		}
	} else {
		for _, t := range trials {
			fmt.Println(t.Fault)
			if *before != "" {
				fmt.Printf("  %-12s  %-9s  %s\n", *before, verdict(t.Was), t.Before)
			}
			fmt.Printf("  %-12s  %-9s  %s\n", "now", verdict(t.There), t.Now)
		}
		fmt.Printf("%d faults tried; there: %d", len(trials), there)
		if *before != "" {
			fmt.Printf(", in %s: %d", *before, was)
		}
		fmt.Println()
	}
	if there > 0 {
		return fmt.Errorf("%d faults are there", there)
	}
	return nil
}

func verdict(there bool) string {
	if there {
		return "there"
	}
	return "not there"
}
