package web

import (
	"strings"
	"testing"
)

func TestTextsKeepTheContract(t *testing.T) {
	c := newContract(t, New(Options{Store: newspaper(t)}))
	for _, tc := range []struct {
		query string
		code  int
		want  string
	}{
		{param("url", "http://news.test/"), 200, `"version":2`},
		{param("url", "http://news.test/", "at", "2026-01-01"), 200, "two weeks"},
		{param("url", "http://news.test/", "at", "2026-01-02T07:59:59Z"), 200, `"version":1`},
		{param("url", "http://news.test/", "at", "2026-01-02T08:00:00Z"), 200, `"version":2`},
		{param("url", "http://news.test/", "at", "2025-12-31"), 404, "was taken later, at 2026-01-01T08:00:00Z"},
		{param("url", "http://news.test/", "version", "3"), 404, "version 3"},
	} {
		if w := c.ask(t, "GET", apiRoot+"/text"+tc.query, "", ""); w.Code != tc.code || !strings.Contains(w.Body.String(), tc.want) {
			t.Errorf("GET %s = %d %.300s; want %d, %s", tc.query, w.Code, w.Body, tc.code, tc.want)
		}
	}
}
