package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// A first visit stores a login, because nothing shows that it is not the page; every list marks it.
func TestALoginThatAFirstVisitStoresIsMarked(t *testing.T) {
	needChrome(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := ""
		if r.URL.Path == "/front" {
			text = "<main><h1>River floods</h1><p>" + strings.Repeat("The river rose by two metres on Monday night. ", 40) + "</main>"
		}
		fmt.Fprint(w, `<!doctype html><title>Sign in</title>`+text+`<form><h2>Sign in to read</h2><input name=user><input type=password name=word><button>Sign in</button></form>`)
	}))
	defer srv.Close()
	common := []string{"--store=sqlite:" + filepath.Join(t.TempDir(), "a.db"), "--log-level=error"}
	archive := append([]string{"archive", srv.URL + "/members", srv.URL + "/front", "--allow-private=127.0.0.0/8", "--no-dns"}, common...)
	for _, outcome := range []string{"new", "unchanged"} {
		for _, tc := range []struct {
			args  []string
			login string
		}{
			{archive, "(login?"},
			{append([]string{"ls"}, common...), outcome + " login?"},
			{append([]string{"ls", "--json"}, common...), `"seems":"login"`},
			{append([]string{"versions", srv.URL + "/members"}, common...), "first version; login?"},
			{append([]string{"versions", srv.URL + "/members", "--json"}, common...), `"meta":{"plat:seems":"login"}`},
		} {
			out := must(t, tc.args...)
			if strings.Count(out, tc.login) != 1 {
				t.Errorf("plat %s does not have %q once:\n%s", strings.Join(tc.args, " "), tc.login, out)
			}
			for line := range strings.Lines(out) {
				if strings.Contains(line, "/front") && strings.Contains(line, "login") {
					t.Errorf("plat %s marks a page with its own text: %s", strings.Join(tc.args, " "), line)
				}
			}
		}
		archive = append(archive, "--always-render")
	}
}
