package main

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"plat/cmd/plat/app"
	"plat/cmd/plat/terminal"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

func TestWhatSearchPrints(t *testing.T) {
	store := madeUp(t)
	for name, args := range map[string][]string{
		"search.txt":          {"river", "people"},
		"search-phrase.jsonl": {`"three metres" -monday`, "--json"},
		"search-chinese.txt":  {"海新"},
		"search-gone.txt":     {"--gone", "--since", "2026-01-01", "--until", "2026-01-06"},
		"search-page.txt":     {"--limit", "2", "--offset", "1", "--site", "news.test"},
		"search-past.txt":     {"--offset", "99", "--site", "http://news.test/"},
		"search.csv":          {"river", "people", "--format", "csv"},
		"search-none.txt":     {"river", "--label", "footer"},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, must(t, append(append([]string{"search"}, args...), store)...)) })
	}
}

func TestWhatIsFoundIsBoldOnATerminal(t *testing.T) {
	store := madeUp(t)
	s := sqlitetest.OpenAt(t, strings.TrimPrefix(store, "--store=sqlite:"), sqlite.Options{})
	defer s.Close()
	var out strings.Builder
	a := &app.App{Out: terminal.NewScreen(&out)}
	a.Out.Colors = true
	if err := search(t.Context(), a, s, storage.Search{Words: "rose by"}, &app.RowFlags{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "The river \x1b[1mrose\x1b[0m \x1b[1mby\x1b[0m") {
		t.Errorf("printed %q", out.String())
	}
}

func TestASearchThatCannotBeUnderstoodSaysWhatToWrite(t *testing.T) {
	store := madeUp(t)
	for _, tc := range []struct {
		args []string
		says string
	}{
		{[]string{"…"}, "write a word"},
		{[]string{""}, "write a word"},
		{[]string{"ferry", "-sunday"}, "see plat search --help"},
		{[]string{"ferry", "--gone", "--standing"}, "write one of them"},
		{[]string{"ferry", "--limit", "-1"}, "write 0 or more"},
		{[]string{"ferry", "--offset", "-1"}, "write 0 or more"},
		{[]string{"ferry", "--since", "soon"}, "2026-01-31"},
		{[]string{"ferry", "--label", "fun"}, "navigation"},
	} {
		if r := command(t, append(append([]string{"search"}, tc.args...), store)...); r.code != app.ExitUsage || !strings.Contains(r.err, tc.says) || r.out != "" {
			t.Errorf("search %q: exit %d, stdout %q, stderr %q; want %q", tc.args, r.code, r.out, r.err, tc.says)
		}
	}
}

func TestASearchPrintsWhatItCanAndSaysWhatItCannot(t *testing.T) {
	store := madeUp(t)
	path := strings.TrimPrefix(store, "--store=sqlite:")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE versions SET data = substr(data, 1, 40) WHERE url = (SELECT id FROM urls WHERE url = ?)", zhURL); err != nil {
		t.Fatal(err)
	}
	db.Close()
	if r := command(t, "search", "river", store); r.code != app.ExitPartly || !strings.Contains(r.out, "2 found") || !strings.Contains(r.err, "1 URL not searched to the end") || !strings.Contains(r.err, zhURL) {
		t.Errorf("exit %d, stdout %q, stderr %q", r.code, r.out, r.err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(app.ErrInterrupted)
	if r := commandIn(t, ctx, nil, "", "search", "river", store); r.code != app.ExitInterrupted {
		t.Errorf("interrupted: exit %d, stderr %q", r.code, r.err)
	}
}
