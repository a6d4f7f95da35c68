package web

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheNodeExamplePrintsBlocksAndChanges(t *testing.T) {
	server := forClients(t)
	page := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(page, []byte("<h1>The Harbour Notice</h1>"), 0o644); err != nil {
		t.Fatal(err)
	}
	node := func(args ...string) *exec.Cmd {
		c := program(t, "node", append([]string{"../examples/node/blocks.mjs"}, args...)...)
		c.Env = append(os.Environ(), "PLAT_SERVER="+server.URL, "PLAT_TOKEN="+clientToken)
		return c
	}
	for _, tc := range []struct{ since, want, not string }{
		{"", "content from version 1 to 2: main, North pier closes for repairs\n", "volatile from"},
		{"2026-01-02", "new in version 2: main, North pier closes for repairs\n", "new in version 1"},
	} {
		out := run(t, node(strings.Fields(page+" http://news.test/ "+tc.since)...))
		if !strings.Contains(out, "main, North pier closes for repairs at 32,197 868×113:\n## North pier closes for repairs\n") || !strings.Contains(out, tc.want) || strings.Contains(out, tc.not) {
			t.Errorf("since %q it prints\n%s", tc.since, out)
		}
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{page}, "usage: node blocks.mjs FILE URL"},
		{[]string{page, "http://none.test/"}, "404 Not Found: not in this archive"},
		{[]string{page, "news.test"}, "400 Bad Request: "},
	} {
		if out, err := node(tc.args...).CombinedOutput(); err == nil || !strings.Contains(string(out), tc.want) {
			t.Errorf("%v: %v\n%s", tc.args, err, out)
		}
	}
}
