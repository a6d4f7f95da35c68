package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"plat/browser/egress"
	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/workers"
)

// A scribe visits pages without a browser: it records the visit, and the response that it has got.
type scribe struct {
	store storage.Store
	mu    sync.Mutex
	seen  []string
	fail  error
	tries int
}

func (s *scribe) Enter(context.Context) error { return nil }
func (s *scribe) Leave()                      {}

func (s *scribe) VisitRecorded(ctx context.Context, j plat.Job, at time.Time, from egress.Recording) (workers.Report, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	if s.fail != nil {
		return workers.Report{URL: j.URL, Outcome: plat.OutcomeCrashed, Retry: true}, s.fail
	}
	body := "none"
	if r := from.Answer(ctx, "GET", j.URL, nil); r != nil {
		b, _ := io.ReadAll(r.Body)
		body = string(b)
	}
	s.seen = append(s.seen, at.Format("01-02")+" "+j.URL+" "+body)
	return workers.Report{URL: j.URL, Outcome: plat.OutcomeUnchanged}, s.store.Record(ctx, plat.Visit{URL: j.URL, Time: at, Outcome: plat.OutcomeBlank}, 0)
}

func TestRunVisitsCapturesInOrderOnce(t *testing.T) {
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "a.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	page := func(text string) string { return response("text/html", text) }
	first := write(t, "a.warc", record("response", "http://a.test/", day9, "", page("c"))+record("response", "http://a.test/#part", day1, "", page("a"))+
		record("response", "http://b.test/", day5, "", page("b"))+record("response", "http://a.test:80/", day5, "", page("b")))
	later := write(t, "b.warc", record("response", "http://b.test/", day1, "", page("a"))+record("response", "http://b.test/", day9, "", page("c"))+record("response", "http://b.test/", day9, "", page("d")))
	s := &scribe{store: store}
	run := func(l *Library, limit int) (there, late, done int, err error) {
		s.seen = nil
		err = Run(t.Context(), l, RunOptions{Store: store, Visitor: func() (Visitor, error) { return s, nil }, Parallel: 3, Limit: limit, Done: func(r *Result) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			switch {
			case r.There:
				there++
			case r.Late:
				late++
			default:
				done++
			}
			return nil
		}})
		slices.Sort(s.seen)
		return there, late, done, err
	}
	all := []string{"03-01 http://a.test/ a", "03-05 http://a.test/ b", "03-05 http://b.test/ b", "03-09 http://a.test/ c"}
	if _, _, done, err := run(open(t, Options{}, first), 1); err != nil || done != 1 || len(s.seen) != 1 {
		t.Errorf("with a limit: %d, %q, %v", done, s.seen, err)
	}
	if there, late, done, err := run(open(t, Options{}, first), 0); err != nil || there+done != 4 || there != 1 || late != 0 || !slices.Equal(s.seen, all[1:]) && !slices.Equal(s.seen, slices.Delete(slices.Clone(all), 2, 3)) {
		t.Errorf("continued: %d there, %d done, %q, %v", there, done, s.seen, err)
	}
	if there, _, done, err := run(open(t, Options{}, first), 0); err != nil || there != 4 || done != 0 {
		t.Errorf("again: %d there, %d done, %v", there, done, err)
	}
	if there, late, _, err := run(open(t, Options{}, later), 0); err != nil || there != 1 || late != 1 || !slices.Equal(s.seen, []string{"03-09 http://b.test/ c"}) {
		t.Errorf("a second file: %d late, %q, %v", late, s.seen, err)
	}
	s.fail, s.tries = errors.New("crashed"), 0
	if _, _, done, err := run(open(t, Options{}, write(t, "c.warc", record("response", "http://c.test/", day1, "", page("a")))), 0); err != nil || done != 1 || s.tries != tries {
		t.Errorf("a browser that crashes: %d, %d tries, %v", done, s.tries, err)
	}
	gone := errors.New("the reader is gone")
	err = Run(t.Context(), open(t, Options{}, first), RunOptions{Store: store, Visitor: func() (Visitor, error) { return s, nil }, Done: func(*Result) error { return gone }})
	if !errors.Is(err, gone) {
		t.Errorf("without a reader: %v", err)
	}
}

func TestAResultIsFlatJSON(t *testing.T) {
	b, err := json.Marshal(&Result{Late: true})
	if err != nil || !bytes.Contains(b, []byte(`"outcome":""`)) || !bytes.Contains(b, []byte(`"late":true`)) {
		t.Errorf("%s, %v", b, err)
	}
}

func FuzzReadHead(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n5\r\nwords\r\n0\r\n\r\n")
	f.Add("HTTP/2 404\n: x\nA: b\n\nwords")
	f.Fuzz(func(t *testing.T, block string) {
		file := filepath.Join(t.TempDir(), "a.warc")
		if err := os.WriteFile(file, []byte(record("response", "http://a.test/", day1, "", block)), 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := Open(t.Context(), []string{file}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		resp := asOf(l, time.Time{}).Answer(t.Context(), "GET", "http://a.test/", nil)
		if resp == nil {
			return
		}
		defer resp.Body.Close()
		if resp.StatusCode < 200 || resp.StatusCode > 599 || resp.Header.Get("Content-Length")+resp.Header.Get("Transfer-Encoding") != "" {
			t.Fatalf("response %+v", resp)
		}
		if n, _ := io.Copy(io.Discard, resp.Body); n > int64(len(block)) {
			t.Fatalf("a body of %d bytes in a record of %d", n, len(block))
		}
	})
}
