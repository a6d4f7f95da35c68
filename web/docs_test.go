package web

import (
	"context"
	"flag"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/segment/label"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/watch/follow"
	"plat/workers"
)

var update = flag.Bool("update", false, "write what the commands of docs/http.md answer into it")

// snapshots renders stored pages, one after the other.
type snapshots []*plat.Snapshot

func (s *snapshots) Render(_ context.Context, u string, _ func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	next := *(*s)[0]
	*s = (*s)[1:]
	next.URL, next.FinalURL, next.Status = u, u, 200
	return &next, nil
}

// newspaper is the archive used by docs/http.md.
func newspaper(t *testing.T) *sqlite.Store {
	t.Helper()
	store := sqlitetest.Open(t)
	describer, err := label.New(label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var pages snapshots
	for day, name := range []string{"site-1", "site-2"} {
		s := fixtures.Snapshot(t, name)
		s.Taken = utc(2026, time.January, 1+day, 8, 0, 0)
		pages = append(pages, s)
	}
	w := workers.New(&pages, store, describer, workers.Options{})
	for range 2 {
		if _, err := w.Visit(t.Context(), plat.Job{URL: "http://news.test/"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond) // visits within one millisecond count as one
	}
	if err := store.Subscribe(t.Context(), &plat.Subscription{ID: "harbour", URL: "http://news.test/", Title: "The Harbour Notice", Tags: []string{"town"}, Kinds: []plat.ItemKind{plat.ItemNew, plat.ItemChanged, plat.ItemRemoved}, Made: utc(2026, time.January, 1, 7, 0, 0)}); err != nil {
		t.Fatal(err)
	}
	examined(t, store)
	if err := store.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return store
}

// examined returns once all subscriptions of an archive are examined.
func examined(t *testing.T, store *sqlite.Store) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	var follower sync.WaitGroup
	follower.Go(func() { (&follow.Follower{Store: store, Log: slog.New(slog.DiscardHandler)}).Run(ctx) })
	defer follower.Wait()
	defer end()
	for behind := true; behind; time.Sleep(5 * time.Millisecond) {
		behind = false
		for _, err := range store.Behind(ctx, 0) {
			if err != nil {
				t.Fatal(err)
			}
			behind = true
		}
	}
}

// command is a command of the document with its expected output.
var command = regexp.MustCompile("(?s)```sh\n(.*?)```\n```\n(.*?)```\n")

// The output of every command in docs/http.md is as documented.
func TestCommandsOfTheDocumentPrintWhatItSays(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("the commands need %s: %v", tool, err)
		}
	}
	path := filepath.Join("..", "docs", "http.md")
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(New(Options{Store: newspaper(t), Segment: dividing(segmented(t))}))
	defer server.Close()
	const written = "http://127.0.0.1:8632"
	dir, commands := t.TempDir(), 0
	after := command.ReplaceAllStringFunc(string(doc), func(found string) string {
		commands++
		m := command.FindStringSubmatch(found)
		run := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", strings.ReplaceAll(m[1], written, server.URL))
		run.Dir = dir
		out, err := run.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s%s", err, m[1], out)
		}
		answer := strings.ReplaceAll(strings.ReplaceAll(string(out), server.URL, written), "\r", "")
		if answer = strings.TrimRight(answer, "\n") + "\n"; answer != m[2] && !*update {
			t.Errorf("%sanswers\n%sand the document says\n%s", m[1], answer, m[2])
		}
		return "```sh\n" + m[1] + "```\n```\n" + answer + "```\n"
	})
	if commands < 10 || commands != strings.Count(string(doc), "```sh\n") {
		t.Errorf("%d commands with an answer, of %d", commands, strings.Count(string(doc), "```sh\n"))
	}
	if *update {
		if err := os.WriteFile(path, []byte(after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
