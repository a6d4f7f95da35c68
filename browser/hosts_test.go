package browser

import (
	"errors"
	"net/http"
	"testing"

	"plat/plat"
)

// A server is not at fault for a name that cannot exist.
func TestAHostThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	p := poolWith(t, func(*Options) {})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /there", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://127.9.9.9&/")
		w.WriteHeader(http.StatusFound)
	})
	srv := serve(t, mux)
	for _, url := range []string{"http://127.9.9.9&/", "https://127.9.9.9&/", srv.URL + "/there"} {
		_, err := p.Render(t.Context(), Request{URL: url})
		var v *plat.VisitError
		if !errors.As(err, &v) || v.Outcome != plat.OutcomeRefused || v.Retry {
			t.Errorf("%s: %v; want it refused", url, err)
		}
	}
}
