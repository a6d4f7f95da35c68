package browser

import (
	"compress/gzip"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"plat/plat"
)

// An answer in a different encoding than it says is no blank page.
func TestWhatCannotBeDecodedIsNoPage(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		encoding := strings.TrimPrefix(r.URL.Path, "/")
		w.Header().Set("Content-Type", "text/html")
		switch encoding {
		case "true":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			z.Write([]byte("<p>Open at six<img src=/gzip>"))
			z.Close()
			return
		case "none":
			w.Write([]byte("<p>Open at six<iframe src=/gzip></iframe>"))
			return
		}
		w.Header().Set("Content-Encoding", encoding)
		w.Write([]byte("<p>Open at six"))
	}))
	t.Cleanup(srv.Close)
	for _, path := range []string{"gzip", "x-gzip", "zstd", "gzip,zstd"} {
		_, err := pool(t).Render(t.Context(), Request{URL: srv.URL + "/" + path})
		var v *plat.VisitError
		if !errors.As(err, &v) || v.Outcome != plat.OutcomeUnreachable || v.Retry || !strings.Contains(err.Error(), "CONTENT_DECODING") {
			t.Errorf("%s: %v, want that it cannot be decoded", path, err)
		}
	}
	for _, path := range []string{"true", "none"} {
		s, err := pool(t).Render(t.Context(), Request{URL: srv.URL + "/" + path})
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if !strings.Contains(seenText(s), "Open at six") {
			t.Errorf("%s: the text is %q", path, seenText(s))
		}
	}
}
