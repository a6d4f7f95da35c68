package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plat/cmd/plat/app"
)

func TestURLsAreTypedWithoutTheirScheme(t *testing.T) {
	needChrome(t)
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"archive", "crawl"} {
		r := command(t, name, "no-such.test/page", "--no-dns", "--log-level=error", "--store=a.db")
		if r.code != app.ExitPartly || !strings.Contains(r.err, "plat: no-such.test/page: https:// is assumed\n") || !strings.Contains(r.out, "https://no-such.test/page\n    no such host: ") {
			t.Errorf("%s: exit %d\n%s%s", name, r.code, r.out, r.err)
		}
	}
	if _, err := os.Stat("a.db"); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile("urls.txt", []byte("https://a.test/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := command(t, "archive", "urls.txt"); r.code != app.ExitUsage || !strings.Contains(r.err, "urls.txt is a file; give a list of URLs with -f urls.txt") {
		t.Errorf("exit %d, %s", r.code, r.err)
	}
}

// A typing error leaves no archive behind.
func TestARefusedCommandMakesNoArchive(t *testing.T) {
	needChrome(t)
	dir := t.TempDir()
	for i, args := range [][]string{
		{"archive", "ftp://a.test/"}, {"archive", "https://a.test/", "--level=99"}, {"archive", "https://a.test/", "--chrome=" + filepath.Join(dir, "none")}, {"archive", "-f", filepath.Join(dir, "none")},
		{"crawl", "ftp://a.test/"}, {"crawl", "https://a.test/", "--chrome=" + filepath.Join(dir, "none")}, {"crawl", "https://a.test/", "--scope=x"},
		{"up", "ftp://a.test/", "--redis-listen", freeAddr(t)}, {"up", "--redis-listen=a"}, {"up", "https://a.test/", "--chrome=" + filepath.Join(dir, "none"), "--listen", freeAddr(t), "--redis-listen", freeAddr(t)},
		{"enqueue", "https://a.test/", "--redis=redis://127.0.0.1:1/0"}, {"enqueue", "https://a.test/", "--every=often"},
		{"watch", "add", "ftp://a.test/"}, {"watch", "add", "https://a.test/", "--every=often"}, {"watch", "edit", "https://a.test/", "--tag=x"}, {"watch", "channel", "add", "x", "nothing"},
		{"focus", "new", "--name=x", "--about=birds", "ftp://a.test/"}, {"versions", "https://a.test/"}, {"rules", "--add", filepath.Join(dir, "none")},
	} {
		sub := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		r := command(t, append(args, "--log-level=error", "--store="+filepath.Join(sub, "a.db"))...)
		if left, _ := os.ReadDir(sub); r.code == app.ExitOK || len(left) > 0 {
			t.Errorf("%q: exit %d, leaves %v; %s", args, r.code, left, r.err)
		}
	}
}
