package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"

	"plat/excerpt"
)

// errOutput says that standard output takes no more.
var errOutput = errors.New("standard output cannot be written")

// style is an SGR parameter; the empty style is plain.
type style string

// The styles. Meaning never rests on them alone: each goes with a word or sign.
const (
	plain   style = ""
	bold    style = "1"
	faint   style = "2"
	red     style = "31"
	green   style = "32"
	yellow  style = "33"
	cyan    style = "36"
	struck  style = "9;31"
	written style = "4;32"
)

// screen is standard output, with a line of progress on standard error below it
// where that is a terminal. It is safe for concurrent use.
type screen struct {
	colors bool

	mu     sync.Mutex
	out    io.Writer
	status io.Writer // nil: nobody watches
	width  int       // of the terminal, columns
	line   string    // of progress, as shown; guarded by mu
	err    error     // the first of out; guarded by mu
}

func newScreen(a *app) *screen {
	s := &screen{out: a.stdout, colors: terminal(a.stdout) && !a.noColor && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"}
	if f, ok := a.stderr.(*os.File); ok && terminal(f) && !a.quiet && a.getenv("TERM") != "dumb" {
		s.status, s.width = f, 80
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			s.width = w
		}
	}
	return s
}

func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// paint puts text into a style, where there are colours.
func (s *screen) paint(st style, text string) string {
	if !s.colors || st == plain || text == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}

// print writes a line.
func (s *screen) print(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.line
	s.erase()
	s.write([]byte(line + "\n"))
	s.show(shown)
}

// json writes v as one line.
func (s *screen) json(v any) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		s.mu.Lock()
		if s.err == nil {
			s.err = fmt.Errorf("output: %w", err)
		}
		s.mu.Unlock()
		return
	}
	s.print(strings.TrimSuffix(b.String(), "\n"))
}

// raw writes bytes as they are.
func (s *screen) raw(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(b)
}

func (s *screen) write(b []byte) {
	if s.err != nil {
		return
	}
	if _, err := s.out.Write(b); err != nil {
		s.err = fmt.Errorf("%w: %w", errOutput, err)
	}
}

// failed returns the error that ended the output, if any.
func (s *screen) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// progress replaces the line of progress; an empty one removes it.
func (s *screen) progress(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if line != s.line {
		s.erase()
		s.show(line)
	}
}

func (s *screen) erase() {
	if s.status != nil && s.line != "" {
		fmt.Fprint(s.status, "\r\x1b[K")
	}
	s.line = ""
}

func (s *screen) show(line string) {
	if s.status != nil && line != "" {
		s.line = shorten(line, s.width-1)
		fmt.Fprint(s.status, s.line)
	}
}

// watched reports whether somebody sees the progress.
func (s *screen) watched() bool { return s.status != nil }

// clean makes text from strangers fit for a terminal.
func clean(s string) string { return excerpt.Printable(s) }
