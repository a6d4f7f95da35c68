package searxng

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// instance simulates SearXNG: pages of ten results, with so many results in all.
func instance(t *testing.T, results int) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.URL.Path != "/sub/search" || q.Get("format") != "json" || q.Get("q") != "鸟 & birds" {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		var page int
		fmt.Sscan(q.Get("pageno"), &page)
		var out []string
		for i := (page - 1) * 10; i < min(page*10, results); i++ {
			out = append(out, fmt.Sprintf(`{"url": "https://a.test/%d", "title": "t"}`, i))
		}
		out = append(out, `{"url": "javascript:alert(1)"}`)
		fmt.Fprintf(w, `{"query": "x", "results": [%s]}`, strings.Join(out, ","))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/sub/"
}

func TestSearch(t *testing.T) {
	for _, c := range []struct{ results, limit, want int }{{35, 50, 35}, {35, 12, 12}, {0, 50, 0}, {500, 50, 50}} {
		got, err := Search(t.Context(), http.DefaultClient, instance(t, c.results), "鸟 & birds", c.limit)
		if err != nil || len(got) != c.want {
			t.Errorf("%+v: %d results, %v", c, len(got), err)
		}
		for i, r := range got {
			if r.URL != fmt.Sprintf("https://a.test/%d", i) {
				t.Errorf("result %d is %s", i, r.URL)
			}
		}
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	answer := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); fmt.Fprint(w, body) }))
		t.Cleanup(s.Close)
		return s.URL
	}
	for want, endpoint := range map[string]string{
		"write a URL":             "searx.test",
		"allow the format json":   answer(403, ""),
		"it answers 500":          answer(500, ""),
		"does not follow its API": answer(200, "<html>"),
	} {
		if _, err := Search(t.Context(), http.DefaultClient, endpoint, "q", 10); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", endpoint, err, want)
		}
	}
}
