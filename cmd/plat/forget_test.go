package main

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plat/cmd/plat/app"
	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/storage"
	"plat/storage/history"
	"plat/storage/retention"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
	"plat/storage/uri"
	"plat/workers/batch"
)

// forgotten is a line of plat forget --json, of a URL or the last one.
type forgotten struct {
	URL       string
	Versions  int
	Visits    int
	Forgotten int
	Whole     bool
	Total     bool
	Dry       bool `json:"dry_run"`
	Pages     int
	Before    int64  `json:"bytes_before"`
	After     *int64 `json:"bytes_after"`
	Left      bool   `json:"bytes_left"`
	Removed   struct{ Blocks, Bytes int64 }
}

func TestForget(t *testing.T) {
	store := madeUp(t)
	must(t, "search", "Monday", store) // there is an index of words

	// A dry run, or a host without --yes, changes nothing.
	was := must(t, "versions", paperURL, "--json", store)
	golden(t, "forget-dry.txt", must(t, "forget", paperURL, "--keep-last", "1", "--dry-run", store))
	r := command(t, "forget", "news.test", store)
	if r.code != app.ExitUsage || !strings.Contains(r.err, "add --yes") || !strings.Contains(r.out, paperURL) {
		t.Errorf("a host without --yes: exit %d\n%s%s", r.code, r.out, r.err)
	}
	if got := must(t, "versions", paperURL, "--json", store); got != was {
		t.Errorf("the archive is another:\n%s, was\n%s", got, was)
	}

	// Old versions.
	lines := jsonLines[forgotten](t, must(t, "forget", paperURL, "--before", "2026-01-05T03:04:05Z", "--keep-last", "2", "--json", store))
	if len(lines) != 2 || lines[0].URL != paperURL || lines[0].Versions != 1 || lines[0].Forgotten != 1 || lines[0].Whole || !lines[1].Total || lines[1].Dry || lines[1].Pages != 1 || lines[1].Removed.Blocks != 1 {
		t.Errorf("old versions: %+v", lines)
	}
	if got := jsonLines[history.VersionInfo](t, must(t, "versions", paperURL, "--json", store)); len(got) != 2 || got[0].Version != 2 {
		t.Errorf("the versions are %+v", got)
	}
	for args, want := range map[string]string{
		"show " + paperURL + "@1":    "removed from the archive, with all versions up to 1",
		"restore " + paperURL + "@1": "removed from the archive",
		"diff " + paperURL + "@1 @3": "removed",
		"diff " + paperURL + "@2":    "version 2 is the oldest that is kept",
	} {
		if r := command(t, append(strings.Fields(args), store)...); r.code != app.ExitError || !strings.Contains(r.err, want) {
			t.Errorf("%s: exit %d, %q", args, r.code, r.err)
		}
	}
	for _, name := range []string{"text", "show", "explain", "restore"} {
		r := command(t, name, paperURL+"@2026-01-03", store)
		if want := "the versions before 2 were removed from it on purpose; version 2, the oldest that is kept, was taken at 2026-01-04T03:04:05Z"; r.code != app.ExitError || !strings.Contains(r.err, want) || strings.Contains(r.err, "it was removed") {
			t.Errorf("%s of a time before: exit %d, %q, want %q", name, r.code, r.err, want)
		}
	}
	if out := must(t, "search", "Monday", store); strings.Contains(out, paperURL) {
		t.Errorf("search finds what was forgotten:\n%s", out)
	}
	if out := must(t, "search", "Tuesday", store); !strings.Contains(out, paperURL) {
		t.Errorf("search does not find what is kept:\n%s", out)
	}

	// A host, and then everything.
	must(t, "forget", "news.test", "--yes", store)
	golden(t, "forget-none.txt", must(t, "forget", paperURL, store))
	if r := command(t, "versions", paperURL, store); r.code != app.ExitError || !strings.Contains(r.err, "was removed from the archive on") {
		t.Errorf("versions of a page that was forgotten: exit %d, %q", r.code, r.err)
	}
	if r := command(t, "schedule", paperURL, store); r.code != app.ExitError || !strings.Contains(r.err, "was removed from the archive on") {
		t.Errorf("the schedule of a page that was forgotten: exit %d, %q", r.code, r.err)
	}
	must(t, "forget", "http://zh.test:8080/*", "http://gone.test/", "--yes", store)
	must(t, "verify", store)
	if out := must(t, "blocks", store); strings.Contains(out, "://") {
		t.Errorf("blocks are left:\n%s", out)
	}

	for _, args := range [][]string{{"forget", "a b"}, {"forget", "news.test/page"}, {"forget", "news*"}, {"forget", "http://news.te*"}, {"forget", paperURL, "--keep-last", "0"}, {"forget", paperURL, "--before", "soon"}, {"forget", paperURL, "--before", ""}} {
		if r := command(t, append(args, store)...); r.code != app.ExitUsage {
			t.Errorf("%v: exit %d, %q", args, r.code, r.err)
		}
	}
}

// If one page is unknown, nothing is forgotten.
func TestForgetRefusesWhatIsNotThere(t *testing.T) {
	store := madeUp(t)
	was := must(t, "versions", paperURL, "--json", store)
	for arg, want := range map[string]string{
		"http://unknown.test/": "nothing was forgotten", "unknown.test": "has no URL of this host", "zh.test": "it has zh.test:8080, a different host",
		"http://news.test/tomorrow*": "no URL of the archive begins so",
	} {
		if r := command(t, "forget", paperURL, arg, "--yes", store); r.code != app.ExitError || !strings.Contains(r.err, want) {
			t.Errorf("%s: exit %d, %q, want %q", arg, r.code, r.err, want)
		}
	}
	if got := must(t, "versions", paperURL, "--json", store); got != was {
		t.Errorf("the archive is another:\n%s, was\n%s", got, was)
	}
	must(t, "forget", "HTTP://News.Test/to*", "--yes", store) // as it is archived
	if r := command(t, "versions", paperURL, store); r.code != app.ExitError {
		t.Errorf("a prefix in capitals has not been taken for the same: exit %d, %q", r.code, r.err)
	}
}

// Settings for other commands do not affect forget.
func TestForgetHeedsTheCommandLineAlone(t *testing.T) {
	store := madeUp(t)
	r := commandIn(t, t.Context(), []string{"PLAT_KEEP_LAST=2", "PLAT_YES=true"}, "", "forget", paperURL, "--json", store)
	if lines := jsonLines[forgotten](t, r.out); r.code != app.ExitOK || len(lines) != 2 || lines[0].Versions != 3 || !lines[0].Whole {
		t.Errorf("PLAT_KEEP_LAST=2: exit %d, %s%s", r.code, r.out, r.err)
	}
	if r := commandIn(t, t.Context(), []string{"PLAT_YES=true"}, "", "forget", "zh.test:8080", store); r.code != app.ExitUsage {
		t.Errorf("PLAT_YES=true: exit %d, %s", r.code, r.out)
	}
}

// A page is forgotten under the address that is written, and under no other that looks like it.
func TestForgetGuessesNoAddress(t *testing.T) {
	store := madeUp(t)
	s := sqlitetest.OpenAt(t, strings.TrimPrefix(store, "--store=sqlite:"), sqlite.Options{})
	const one, other = "http://news.test/a?b=2&a=1", "http://news.test/a?a=1&b=2"
	for i, url := range []string{one, other} {
		if _, err := s.Commit(t.Context(), storagetest.NewPage(url, uint64(i)).Next()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		must(t, "forget", one, store)
		must(t, "versions", other, store)
	}
	if r := command(t, "forget", "http://news.test/a?b=2&a=1&", store); r.code != app.ExitError {
		t.Errorf("an unknown URL that looks like one: exit %d, %s%s", r.code, r.out, r.err)
	}
	must(t, "versions", other, store)
}

// The same command completes a run that was killed.
func TestForgetAgainFinishes(t *testing.T) {
	store := madeUp(t)
	s := sqlitetest.OpenAt(t, strings.TrimPrefix(store, "--store=sqlite:"), sqlite.Options{})
	if _, err := s.Forget(t.Context(), paperURL, storage.Cut{}, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if out := must(t, "gc", "--dry-run", store); strings.HasPrefix(out, "0 ") {
		t.Fatalf("gc --dry-run: %s: there is nothing to finish", out)
	}
	must(t, "forget", paperURL, store)
	if out := must(t, "gc", "--dry-run", store); !strings.HasPrefix(out, "0 ") {
		t.Errorf("afterwards gc --dry-run: %s", out)
	}
}

// elsewhere begins a transaction of a second process, which ends with the test.
func elsewhere(t *testing.T, store, lock string) *sql.Tx {
	t.Helper()
	other, err := sql.Open("sqlite", strings.TrimPrefix(store, "--store=sqlite:")+"?_txlock="+lock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	tx, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tx.Rollback() })
	return tx
}

// If a second process locks the file, nothing is reported as removed.
func TestForgetOfALockedFile(t *testing.T) {
	store := madeUp(t)
	writing := elsewhere(t, store, "exclusive")
	for _, args := range [][]string{{"forget", paperURL}, {"gc"}} {
		var out, said bytes.Buffer
		a := &app.App{Out: terminal.NewScreen(&out), Stderr: &said, Patience: 200 * time.Millisecond}
		a.Store = strings.TrimPrefix(store, "--store=")
		cmd := forgetCommand(a)
		if args[0] == "gc" {
			cmd = gcCommand(a)
		}
		cmd.SetArgs(args[1:])
		err := cmd.ExecuteContext(t.Context())
		if code := app.CodeOf(t.Context(), err); code != app.ExitStore || !strings.Contains(err.Error(), "is in use by another process") || strings.Contains(err.Error(), "bytes not removed") || strings.Count(said.String(), "waiting") > 1 {
			t.Errorf("plat %s: code %d, %v; said %q", args[0], code, err, said.String())
		}
	}
	writing.Rollback()
	must(t, "versions", paperURL, store)
}

// While a second process reads the file, nothing is reported as removed from it: the first
// message says that bytes are left, and how to remove them.
func TestForgetSaysThatBytesAreLeft(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		store := madeUp(t)
		reading := elsewhere(t, store, "deferred")
		var n int
		if err := reading.QueryRow("SELECT count(*) FROM versions").Scan(&n); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		a := &app.App{Out: terminal.NewScreen(&out), Stderr: io.Discard, Patience: 200 * time.Millisecond}
		a.Store, a.JSON = strings.TrimPrefix(store, "--store="), asJSON
		f := &forgetter{a: a, which: []retention.Which{{URL: paperURL}}}
		err := a.WithStore(t.Context(), uri.Writes, func(s storage.Store) error { return f.run(t.Context(), s) })
		if err == nil || !strings.Contains(err.Error(), "their bytes are still there") {
			t.Errorf("the error is %v", err)
		}
		if asJSON {
			if lines := jsonLines[forgotten](t, out.String()); len(lines) != 2 || !lines[1].Left || lines[1].After != nil || lines[1].Before == 0 {
				t.Errorf("JSON: %s", out.String())
			}
			continue
		}
		const first = "not done yet: the bytes of what was forgotten are still in the archive; when no other process reads it, remove them with plat gc\n"
		if s := out.String(); !strings.HasPrefix(s, first) || !strings.Contains(s, "forgotten, but bytes not removed: 3 versions") || strings.Contains(s, "has ") {
			t.Errorf("printed:\n%s", s)
		}
		if err := reading.Rollback(); err != nil {
			t.Fatal(err)
		}
		lines := jsonLines[forgotten](t, must(t, "forget", "zh.test:8080", "--yes", "--json", store))
		if end := lines[len(lines)-1]; end.Left || end.After == nil || *end.After == 0 {
			t.Errorf("once nobody reads: %+v", end)
		}
	}
}

// A subscription whose page was forgotten says so, and other addresses of a page are forgotten too.
func TestForgetSaysWhatLosesItsPage(t *testing.T) {
	store := madeUp(t)
	s := sqlitetest.OpenAt(t, strings.TrimPrefix(store, "--store=sqlite:"), sqlite.Options{})
	const other = "http://news.test/now"
	if err := errors.Join(s.Subscribe(t.Context(), &plat.Subscription{ID: "paper", URL: paperURL}),
		s.Record(t.Context(), plat.Visit{URL: other, Time: time.Now(), Outcome: plat.OutcomeAlias, Main: paperURL}, 0), s.Close()); err != nil {
		t.Fatal(err)
	}
	r := command(t, "forget", other, "--json", store)
	if r.code != app.ExitOK || !strings.Contains(r.err, other+" is archived as "+paperURL) || !strings.Contains(r.err, "plat watch rm paper") {
		t.Errorf("exit %d, %q", r.code, r.err)
	}
	if lines := jsonLines[forgotten](t, r.out); len(lines) != 3 || lines[0].URL != paperURL || lines[1].URL != other || lines[1].Visits != 1 {
		t.Errorf("%+v", lines)
	}
	if out := must(t, "watch", "ls", store); !strings.Contains(out, "forgotten") {
		t.Errorf("watch ls:\n%s", out)
	}
}

// A forgotten page is archived again as a new page, under the next number.
func TestAForgottenPageIsArchivedAnew(t *testing.T) {
	t.Parallel()
	needChrome(t)
	s, edition := site(t)
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	visit := func() batch.Page {
		t.Helper()
		return jsonLines[batch.Page](t, must(t, "archive", "--json", s.URL+"/", db, "--allow-private=127.0.0.0/8", "--log-level=error", "--confirm-after=0"))[0]
	}
	visit()
	edition.Store(1)
	visit()
	must(t, "forget", s.URL+"/", db)
	if p := visit(); p.Outcome != "new" || p.Version != 3 || len(p.Changes) > 0 {
		t.Errorf("after it was forgotten: %+v; want version 3, new", p)
	}
	edition.Store(0)
	if p := visit(); p.Outcome != "changed" || p.Version != 4 || len(p.Changes) == 0 {
		t.Errorf("then: %+v; want version 4, changed", p)
	}
	if out := must(t, "versions", s.URL+"/", db); !strings.Contains(out, "oldest version kept") {
		t.Errorf("versions:\n%s", out)
	}
	must(t, "verify", db)
}
