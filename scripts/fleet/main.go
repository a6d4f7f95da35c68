// Fleet runs fleets of workers on this machine, with a real Redis and a
// MongoDB-compatible server, over a generated site that logs its requests, and
// checks the results.
//
//	fleet chaos    workers, browsers, Redis and the store are killed at random (scripts/chaos)
//	fleet scale    pages per second with 1, 2, 4, 8 workers (scripts/bench scale)
//	fleet trouble  bad hosts, wrong passwords, missing rights, wrong clocks (scripts/trouble)
//	fleet budget   recorded pages at virtual time, with a budget of visits (scripts/budget)
//	fleet starts   fresh fleets of three workers: time to the first visit (scripts/bench starts)
//	fleet soak     many minutes at full speed: checks for growth (scripts/soak)
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) < 2 {
		return fmt.Errorf("missing command; use chaos, scale, trouble, budget, starts or soak")
	}
	switch args := os.Args[2:]; os.Args[1] {
	case "chaos":
		return chaos(ctx, args)
	case "scale":
		return scale(ctx, args)
	case "trouble":
		return trouble(ctx, args)
	case "budget":
		return budget(ctx, args)
	case "starts":
		return starts(ctx, args)
	case "soak":
		return soak(ctx, args)
	}
	return fmt.Errorf("unknown command %q; use chaos, scale, trouble, budget, starts or soak", os.Args[1])
}
