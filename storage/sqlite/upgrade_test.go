package sqlite

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// withoutHosts undoes the upgrade to format 7.
const withoutHosts = `
	DROP INDEX urls_backlog; DROP INDEX urls_timed; DROP INDEX urls_at; DROP INDEX urls_dead; DROP INDEX hosts_ready; DROP INDEX hosts_next;
	ALTER TABLE urls DROP COLUMN at; ALTER TABLE urls DROP COLUMN attempts; ALTER TABLE urls DROP COLUMN throttled; ALTER TABLE urls DROP COLUMN died;
	ALTER TABLE hosts DROP COLUMN urgency; ALTER TABLE hosts DROP COLUMN since; ALTER TABLE hosts DROP COLUMN next; ALTER TABLE hosts DROP COLUMN clock;
	ALTER TABLE hosts DROP COLUMN backlog; ALTER TABLE hosts DROP COLUMN timed; ALTER TABLE hosts DROP COLUMN dead;
	DROP TABLE notes;` + withoutAddresses

// withoutAddresses undoes the upgrade to format 8.
const withoutAddresses = `
	DROP INDEX urls_main; DROP INDEX urls_print; ALTER TABLE urls DROP COLUMN main; ALTER TABLE urls DROP COLUMN print;` + withoutSubscriptions

// withoutSubscriptions undoes the upgrade to format 10.
const withoutSubscriptions = `
	DROP TABLE subscriptions; DROP TABLE tags; DROP TABLE followed; DROP TABLE followed_memories; DROP TABLE items;
	DROP TABLE channels; DROP TABLE messages; DROP TABLE sent;` + withoutCrawls

// withoutCrawls undoes the upgrade to format 11.
const withoutCrawls = `
	DROP TABLE crawls; DROP TABLE crawl_pages; DROP TABLE crawl_readings; DROP TABLE crawl_reports;` + withoutForgetting

// withoutForgetting undoes the upgrade to format 12.
const withoutForgetting = `
	DROP INDEX IF EXISTS items_page; ALTER TABLE urls DROP COLUMN forgotten; ALTER TABLE urls DROP COLUMN forgotten_at;
	ALTER TABLE urls DROP COLUMN picture_bytes; ALTER TABLE urls DROP COLUMN resource_bytes;` + withoutPast

// withoutPast undoes the upgrade to format 16.
const withoutPast = `
	DROP TABLE past; ALTER TABLE urls DROP COLUMN past;`

// format1 creates an archive in the format before jobs, and returns its file and
// contents.
func format1(t *testing.T) (path string, all []*storage.Commit) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "old.plat")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := storagetest.NewPage("https://a.test/", 1)
	for range 3 {
		c := p.Next()
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if err := s.Record(t.Context(), plat.Visit{URL: "https://b.test/", Time: time.UnixMilli(5e12), Outcome: plat.OutcomeGone}, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec(withoutHosts); err != nil {
		t.Fatal(err)
	}
	for _, column := range []string{"due", "settled", "priority", "plan"} {
		if _, err := s.write.Exec("ALTER TABLE urls DROP COLUMN " + column); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.write.Exec("DROP TABLE resources; DROP TABLE manifests; DROP TABLE memories; PRAGMA user_version = 1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path, all
}

// formatOf returns the format and the columns of urls.
func formatOf(t *testing.T, s *Store) (version int, columns string) {
	t.Helper()
	if err := s.read.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		t.Fatal(err)
	}
	err := rows(t.Context(), s.read, func(scan func(...any) error) error {
		var line string
		err := scan(&line)
		columns += line + "\n"
		return err
	}, `SELECT format('%d %s %s %d %s', cid, name, type, "notnull", dflt_value) FROM pragma_table_info('urls') ORDER BY cid`)
	if err != nil {
		t.Fatal(err)
	}
	return version, columns
}

func readsBack(t *testing.T, s *Store, all []*storage.Commit) {
	t.Helper()
	if ok, errs := readBack(t, s, all); !ok {
		t.Error(errs)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 || r.URLs != 2 || r.Versions != 3 {
		t.Errorf("Verify: %+v, %v", r, err)
	}
	n := 0
	for st, err := range s.States(t.Context(), "", "") {
		if n++; err != nil || !st.Due.IsZero() || !st.Settled.IsZero() || st.Visits == 0 {
			t.Errorf("State: %+v, %v", st, err)
		}
	}
	if n != 2 {
		t.Errorf("States yields %d, want 2", n)
	}
}

func TestOpenUpgradesOldFormats(t *testing.T) {
	path, all := format1(t)
	var once sync.WaitGroup
	for range 4 { // several processes may open it at once
		once.Go(func() {
			s, err := Open(path, Options{})
			if err != nil {
				t.Errorf("Open: %v", err)
				return
			}
			s.Close()
		})
	}
	once.Wait()
	s := openAt(t, path, Options{})
	readsBack(t, s, all)
	version, columns := formatOf(t, s)
	if _, want := formatOf(t, openTemp(t).(*Store)); version != format || columns != want {
		t.Errorf("the format is %d, want %d; the columns are\n%s, want\n%s", version, format, columns, want)
	}
	job := plat.Job{URL: "https://a.test/", Due: time.UnixMilli(7e12), Plan: plat.Plan{Depth: 3}}
	if _, err := s.Enlist(t.Context(), []plat.Job{job}, storage.Join); err != nil {
		t.Fatal(err)
	}
	v := plat.Visit{URL: job.URL, Time: job.Due.Add(time.Second).UTC(), Outcome: plat.OutcomeUnchanged, Version: 3, Settles: job.Due.UTC(), Next: job.Due.Add(time.Hour).UTC()}
	if err := s.Record(t.Context(), v, 0); err != nil {
		t.Fatal(err)
	}
	if st, err := s.State(t.Context(), job.URL); err != nil || !st.Settled.Equal(job.Due) || !st.Due.Equal(v.Next) || st.Depth != 3 || st.Visits != 4 {
		t.Errorf("State: %+v, %v", st, err)
	}
	for got, err := range s.Visits(t.Context(), job.URL, 1) {
		if err != nil || got != v {
			t.Errorf("the last visit is %+v, %v; want %+v", got, err, v)
		}
	}
}

func TestFailedUpgradesChangeNothing(t *testing.T) {
	path, all := format1(t)
	died := errors.New("died")
	for _, at := range []string{"upgrade", "commit"} {
		s, err := Open(path, Options{Fault: func(step string) error {
			if step == at {
				return died
			}
			return nil
		}})
		if !errors.Is(err, died) {
			if err == nil {
				s.Close()
			}
			t.Fatalf("Open that fails before %s: %v", at, err)
		}
		old, err := Open(path, Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if version, columns := formatOf(t, old); version != 1 || strings.Contains(columns, "due") {
			t.Errorf("the upgrade that failed before %s left format %d with\n%s", at, version, columns)
		}
		old.Close()
	}
	readsBack(t, openAt(t, path, Options{}), all)
}

func TestReadOnlyOpenDoesNotUpgrade(t *testing.T) {
	path, all := format1(t)
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path, Options{ReadOnly: true})
	readsBack(t, s, all)
	if is, err := os.ReadFile(path); err != nil || !bytes.Equal(is, was) {
		t.Errorf("the file was changed: %v", err)
	}
}

// A process that has the file open while a newer plat upgrades it must not set the format
// back: the next upgrade would fail.
func TestProbeLeavesANewerFormat(t *testing.T) {
	s := openTemp(t).(*Store)
	if _, err := s.write.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := s.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), "format 99") {
		t.Errorf("Probe = %v, want what format the file has", err)
	}
	var is int
	if err := s.write.QueryRow("PRAGMA user_version").Scan(&is); err != nil || is != 99 {
		t.Errorf("the format is %d, %v", is, err)
	}
}

// Files of older formats have no subscriptions, and get the tables when they are opened for
// writing.
func TestOlderFilesHaveNoSubscriptions(t *testing.T) {
	path, _ := format1(t)
	none := func(s *Store) {
		t.Helper()
		for sub, err := range s.Subscriptions(t.Context(), storage.Which{}) {
			t.Errorf("Subscriptions yields %+v, %v", sub, err)
		}
		for sub, err := range s.Behind(t.Context(), 0) {
			t.Errorf("Behind yields %+v, %v", sub, err)
		}
		for i, err := range s.Items(t.Context(), storage.ItemQuery{}) {
			t.Errorf("Items yields %+v, %v", i, err)
		}
		for c, err := range s.Channels(t.Context()) {
			t.Errorf("Channels yields %+v, %v", c, err)
		}
		if _, err := s.Subscription(t.Context(), "s"); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Subscription = %v", err)
		}
		if b, err := s.Backlogs(t.Context()); err != nil || len(b) != 0 {
			t.Errorf("Backlogs = %v, %v", b, err)
		}
		if m, err := s.Take(t.Context(), time.Now(), time.Minute, 9); err != nil || len(m) != 0 {
			t.Errorf("Take = %v, %v", m, err)
		}
	}
	old, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	none(old)
	if err := old.Subscribe(t.Context(), &plat.Subscription{ID: "s", URL: "https://a.test/"}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Subscribe = %v", err)
	}
	old.Close()
	s := openAt(t, path, Options{})
	none(s)
	if err := s.Subscribe(t.Context(), &plat.Subscription{ID: "s", URL: "https://a.test/"}); err != nil {
		t.Fatal(err)
	}
	n := 0
	for sub, err := range s.Behind(t.Context(), 0) {
		if n++; err != nil || sub.ID != "s" {
			t.Errorf("Behind yields %+v, %v", sub, err)
		}
	}
	if n != 1 {
		t.Errorf("Behind yields %d, want one: the URL has versions", n)
	}
}

// Files of older formats have no focused crawls, and get the tables when they are opened for
// writing.
func TestOlderFilesHaveNoCrawls(t *testing.T) {
	path, _ := format1(t)
	none := func(s *Store) {
		t.Helper()
		for c, err := range s.Crawls(t.Context()) {
			t.Errorf("Crawls yields %+v, %v", c, err)
		}
		for p, err := range s.Asked(t.Context(), "c", 0, true) {
			t.Errorf("Asked yields %+v, %v", p, err)
		}
		_, crawl := s.Crawl(t.Context(), "c")
		_, page := s.AskedFor(t.Context(), "c", "https://a.test/")
		for what, err := range map[string]error{"Crawl": crawl, "AskedFor": page} {
			if !errors.Is(err, plat.ErrNotFound) {
				t.Errorf("%s = %v", what, err)
			}
		}
		if got, err := s.Answers(t.Context(), "c", []string{"https://a.test/"}); err != nil || len(got) != 0 {
			t.Errorf("Answers = %+v, %v", got, err)
		}
		if r, err := s.Report(t.Context(), "c"); err != nil || r != nil {
			t.Errorf("Report = %q, %v", r, err)
		}
	}
	old, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	none(old)
	if err := old.PutCrawl(t.Context(), &plat.Crawl{ID: "c", State: plat.CrawlRuns}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("PutCrawl = %v", err)
	}
	old.Close()
	s := openAt(t, path, Options{})
	none(s)
	page := []plat.CrawlPage{{Crawl: "c", N: 1, URL: "https://a.test/"}}
	if err := s.PutCrawl(t.Context(), &plat.Crawl{ID: "c", State: plat.CrawlRuns}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ask(t.Context(), page); err != nil {
		t.Fatal(err)
	}
	if got, err := s.AskedFor(t.Context(), "c", "https://a.test/"); err != nil || got.N != 1 {
		t.Errorf("AskedFor = %+v, %v", got, err)
	}
}
