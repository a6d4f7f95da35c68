package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"plat"
)

func TestURLsAreTakenWholeOrNotAtAll(t *testing.T) {
	var taken []plat.Job
	var lost error
	h := Intake(func(_ context.Context, jobs []plat.Job) (int, error) {
		taken = append(taken, jobs...)
		return len(jobs) - 1, lost
	}, []string{"utm_source"})
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
		{"too much", strings.Repeat("x", maxIntake+1), 413, "send at most 16777216 bytes at a time", ""},
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
