package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"plat/excerpt"
	"plat/settings"
	"plat/term"
)

// app is what all commands share.
type app struct {
	settings.Settings
	config  string // file with settings
	noStore bool   // the archive is the default, not named by anybody
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	out     *term.Screen // made once the settings are known
}

// run is the program, without the process around it. A cause of ctx that is
// errInterrupted stands for a signal.
func run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	a.Env, a.Named = env, func(setting string) string { return "--" + setting }
	a.out = newScreen(a)
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(helpWriter{a})
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil && a.out.Err() == nil {
		return exitOK
	}
	if lost := a.out.Err(); lost != nil && (err == nil || err == lost) {
		if errors.Is(lost, syscall.EPIPE) {
			return exitOK // who read our output has seen enough
		}
		err = lost
	}
	f, _ := errors.AsType[*failure](err)
	code := codeOf(ctx, err)
	if code == exitInterrupted && (f == nil || f.code != code) {
		// Whatever failed did so because it was told to stop.
		f = &failure{code: code, err: errors.New("interrupted")}
		err = f
	}
	if f == nil || f.err != nil {
		a.complain(cmd, f, err)
	}
	return code
}

// newScreen is what is printed to, as the settings and the terminal allow.
func newScreen(a *app) *term.Screen {
	s := term.NewScreen(a.stdout)
	dumb := a.Env.Get("TERM") == "dumb"
	s.Colors = term.Is(a.stdout) && !a.NoColor && a.Env.Get("NO_COLOR") == "" && !dumb
	if !a.Quiet && !dumb {
		s.Watch(a.stderr)
	}
	return s
}

// helpWriter writes help where all output goes, so that its failure is seen.
type helpWriter struct{ *app }

func (w helpWriter) Write(b []byte) (int, error) {
	w.out.Raw(b)
	return len(b), nil
}

// complain says what went wrong.
func (a *app) complain(cmd *cobra.Command, f *failure, err error) {
	if a.JSON && f != nil && f.url != "" {
		a.out.JSON(struct {
			URL   string `json:"url"`
			Error string `json:"error"`
		}{f.url, err.Error()})
	}
	what := ""
	if cmd != nil && cmd.HasParent() {
		what = strings.TrimPrefix(cmd.CommandPath(), "plat ") + ": "
	}
	if f != nil && f.url != "" && !strings.Contains(err.Error(), f.url) {
		what += excerpt.Printable(f.url) + ": "
	}
	fmt.Fprintf(a.stderr, "plat: %s%s\n", what, sentence(err))
}
