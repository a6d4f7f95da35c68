package submit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/queue/intake"
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
		{"a number", `[5]`, 400, "entry 1: bad URL", ""},
		{"fields of the wrong kind", `{"url": "http://a.test/", "priority": "high"}`, 400, "\"priority\\\" is a text; write a number", ""},
		{"an array with text after it", `["http://a.test/"] x`, 400, "there is text after the array", ""},
		{"an array without commas", `["http://a.test/" 1]`, 400, "invalid JSON", ""},
		{"lines that end in CR", "http://a.test/\rhttp://b.test/\r", 202, `{"accepted":2,"new":1}`, "http://a.test/ http://b.test/"},
		{"bytes that are no UTF-8", "http://a.test/\nhttp://b.test/\xe9", 400, "entry 2: bad URL: it is not UTF-8", ""},
		{"JSON that is no UTF-8", "{\"url\": \"http://b.test/\xe9\"}", 400, "entry 1: bad URL: it is not UTF-8", ""},
		{"an array that is no UTF-8", "[\"http://a.test/\", \"http://b.test/\xe9\"]", 400, "entry 2: bad URL: it is not UTF-8", ""},
		{"half of a character", `["http://b.test/\ud83d"]`, 400, "half of a surrogate pair", ""},
		{"too many", strings.Repeat("http://a.test/\n", maxEntries+1), 413, "100000 URLs at a time", ""},
		{"an object of another kind", `{"url": "http://a.test/", "colour": "red"}`, 400, "no URL was queued", ""},
		{"too much", strings.Repeat("x", maxBody+1), 413, "send at most 16777216 bytes and 100000 URLs at a time", ""},
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
	var complaints bytes.Buffer
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(&complaints, "", 0)
	srv.Start()
	defer func() {
		if srv.Close(); complaints.Len() > 0 {
			t.Errorf("the server complains: %s", complaints.String())
		}
	}()
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
	// The list continues after the first of its URLs were queued.
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

// counting is a reader that knows how much of it was read.
type counting struct {
	r io.Reader
	n int
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += n
	return n, err
}

func TestMegabytesOfNonsenseAreRefusedAtTheirBeginning(t *testing.T) {
	h := New(func(context.Context, []plat.Job) (int, error) { t.Error("taken"); return 0, nil }, func(ctx context.Context, l *intake.List, r io.Reader) (intake.Progress, error) {
		s := &listStore{}
		return l.Take(ctx, s, s, r)
	}, nil)
	for name, tc := range map[string]struct {
		line, kind string
		most       int
		says       string
	}{
		"lines":              {"nonsense\n", "text/plain", 128 << 10, "entry 1: bad URL"},
		"a scope":            {`{"url": "http://a.test/", "scope": "any include=(a|b|c){1000}"}` + "\n", "application/json", 128 << 10, "too large"},
		"an array":           {`, "nonsense"`, "application/json", 128 << 10, "entry 2: bad URL"},
		"objects":            {`, {"url": "http://a.test/", "depth": -1}`, "application/json", 128 << 10, "depth is a number from 1 to 1000; no URL was queued"},
		"brackets":           {"[", "application/json", 128 << 10, "exceeded max depth"},
		"a list":             {"nonsense\n", listType, 1 << 20, "too many lines in a row are not URLs"},
		"a list of one line": {"nonsense ", "text/plain", 16 << 20, "send at most"},
	} {
		text := strings.Repeat(tc.line, 16<<20/len(tc.line)+1)
		if strings.HasPrefix(tc.line, ",") {
			text = `["http://a.test/"` + text
		}
		body := &counting{r: strings.NewReader(text)}
		r := httptest.NewRequest(http.MethodPost, "/api/v1/urls", body)
		r.Header.Set("Content-Type", tc.kind)
		w := httptest.NewRecorder()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		h.ServeHTTP(w, r)
		runtime.ReadMemStats(&after)
		if !strings.Contains(w.Body.String(), tc.says) || strings.Contains(w.Body.String(), `"done":true`) {
			t.Errorf("%s: %d %.300s", name, w.Code, w.Body)
		}
		if body.n > tc.most+64<<10 {
			t.Errorf("%s: %d bytes were read", name, body.n)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
			t.Errorf("%s: %d MB of memory", name, used>>20)
		}
	}
}
