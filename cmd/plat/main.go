// Command plat archives web pages block by block and shows their history.
//
// This package only connects: flags to options, packages to one another, results to lines. The
// frame of all commands is in [plat/cmd/plat/app]; the commands of a fleet are in
// [plat/cmd/plat/fleet].
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"plat/cmd/plat/app"
)

// Most of a visit's memory is garbage when it ends. Letting three times as much of it accumulate
// as by default saves a tenth of our CPU time; the limit keeps a worker within its memory.
const (
	gcPercent   = 300
	memoryLimit = 140 << 20
)

func main() {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryLimit)
	// A reader that left (plat blocks | head) shows as a failed write: the
	// browser is then stopped in good order, instead of the process dying.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(app.Signals(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// run is the program, without the process around it.
func run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := app.New(env, stdin, stdout, stderr)
	return a.Run(ctx, rootCommand(a), args)
}
