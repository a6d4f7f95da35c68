package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plat/cmd/plat/app"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

func TestServeShowsTheArchiveUntilItIsStopped(t *testing.T) {
	needChrome(t)
	srv, _ := site(t)
	dir := t.TempDir()
	store := "sqlite:" + filepath.Join(dir, "a.db")
	if r := command(t, "archive", "--store", store, "--allow-private", "127.0.0.0/8", "--no-dns", srv.URL+"/"); r.code != 0 {
		t.Fatal(r.err)
	}
	token := strings.Repeat("t", 16)
	file := filepath.Join(dir, "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PLAT_TOKEN_FILE", file)
	at := freeAddr(t)
	cmd, _, errs := process(t, "serve", "--store", store, "--listen", at)
	defer cmd.Process.Kill()
	ask := func(method, path, token string) (int, string) {
		r, err := http.NewRequest(method, "http://"+at+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.SetBasicAuth("anybody", token)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, ""
		}
		defer answer.Body.Close()
		b, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(b)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if code, _ := ask("GET", "/readyz", ""); code == 200 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it does not begin: ", errs)
		}
	}
	if code, _ := ask("GET", "/", ""); code != 401 {
		t.Errorf("without the token: %d", code)
	}
	if code, page := ask("GET", "/url?url="+srv.URL+"/", token); code != 200 || !strings.Contains(page, "1 version") {
		t.Errorf("with the token: %d, %.300s", code, page)
	}
	if code, _ := ask("POST", "/api/v1/urls", token); code != 404 {
		t.Errorf("a URL where nobody visits any: %d", code)
	}
	if code, text := ask("GET", "/metrics", token); code != 200 || !strings.Contains(text, "go_goroutines") {
		t.Errorf("metrics: %d", code)
	}
	// The search finds the archived page soon.
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if _, page := ask("GET", "/search?q=river", token); strings.Contains(page, "<mark>") {
			break
		}
		if time.Now().After(end) {
			t.Fatal("a search finds nothing: ", errs)
		}
	}
	cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Errorf("stopped, it ends with %v: %s", err, errs)
	}
	if s := bufio.NewScanner(strings.NewReader(errs.String())); !s.Scan() || !strings.Contains(s.Text(), "http://"+at) {
		t.Errorf("it does not say where it serves: %s", errs)
	}
}

func TestNobodyServesToStrangersWithoutAToken(t *testing.T) {
	dir := t.TempDir()
	store := "sqlite:" + filepath.Join(dir, "a.db")
	sqlitetest.OpenAt(t, filepath.Join(dir, "a.db"), sqlite.Options{}).Close()
	closed := "redis://" + freeAddr(t) + "/0"
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"serve", "--listen", "0.0.0.0:0", "--store", store}, app.ExitConfig, "token"},
		{[]string{"serve", "--listen", ":0", "--store", store}, app.ExitConfig, "token"},
		{[]string{"serve", "--listen", "nonsense", "--store", store}, app.ExitUsage, "address and a port"},
		{[]string{"up", "--listen", "0.0.0.0:0", "--store", store, "--redis-listen", freeAddr(t)}, app.ExitConfig, "token"},
		{[]string{"up", "--redis-listen", "0.0.0.0:0", "--store", store}, app.ExitConfig, "PLAT_REDIS_PASSWORD"},
		{[]string{"up", "--redis-listen", ":0", "--store", store}, app.ExitConfig, "PLAT_REDIS_PASSWORD"},
		{[]string{"up", "--redis-listen", "0.0.0.0:0", "--redis-password", "short", "--store", store}, app.ExitUsage, "write 16 or more"},
		{[]string{"up", "--redis-listen", "nonsense", "--store", store}, app.ExitUsage, "address and a port"},
		{[]string{"serve", "--public-url", "https://a.test", "--store", store}, app.ExitConfig, "token"},
		{[]string{"serve", "--public-url", "a.test", "--store", store}, app.ExitUsage, "https://archive.example"},
		{[]string{"up", "--token", "short", "--store", store, "--redis-listen", freeAddr(t)}, app.ExitUsage, "write 16 or more"},
		{[]string{"worker", "--token", "short", "--listen", "127.0.0.1:0", "--redis", closed}, app.ExitUsage, "write 16 or more"},
	} {
		r := command(t, tc.args...)
		if r.code != tc.code || !strings.Contains(r.err, tc.want) {
			t.Errorf("plat %s: exit %d, %q; want %d and %q", strings.Join(tc.args, " "), r.code, r.err, tc.code, tc.want)
		}
	}
}

func TestUpSaysThatItCannotWork(t *testing.T) {
	needChrome(t)
	u := &up{t: t, http: freeAddr(t)}
	cmd, _, errs := process(t, "up", "-q", "--store", "sqlite:"+filepath.Join(t.TempDir(), "a.db"), "--redis-listen", freeAddr(t), "--listen", u.http, "--min-disk", "100PB", "--no-dns")
	u.cmd, u.errs = cmd, errs
	defer cmd.Process.Kill()
	status := func(path string) (code int, text string) {
		r, err := http.Get("http://" + u.http + path)
		if err != nil {
			return 0, ""
		}
		defer r.Body.Close()
		b, _ := io.ReadAll(r.Body)
		return r.StatusCode, string(b)
	}
	// The archive is shown all the same.
	u.until("it shows the archive", func() bool { code, _ := status("/"); return code == 200 })
	u.until("it says what it waits for", func() bool {
		code, text := status("/readyz")
		return code == 503 && strings.Contains(text, "room")
	})
	if _, page := status("/fleet"); !strings.Contains(page, "room") {
		t.Error("the page of the fleet does not say that no work is done")
	}
}
