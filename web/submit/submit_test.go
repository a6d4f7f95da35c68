package submit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"plat"
	"plat/intake"
	"plat/storage"
)

func TestURLsAreTakenWholeOrNotAtAll(t *testing.T) {
	var taken []plat.Job
	var lost error
	h := New(func(_ context.Context, jobs []plat.Job) (int, error) {
		taken = append(taken, jobs...)
		return len(jobs) - 1, lost
	}, nil, []string{"utm_source"})
	post := func(body string) *httptest.ResponseRecorder {
		taken = nil
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/v1/urls", strings.NewReader(body)))
		return w
	}
	for _, tc := range []struct {
		name, body string
		code       int
		says       string
		urls       string
	}{
		{"one URL", "http://a.test/?utm_source=x", 202, `{"accepted":1,"new":0}`, "http://a.test/"},
		{"one a line", "# a list\nhttp://a.test/\n\nhttp://b.test/ # why\n", 202, `{"accepted":2,"new":1}`, "http://a.test/ http://b.test/"},
		{"an array", `["http://a.test/", {"url": "http://b.test/", "priority": 1}]`, 202, `{"accepted":2,"new":1}`, "http://a.test/ http://b.test/"},
		{"nothing", " \n", 400, "there is no URL; send one a line, or JSON", ""},
		{"an array without end", `["http://a.test/"`, 400, "invalid JSON", ""},
		{"a wrong one among others", "http://a.test/\nnonsense", 400, "entry 2: bad URL", ""},
		{"an object of another kind", `{"url": "http://a.test/", "colour": "red"}`, 400, "nothing was taken", ""},
		{"too much", strings.Repeat("x", maxBody+1), 413, "send at most 16777216 bytes at a time", ""},
	} {
		w := post(tc.body)
		var urls []string
		for _, j := range taken {
			urls = append(urls, j.URL)
		}
		if w.Code != tc.code || !strings.Contains(w.Body.String(), tc.says) || strings.Join(urls, " ") != tc.urls {
			t.Errorf("%s: %d %.200s, taken %q", tc.name, w.Code, w.Body, urls)
		}
	}
	lost = errors.New("redis: connection refused")
	if w := post("http://a.test/"); w.Code != 503 || w.Header().Get("Retry-After") != "5" || !strings.Contains(w.Body.String(), "connection refused") {
		t.Errorf("without a frontier: %d %v %s", w.Code, w.Header(), w.Body)
	}
}

// listStore is an archive without any URL.
type listStore struct{ jobs []plat.Job }

func (s *listStore) Enlist(_ context.Context, jobs []plat.Job, _ storage.Intake) (storage.Enlisted, error) {
	s.jobs = append(s.jobs, jobs...)
	return storage.Enlisted{New: len(jobs)}, nil
}

func (s *listStore) Notes(context.Context, string) (map[string]string, error) { return nil, nil }
func (s *listStore) SetNote(context.Context, string, string) error            { return nil }
func (s *listStore) Counts(context.Context, time.Time) (storage.JobCounts, error) {
	return storage.JobCounts{}, nil
}

func (s *listStore) Now(context.Context) (time.Time, error)             { return time.Now(), nil }
func (s *listStore) Offer(context.Context, []plat.Job) error            { return nil }
func (s *listStore) Announce(context.Context, map[string]float32) error { return nil }

func TestListsOfAnyLengthAreTakenWhileTheyAreSent(t *testing.T) {
	s := &listStore{}
	var lost error
	h := New(nil, func(ctx context.Context, l *intake.List, r io.Reader) (intake.Progress, error) {
		if lost != nil {
			return intake.Progress{}, lost
		}
		return l.Take(ctx, s, s, r)
	}, []string{"utm_source"})
	srv := httptest.NewServer(h)
	defer srv.Close()
	post := func(body io.Reader) (int, string) {
		t.Helper()
		r, err := http.Post(srv.URL, "text/uri-list; charset=utf-8", body)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(b)
	}
	// The list goes on after the first of its URLs were taken.
	in, out := io.Pipe()
	go func() {
		fmt.Fprintln(out, "# a list\nhttp://a.test/?utm_source=x\nnonsense")
		for i := range 50_000 {
			fmt.Fprintf(out, "http://a.test/%d/%s\n", i, strings.Repeat("x", 400))
		}
		out.Close()
	}()
	code, got := post(in)
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if code != 202 || len(s.jobs) != 50_001 || s.jobs[0].URL != "http://a.test/" ||
		!strings.HasPrefix(lines[0], `{"accepted":0,"new":0,"refused":1,"line":3,"error":"bad URL`) ||
		lines[len(lines)-1] != `{"accepted":50001,"new":50001,"refused":1,"done":true}` {
		t.Errorf("%d, %d jobs, %.1000s", code, len(s.jobs), got)
	}
	lost = errors.New("redis: connection refused")
	if code, got := post(strings.NewReader("http://a.test/")); code != 503 || !strings.Contains(got, "connection refused") {
		t.Errorf("without a frontier: %d %s", code, got)
	}
}
