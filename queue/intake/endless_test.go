package intake_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"plat/queue/intake"
)

// endless repeats a text n times.
type endless struct {
	text string
	n    int
	r    *strings.Reader
}

func (e *endless) Read(b []byte) (int, error) {
	if e.r == nil || e.r.Len() == 0 {
		if e.n--; e.n < 0 {
			return 0, io.EOF
		}
		e.r = strings.NewReader(e.text)
	}
	return e.r.Read(b)
}

// The same URL a hundred thousand times, and as many invalid lines, use no more memory than a
// batch.
func TestListOfAnyLengthTakesBoundedMemory(t *testing.T) {
	s, c := opened(t)
	refused := 0
	l := &intake.List{Parse: parse, Refused: func(int, error) { refused++ }}
	text := strings.Repeat("https://a.test/same\nno URL\n", 100)
	p := take(t, l, s, c, &endless{text: text, n: 1000})
	if p.URLs != 100_000 || p.New != 1 || refused != 100_000 {
		t.Errorf("%+v, %d refused", p, refused)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 64<<20 {
		t.Errorf("%d MB are in use", m.HeapAlloc>>20)
	}
}

// silent is a pipe that stays open after its text.
type silent struct {
	io.Reader
	read chan struct{} // closed when the text is read
	open chan struct{}
}

func (s *silent) Read(b []byte) (int, error) {
	if n, err := s.Reader.Read(b); err != io.EOF {
		return n, err
	}
	close(s.read)
	<-s.open
	return 0, io.EOF
}

func TestListOfASilentPipeCanBeInterrupted(t *testing.T) {
	s, c := opened(t)
	l := &intake.List{Parse: parse}
	for what, take := range map[string]func(ctx context.Context, r io.Reader) error{
		"Take": func(ctx context.Context, r io.Reader) error { _, err := l.Take(ctx, s, c, r); return err },
		"Push": func(ctx context.Context, r io.Reader) error { _, err := l.Push(ctx, &inbox{}, r); return err },
	} {
		for _, text := range []string{"", urls(0, 10), urls(0, 10_000)} {
			ctx, cancel := context.WithCancel(t.Context())
			r := &silent{strings.NewReader(text), make(chan struct{}), make(chan struct{})}
			go func() { <-r.read; cancel() }()
			if err := take(ctx, r); !errors.Is(err, context.Canceled) {
				t.Errorf("%s of %d bytes and silence: %v", what, len(text), err)
			}
			close(r.open)
		}
	}
}

func TestEndlessListIsTakenUntilItIsInterrupted(t *testing.T) {
	s, c := opened(t)
	ctx, cancel := context.WithCancel(t.Context())
	l := &intake.List{Parse: parse, Progress: func(p intake.Progress) {
		if p.URLs >= 3000 {
			cancel()
		}
	}}
	p, err := l.Take(ctx, s, c, &counting{})
	if !errors.Is(err, context.Canceled) || p.URLs < 3000 {
		t.Fatalf("%+v, %v", p, err)
	}
	if got, err := s.Counts(t.Context(), c.now); err != nil || got.Backlog != p.URLs {
		t.Errorf("%d URLs are taken, the archive knows %+v, %v", p.URLs, got, err)
	}
}

// counting is a list of URLs without an end.
type counting struct {
	n    int
	left []byte
}

func (c *counting) Read(b []byte) (int, error) {
	if len(c.left) == 0 {
		c.left = fmt.Appendf(nil, "https://h%d.test/%d\n", c.n%17, c.n)
		c.n++
	}
	n := copy(b, c.left)
	c.left = c.left[n:]
	return n, nil
}

// A site may have any number of names.
func TestListOfVeryManyHostsIsAnnounced(t *testing.T) {
	s, c := opened(t)
	const hosts = 5000
	var text strings.Builder
	for i := range hosts {
		fmt.Fprintf(&text, "https://n%d.site.test/\n", i)
	}
	if p := take(t, &intake.List{Parse: parse}, s, c, strings.NewReader(text.String())); p.URLs != hosts || p.New != hosts {
		t.Errorf("%+v", p)
	}
	if got, err := s.Counts(t.Context(), c.now); err != nil || got.Hosts != hosts || c.announced != hosts {
		t.Errorf("%+v, %v; %d hosts are announced", got, err, c.announced)
	}
}
