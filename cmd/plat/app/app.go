// Package app is the frame of all commands of plat: settings from flags, environment and file,
// standard output, errors with their exit codes, signals, and the opening of an archive. A
// command is a function of an [App] that returns a [cobra.Command]; the program is the root of
// all commands, given to [App.Run].
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/settings"
	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/plat/excerpt"
)

// App is the state that all commands share.
type App struct {
	settings.Settings
	ConfigFile string // with settings; see [App.Configure]
	NoStore    bool   // the archive is the default, not named by anybody
	given      map[string]bool
	unused     string // the file of an archive that the command has made and in which it has stored nothing

	// Patience is the time to wait for an archive that is locked or does not answer; 0: the
	// default of its store.
	Patience time.Duration

	// Out is standard output. [App.Configure] replaces it when it has the settings.
	Out    *terminal.Screen
	Stderr io.Writer
	stdin  io.Reader
	stdout io.Writer
}

// New returns an App without settings other than the environment; flags and
// [App.Configure] set them.
func New(env []string, stdin io.Reader, stdout, stderr io.Writer) *App {
	a := &App{stdin: stdin, stdout: stdout, Stderr: stderr}
	a.Version = ReadBuild().Version
	a.Env, a.Named = env, func(setting string) string { return "--" + setting }
	a.Out = newScreen(a)
	return a
}

// Run runs the command that args name below root, prints its error and returns the exit code. If
// the cause of ctx is ErrInterrupted, a signal has cancelled it.
func (a *App) Run(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(helpWriter{a})
	root.SetErr(a.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil && a.Out.Err() == nil {
		return ExitOK
	}
	if lost := a.Out.Err(); lost != nil && (err == nil || err == lost) {
		if errors.Is(lost, syscall.EPIPE) {
			return ExitOK // who read our output has seen enough
		}
		err = lost
	}
	f, _ := errors.AsType[*Failure](err)
	code := CodeOf(ctx, err)
	if code == ExitInterrupted && (f == nil || f.Code != code) {
		// Any error now is a consequence of the signal.
		f = &Failure{Code: code, Err: errors.New("interrupted")}
		err = f
	}
	if f == nil || f.Err != nil {
		a.Complain(cmd, f, err)
	}
	a.removeUnused()
	return code
}

// newScreen returns the screen for standard output, as the settings and the terminal allow.
func newScreen(a *App) *terminal.Screen {
	s := terminal.NewScreen(a.stdout)
	dumb := a.Env.Get("TERM") == "dumb"
	s.Colors = terminal.Is(a.stdout) && !a.NoColor && a.Env.Get("NO_COLOR") == "" && !dumb
	if !a.Quiet && !dumb {
		s.Watch(a.Stderr)
	}
	return s
}

// Interactive reports whether standard output is a terminal, where a person reads it.
func (a *App) Interactive() bool { return terminal.Is(a.stdout) }

// Piped returns an error if standard output is a terminal, for output that is not escaped: a
// page, for example, may contain control characters that a terminal obeys.
func (a *App) Piped(what string) error {
	if !terminal.Is(a.stdout) {
		return nil
	}
	return Fail(ExitUsage, "standard output is a terminal, which would obey control characters in %s; name a file with -o FILE, or write to a pipe", what)
}

// helpWriter writes help where all output goes, so that its failure is seen.
type helpWriter struct{ *App }

func (w helpWriter) Write(b []byte) (int, error) {
	w.Out.Raw(b)
	return len(b), nil
}

// Complain prints the error of a command; f is err as a [Failure], if it is one.
func (a *App) Complain(cmd *cobra.Command, f *Failure, err error) {
	if a.JSON && f != nil && f.URL != "" {
		a.Out.JSON(struct {
			URL   string `json:"url"`
			Error string `json:"error"`
		}{f.URL, err.Error()})
	}
	what := ""
	if cmd != nil && cmd.HasParent() {
		what = strings.TrimPrefix(cmd.CommandPath(), "plat ") + ": "
	}
	if f != nil && f.URL != "" && !strings.Contains(err.Error(), f.URL) {
		what += excerpt.Printable(f.URL) + ": "
	}
	fmt.Fprintf(a.Stderr, "plat: %s%s\n", what, Sentence(err))
}

// Canonical is the URL under which the archive knows s, which may lack its scheme; see [plat.WithScheme]. Its errors are usage errors.
func (a *App) Canonical(s string) (string, error) {
	s, _ = plat.WithScheme(s)
	u, err := plat.Canonical(s, a.Drop())
	if err != nil {
		return "", &Failure{Code: ExitUsage, URL: plat.WithoutLogin(s), Err: err}
	}
	return u, nil
}

// Stdin returns standard input.
func (a *App) Stdin() io.Reader { return a.stdin }

// Typed returns the URLs of a command line that visits them. To a URL without a scheme it adds one, and says so. It says, too, that
// views are not visited that a script makes by what follows "#". If one of them is a file, it returns a usage error.
func (a *App) Typed(urls []string) ([]string, error) {
	all := make([]string, len(urls))
	for i, typed := range urls {
		url, added := plat.WithScheme(typed)
		if _, route, _ := strings.Cut(url, "#"); strings.HasPrefix(route, "/") || strings.HasPrefix(route, "!") {
			fmt.Fprintf(a.Stderr, "plat: %s: what follows # names a view that a script of the page makes; plat visits the page as it is without it\n", excerpt.Printable(url))
		}
		if all[i] = url; !added {
			continue
		}
		if st, err := os.Stat(typed); err == nil && st.Mode().IsRegular() {
			return nil, Fail(ExitUsage, "%s is a file; give a list of URLs with -f %s, a page on the web as %s", excerpt.Printable(typed), excerpt.Printable(typed), excerpt.Printable(url))
		}
		if !a.Quiet {
			fmt.Fprintf(a.Stderr, "plat: %s: %s is assumed\n", excerpt.Printable(typed), strings.TrimSuffix(url, strings.TrimSpace(typed)))
		}
	}
	return all, nil
}

// OpenList opens a list of URLs: a file, or standard input for "-".
func (a *App) OpenList(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, Fail(ExitUsage, "list of URLs: %w", err)
	}
	if i, err := f.Stat(); err == nil && i.IsDir() {
		f.Close()
		return nil, Fail(ExitUsage, "list of URLs: %s is a directory; give a file, one URL a line", name)
	}
	return f, nil
}

// Advance returns a function that shows the progress of a long operation, or nil without a
// terminal. total is 0 if it is not known.
func (a *App) Advance(verb string) func(done, total int64) {
	if !a.Out.Watched() {
		return nil
	}
	var last time.Time
	return func(done, total int64) {
		if now := time.Now(); now.Sub(last) > 100*time.Millisecond {
			last = now
			line := verb + " " + terminal.Count(done)
			if total > 0 {
				line += " of " + terminal.Count(total)
			}
			a.Out.Progress(line)
		}
	}
}
