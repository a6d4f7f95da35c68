package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"time"

	"plat/fixtures/freeport"
)

// locked archives a page while a different program locks the archive for some seconds.
func locked(m *machine) (string, bool, error) {
	s := m.site(page(story))
	if _, err := m.archive(s.at("shop.test", "/1")); err != nil {
		return "", false, err
	}
	holder := exec.CommandContext(m.ctx, "python3", "-c", `import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
time.sleep(12)
db.execute("COMMIT")`, m.file("a.db"))
	out, err := holder.StdoutPipe()
	if err != nil {
		return "", false, err
	}
	if err := holder.Start(); err != nil {
		return "", false, err
	}
	defer holder.Wait()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return "", false, fmt.Errorf("lock: %q, %w", line, err)
	}
	r, err := m.run(append([]string{"archive", m.store(), s.at("shop.test", "/2")}, here...)...)
	return fmt.Sprintf("exit %d: %s", r.exit, r.last()), r.exit != 0 || !strings.Contains(r.errs, "lock") && !strings.Contains(r.errs, "wait"), err
}

// noMongoDB names a database that does not answer.
func noMongoDB(m *machine) (string, bool, error) {
	ports, err := freeport.List(1)
	if err != nil {
		return "", false, err
	}
	r, err := m.run("stats", fmt.Sprintf("--store=mongodb://127.0.0.1:%d/plat", ports[0]))
	return fmt.Sprintf("%.0f s, %d characters: %s", r.took.Seconds(), len(r.errs), r.last()), r.took > 10*time.Second || strings.Count(strings.TrimSpace(r.errs), "\n") > 0 || len(r.errs) > 200, err
}

// unknownVariable sets a variable that is not a setting.
func unknownVariable(m *machine) (string, bool, error) {
	const misspelt = "PLAT_" + "STROE"
	r, err := m.runWith([]string{misspelt + "=sqlite:b.db"}, "version")
	return r.last(), !strings.Contains(r.all(), misspelt), err
}

// unknownKey gives a list with a key that no seed has.
func unknownKey(m *machine) (string, bool, error) {
	s := m.site(page(story))
	list := m.write("list.jsonl", fmt.Sprintf(`{"url":%q,"prority":1}`+"\n", s.at("shop.test", "/")))
	r, err := m.run(append([]string{"archive", m.store(), "-f", list}, here...)...)
	return r.last(), !strings.Contains(r.all(), "prority"), err
}

// exitCodes gives the same wrong value in every way there is.
func exitCodes(m *machine) (string, bool, error) {
	file := m.write("plat.yaml", "level: 99\n")
	url := "http://127.0.0.1:9/"
	var codes []int
	for _, call := range []struct {
		env  []string
		args []string
	}{
		{nil, []string{"archive", m.store(), "--level", "99", url}},
		{nil, []string{"archive", m.store(), "--level", "many", url}},
		{[]string{"PLAT_LEVEL=99"}, []string{"archive", m.store(), url}},
		{[]string{"PLAT_LEVEL=many"}, []string{"archive", m.store(), url}},
		{nil, []string{"archive", m.store(), "--config", file, url}},
		{nil, []string{"archive", m.store(), "--profile", "nonsense", url}},
		{nil, []string{"archive", m.store(), "--allow-private", "nonsense", url}},
		{nil, []string{"archive", m.store(), "--header", "nonsense", url}},
		{nil, []string{"up", m.store(), "--scope", "nonsense", url}},
		{nil, []string{"export", m.store(), "--format", "nonsense", "-o", "x"}},
		{nil, []string{"blocks", m.store(), "--since", "nonsense"}},
	} {
		r, err := m.runWith(call.env, call.args...)
		if err != nil {
			return "", false, err
		}
		codes = append(codes, r.exit)
	}
	return fmt.Sprint(codes), slices.Min(codes) != slices.Max(codes) || codes[0] == 0, nil
}

// passwordsShown has addresses with passwords fail.
func passwordsShown(m *machine) (string, bool, error) {
	shown := 0
	calls := [][]string{
		{"archive", m.store(), "http://user:" + secret + "@bad host/"},
		{"archive", m.store(), "http://user:" + secret + "@127.0.0.1:99999/"},
		{"stats", "--store=mongodb://user:" + secret + "@127.0.0.1:x/plat"},
		{"stats", "--store=postgres://user:" + secret + "@127.0.0.1/plat"},
		{"queue", "ls", "--redis", "redis://user:" + secret + "@127.0.0.1:x/0"},
		{"archive", m.store(), "--proxy", "http://user:" + secret + "@[bad/", "http://127.0.0.1:9/"},
		{"archive", m.store(), "--header", "Authorization " + secret, "http://127.0.0.1:9/"},
		{"archive", m.store(), "--auth", "user:" + secret, "http://127.0.0.1:9/"},
	}
	for _, args := range calls {
		r, err := m.run(args...)
		if err != nil {
			return "", false, err
		}
		if strings.Contains(r.out+r.errs, secret) {
			shown++
		}
	}
	return fmt.Sprintf("shown by %d of %d messages", shown, len(calls)), shown > 0, nil
}

// blamed visits an address that no name server can know.
func blamed(m *machine) (string, bool, error) {
	v, err := m.archive("http://127.9.9.9&/")
	return v.String() + ": " + v.Error, v.Outcome != "refused" && v.Outcome != "bad-url", err
}

// typesOfGo gives a list whose JSON has a number for a text.
func typesOfGo(m *machine) (string, bool, error) {
	list := m.write("list.jsonl", `{"url": 5}`+"\n")
	r, err := m.run(append([]string{"archive", m.store(), "-f", list}, here...)...)
	return r.last(), strings.Contains(r.all(), "Go ") || strings.Contains(r.all(), "struct"), err
}

// served returns the answer of the interface of the machine's archive.
func (m *machine) served(path string) (string, error) {
	ports, err := freeport.List(1)
	if err != nil {
		return "", err
	}
	url := fmt.Sprint("http://127.0.0.1:", ports[0])
	if _, _, err := m.start(url, "serve", m.store(), "--listen", strings.TrimPrefix(url, "http://")); err != nil {
		return "", err
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		a, err := http.Get(url + path)
		if err != nil {
			return "", err
		}
		b, err := io.ReadAll(a.Body)
		a.Body.Close()
		if err != nil || a.StatusCode < 300 || time.Now().After(end) { // it shows the archive soon after it listens
			return string(b), err
		}
	}
}
