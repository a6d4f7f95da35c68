// Command plat archives web pages block by block and shows what it has.
//
// This package only wires: flags, environment and configuration file into
// options, packages into one another, outcomes into lines and exit codes.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"plat/browser"
)

// Most of a visit's memory is garbage when it ends. Letting three times as much
// of it stand as usual saves a tenth of our CPU time; the limit keeps a worker
// within what it may have.
const (
	gcPercent   = 300
	memoryLimit = 180 << 20
)

// haste is the second signal. Who says that it is heard ends in order, and soon.
type haste struct {
	asked chan struct{} // closed by the signal
	heard atomic.Bool
}

// hurryKey is the context's key of it.
type hurryKey struct{}

func main() {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryLimit)
	// A reader that left (plat blocks | head) shows as a failed write: the
	// browser is then stopped in good order, instead of the process dying.
	signal.Ignore(syscall.SIGPIPE)
	hurry := &haste{asked: make(chan struct{})}
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), hurryKey{}, hurry))
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup wants it to be
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		<-signals
		cancel(errInterrupted)
		// The second signal does not wait for anything, but leaves no browser. Only
		// a worker is heard first: others wait for what it holds.
		<-signals
		close(hurry.asked)
		if hurry.heard.Load() {
			select {
			case <-time.After(7 * time.Second):
			case <-signals:
			}
		}
		browser.Abandon()
		os.Exit(exitInterrupted)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
