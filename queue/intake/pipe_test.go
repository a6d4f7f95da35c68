package intake_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"plat/queue/intake"
	"plat/storage/sqlite"
)

// A user types URLs, and a program finds some now and then: they are visited at once.
func TestASlowListIsTakenAsItComes(t *testing.T) {
	s, c := opened(t)
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	taken := make(chan int64, 100)
	l := &intake.List{Parse: parse, Progress: func(p intake.Progress) { taken <- p.URLs }}
	end := make(chan error)
	go func() {
		_, err := l.Take(ctx, s, c, r)
		end <- err
	}()
	for i := range 3 {
		fmt.Fprintf(w, "http://h.test/%d\n", i)
	}
	until := func(n int64) {
		t.Helper()
		limit := time.After(20 * time.Second)
		for {
			select {
			case got := <-taken:
				if got == n {
					return
				}
			case <-limit:
				t.Fatalf("%d URLs are not taken", n)
			}
		}
	}
	until(3) // in silence
	for i := range 30 {
		fmt.Fprintf(w, "http://h.test/more/%d\n", i)
		time.Sleep(100 * time.Millisecond)
		if i == 25 && len(taken) == 0 {
			t.Error("a list that trickles is held back")
		}
	}
	until(33)
	cancel()
	if err := <-end; !errors.Is(err, context.Canceled) {
		t.Errorf("the list ends with %v", err)
	}
	w.Close()
}

// A forgetful archive fails to write a note for a while.
type forgetful struct {
	*sqlite.Store
	fails *int
}

func (f forgetful) SetNote(ctx context.Context, name, text string) error {
	if *f.fails--; *f.fails >= 0 {
		return errAway
	}
	return f.Store.SetNote(ctx, name, text)
}

func TestAListWaitsUntilItsNoteIsWritten(t *testing.T) {
	s, c := opened(t)
	fails, waited := 2, 0
	l := &intake.List{Parse: parse, Waiting: func(error) { waited++ }}
	p, err := l.Take(t.Context(), forgetful{s, &fails}, c, onlyReader{strings.NewReader(urls(0, 500))})
	if err != nil || p.URLs != 500 || waited != 2 {
		t.Errorf("%+v, %v; waited %d times", p, err, waited)
	}
}
