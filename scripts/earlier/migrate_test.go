package earlier

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plat/browser/process"
	"plat/fixtures"
	"plat/scripts/procs"
)

// before is the last plat whose MongoDB archives have format 1.
const before = "945e20d"

// Archives that an earlier plat has written are migrated by processes that are killed ten times. Then plat verify finds
// nothing in them, and they contain what the earlier plat exported. A quarter of an hour:
//
//	PLAT_LONG=1 go test ./scripts/earlier -run Migrated -v -timeout 1h
func TestAnArchiveOfAnEarlierPlatIsMigrated(t *testing.T) {
	if fixtures.OneIn(2) > 1 {
		t.Skip("skipped: it builds an earlier plat; PLAT_LONG=1 runs it")
	}
	chrome, err := process.Find("")
	if err != nil {
		t.Skip("skipped: ", err)
	}
	old := filepath.Join(requireBefore(t), "plat")
	m := &migration{t: t, dir: t.TempDir(), chrome: chrome, old: old}
	m.now = filepath.Join(m.dir, "plat")
	m.build(".", "./cmd/plat", m.now)
	t.Run("MongoDB", m.mongo)
	t.Run("SQLite", m.sqlite)
}

// requireBefore changes to the checkout, and returns the folder of the earlier plat. Where its commit is missing, it skips the test.
func requireBefore(t *testing.T) string {
	t.Helper()
	t.Chdir("../..")
	if err := exec.Command("git", "cat-file", "-e", before+"^{commit}").Run(); err != nil {
		t.Skipf("skipped: this checkout has no commit %s, as it is a shallow clone", before)
	}
	work, err := filepath.Abs(filepath.Join(".work", "earlier"))
	if err != nil {
		t.Fatal(err)
	}
	folder, _, err := Plat(t.Context(), work, before)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// migration has the two plats.
type migration struct {
	t                     *testing.T
	dir, chrome, old, now string
}

func (m *migration) build(dir, pkg, to string) {
	m.t.Helper()
	cmd := exec.CommandContext(m.t.Context(), "go", "build", "-o", to, pkg)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		m.t.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
}

// run runs a plat, which must succeed, and returns its standard output.
func (m *migration) run(t *testing.T, plat string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), plat, args...)
	var out, bad bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &bad
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", plat, strings.Join(args, " "), err, out.Bytes(), bad.Bytes())
	}
	return out.Bytes()
}

const (
	pages    = 12
	editions = 5
	cuts     = 10
)

// edition is an edition of a page: a paragraph that is edited, one that comes with the third, a table that goes with the
// fourth, and what all pages have in common.
func edition(page, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>Page %d</title><nav><a href='/1'>One</a> <a href='/2'>Two</a></nav><main><h1>The harbour on day %d</h1>", page, page)
	fmt.Fprintf(&b, "<p>The ferry of pier %d leaves at %d o'clock, and the crane lifts barge number %d in the afternoon.</p>", page, 7+n, 10*page)
	if n >= 3 {
		fmt.Fprintf(&b, "<p>A storm closed pier %d. <a href='https://harbour.test/%d'>The pilot</a> waits for the tide, with letters ä, 港 and 🚢.</p>", page, page)
	}
	if n < 4 {
		fmt.Fprintf(&b, "<table><tr><th>Ship</th><th>Pier</th></tr><tr><td>Gull</td><td>%d</td></tr><tr><td>Anchor</td><td>%d</td></tr></table>", page, page+1)
	}
	if page%3 == 0 {
		fmt.Fprintf(&b, "<section><h2>Notes</h2><ul><li>Rope<li>Lantern %d<li>Buoy</ul></section>", n)
	}
	fmt.Fprintf(&b, "</main><footer>Port authority, edition %d of all pages</footer></html>", n/3)
	return b.String()
}

// archive has the earlier plat archive all editions, and returns what it exports, by URL and version, with the bytes that it
// restores.
func (m *migration) archive(t *testing.T, store string) map[string]map[string]any {
	var n atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var page int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &page); err != nil || page < 1 || page > pages {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, edition(page, int(n.Load())))
	}))
	defer site.Close()
	port := site.URL[strings.LastIndexByte(site.URL, ':')+1:]
	args := []string{"archive", "--store", store, "--chrome", m.chrome, "--allow-private", "127.0.0.0/8", "--allow-port", port, "--delay", "0", "--screenshot", "--settle-timeout", "2s", "-q"}
	for p := range pages {
		args = append(args, fmt.Sprintf("%s/%d", site.URL, p+1))
	}
	for range editions {
		n.Add(1)
		m.run(t, m.old, args...)
	}
	all := m.exported(t, m.old, store)
	if len(all) != pages*editions {
		t.Fatalf("the earlier plat has exported %d versions, want %d", len(all), pages*editions)
	}
	return all
}

// exported returns the versions that a plat exports, by URL and number, each with its bytes as "restored".
func (m *migration) exported(t *testing.T, plat, store string) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	lines := bufio.NewScanner(bytes.NewReader(m.run(t, plat, "export", "--store", store, "--format", "jsonl")))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var v map[string]any
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%v@%v", v["url"], v["version"])
		v["restored"] = string(m.run(t, plat, "restore", "--store", store, "--raw", name))
		all[name] = v
	}
	return all
}

// compare compares what was exported before and after.
func compare(t *testing.T, was, is map[string]map[string]any) {
	t.Helper()
	if len(was) != len(is) {
		t.Errorf("%d versions were exported, and %d after the migration", len(was), len(is))
	}
	fields := 0
	for name, v := range was {
		for field, value := range v {
			fields++
			if got := is[name][field]; !reflect.DeepEqual(got, value) {
				t.Errorf("%s of %s was %.300v, and is %.300v", field, name, value, got)
			}
		}
	}
	t.Logf("%d versions with %d fields are equal", len(was), fields)
}

func (m *migration) mongo(t *testing.T) {
	uri, end, err := procs.StartFerretDB(t.Context(), m.dir, "mongo")
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	at := strings.TrimSuffix(strings.TrimPrefix(uri, "mongodb://"), "/")
	store := "mongodb://" + at + "/plat"
	was := m.archive(t, store)
	m.refused(t, store)
	p := newWriteProxy(t, at)
	for i := range cuts {
		ctx, kill := context.WithCancel(t.Context())
		p.arm(2+2*i, i%2 == 0, kill)
		out, err := exec.CommandContext(ctx, m.now, "migrate", "--store", "mongodb://"+p.addr()+"/plat").CombinedOutput()
		killed := ctx.Err() != nil
		kill()
		if err == nil || !killed {
			t.Fatalf("interruption %d: %v\n%s", i+1, err, out)
		}
		m.refused(t, store)
	}
	t.Logf("killed %d times; %s", cuts, m.run(t, m.now, "migrate", "--store", store))
	m.whole(t, store)
	compare(t, was, m.exported(t, m.now, store))
}

// refused checks that an archive must be migrated before it is read.
func (m *migration) refused(t *testing.T, store string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), m.now, "stats", "--store", store).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "then run plat migrate") {
		t.Fatalf("an archive that is not migrated is read: %v\n%s", err, out)
	}
}

// whole checks that plat verify finds nothing, and that pages have derived documents as plat reindex makes them.
func (m *migration) whole(t *testing.T, store string) {
	t.Helper()
	m.run(t, m.now, "verify", "--store", store, "-q")
	blocks := m.run(t, m.now, "blocks", "--store", store, "--limit", "100000", "--json")
	if n := bytes.Count(blocks, []byte("\n")); n < pages*editions {
		t.Errorf("plat blocks has %d lines", n)
	}
	m.run(t, m.now, "reindex", "--store", store)
	if !bytes.Equal(m.run(t, m.now, "blocks", "--store", store, "--limit", "100000", "--json"), blocks) {
		t.Error("plat blocks prints otherwise after plat reindex")
	}
	m.run(t, m.now, "verify", "--store", store, "-q")
}

func (m *migration) sqlite(t *testing.T) {
	file := filepath.Join(m.dir, "archive.db")
	store := "sqlite:" + file
	was := m.archive(t, store)
	// How long a whole migration takes: the kills are spread over it.
	copied := filepath.Join(m.dir, "copy.db")
	b, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(copied, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	m.run(t, m.now, "migrate", "--store", "sqlite:"+copied)
	took := time.Since(began)
	killed := 0
	for i := range 2 * cuts {
		ctx, kill := context.WithTimeout(t.Context(), took*time.Duration(i+1)/(2*cuts))
		if err := exec.CommandContext(ctx, m.now, "migrate", "--store", store).Run(); err != nil && ctx.Err() != nil {
			killed++
		}
		kill()
	}
	if killed < cuts {
		t.Errorf("killed %d times within %v, want at least %d", killed, took, cuts)
	}
	t.Logf("killed %d times within %v; %s", killed, took.Round(time.Millisecond), m.run(t, m.now, "migrate", "--store", store))
	m.whole(t, store)
	compare(t, was, m.exported(t, m.now, store))
}
