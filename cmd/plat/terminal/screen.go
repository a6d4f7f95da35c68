package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"

	"plat/plat/excerpt"
)

// ErrOutput is returned when standard output can no longer be written.
var ErrOutput = errors.New("standard output cannot be written")

// Style is an SGR parameter; the empty style is plain.
type Style string

// The styles. Every style accompanies a word or sign with the same meaning.
const (
	Plain   Style = ""
	Bold    Style = "1"
	Faint   Style = "2"
	Red     Style = "31"
	Green   Style = "32"
	Yellow  Style = "33"
	Cyan    Style = "36"
	Struck  Style = "9;31"
	Written Style = "4;32"
)

// Screen is standard output, with a progress line on standard error if that is
// a terminal. It is safe for concurrent use.
type Screen struct {
	Colors bool // styles are shown

	mu     sync.Mutex
	out    io.Writer
	status io.Writer // nil: no progress is shown
	width  int       // of the terminal, columns
	line   string    // of progress, as shown; guarded by mu
	err    error     // first write error; guarded by mu
}

// NewScreen makes a screen without colours and progress.
func NewScreen(out io.Writer) *Screen { return &Screen{out: out} }

// Watch shows progress on status, if that is a terminal.
func (s *Screen) Watch(status io.Writer) {
	f, ok := status.(*os.File)
	if !ok || !Is(f) {
		return
	}
	s.status, s.width = f, 80
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		s.width = w
	}
}

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// Paint applies a style to text, if colours are shown.
func (s *Screen) Paint(st Style, text string) string {
	if !s.Colors || st == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}

// Print writes a line.
func (s *Screen) Print(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.line
	s.erase()
	s.write([]byte(line + "\n"))
	s.show(shown)
}

// JSON writes v as one line, without a character that a terminal would obey: those of
// texts of pages are escaped, which for readers of JSON are the same.
func (s *Screen) JSON(v any) {
	line, err := excerpt.JSONLine(v)
	if err != nil {
		s.mu.Lock()
		if s.err == nil {
			s.err = fmt.Errorf("output: %w", err)
		}
		s.mu.Unlock()
		return
	}
	s.Print(line)
}

// Raw writes bytes as they are.
func (s *Screen) Raw(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(b)
}

// Write is Raw, as an io.Writer.
func (s *Screen) Write(b []byte) (int, error) {
	s.Raw(b)
	return len(b), s.Err()
}

func (s *Screen) write(b []byte) {
	if s.err != nil {
		return
	}
	if _, err := s.out.Write(b); err != nil {
		s.err = fmt.Errorf("%w: %w", ErrOutput, err)
	}
}

// Err returns the error that ended the output, if any.
func (s *Screen) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Progress replaces the line of progress; an empty one removes it.
func (s *Screen) Progress(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if line != s.line {
		s.erase()
		s.show(line)
	}
}

func (s *Screen) erase() {
	if s.status != nil && s.line != "" {
		fmt.Fprint(s.status, "\r\x1b[K")
	}
	s.line = ""
}

func (s *Screen) show(line string) {
	if s.status != nil && line != "" {
		s.line = Shorten(line, s.width-1)
		fmt.Fprint(s.status, s.line)
	}
}

// Watched reports whether progress is shown.
func (s *Screen) Watched() bool { return s.status != nil }
