package app

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"plat/browser"
)

// secondSignal is the second signal that asks the process to end.
type secondSignal struct {
	came  chan struct{} // closed by the signal
	heard atomic.Bool   // a command ends by it, in order and soon
}

// secondSignalKey is the context's key of it.
type secondSignalKey struct{}

// Signals returns a context that ends, with ErrInterrupted as its cause, when a signal
// asks the process to end. The second signal ends the process.
func Signals() context.Context {
	second := &secondSignal{came: make(chan struct{})}
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), secondSignalKey{}, second))
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup wants it to be
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		<-signals
		cancel(ErrInterrupted)
		// The second signal exits at once, but stops all browsers. Only a worker gets time to
		// release its jobs.
		<-signals
		close(second.came)
		if second.heard.Load() {
			select {
			case <-time.After(7 * time.Second):
			case <-signals:
			}
		}
		browser.Abandon()
		os.Exit(ExitInterrupted)
	}()
	return ctx
}

// SecondSignal is closed by the second signal to end; who asks for it is given 7 seconds
// then to end in order. It is nil if ctx is not of [Signals].
func SecondSignal(ctx context.Context) <-chan struct{} {
	second, ok := ctx.Value(secondSignalKey{}).(*secondSignal)
	if !ok {
		return nil
	}
	second.heard.Store(true)
	return second.came
}
