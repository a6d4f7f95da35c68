// Frontier measures the frontier: how soon the first page of a long list is visited,
// how fast the list is taken, what a visit costs while it waits, and how exact the order
// of visits is.
//
//	frontier up      lists of several sizes, given to plat up, killed and started again
//	frontier order   the order of visits against that of one exact queue
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
		fmt.Fprintln(os.Stderr, "frontier:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) < 2 {
		return fmt.Errorf("missing command; use up or order")
	}
	switch args := os.Args[2:]; os.Args[1] {
	case "up":
		return up(ctx, args)
	case "order":
		return order(ctx, args)
	}
	return fmt.Errorf("unknown command %q; use up or order", os.Args[1])
}
