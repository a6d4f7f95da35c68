package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRulesAreMadeListedAndMoved(t *testing.T) {
	store := madeUp(t)
	says := func(want string, args ...string) {
		t.Helper()
		if got := must(t, append(args, store)...); !strings.Contains(got, want) {
			t.Errorf("%q prints\n%s, want %q", args, got, want)
		}
	}
	says("no rules", "rules")
	says("ignore block 2 of "+paperURL+"; it holds for 1 block of the last version", "ignore", paperURL, "--block", "2")
	says("it holds for 1 block", "ignore", paperURL, "--text", "River [a-z]+")
	says(`watch text "sold out" of news.test/*`, "watch-for", "news.test/*", "--text", "sold out")
	says("watch:\n  - url: news.test/*\n    text: sold out", "rules")
	says(`{"url":"news.test/*","text":"sold out","watch":true}`, "rules", "--json", paperURL)
	if got := must(t, "rules", "http://zh.test:8080/", store); got != "no rules\n" {
		t.Errorf("another page has the rules\n%s", got)
	}
	all := must(t, "rules", store)
	file := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(file, []byte(all), 0o600); err != nil {
		t.Fatal(err)
	}
	says("removed: ", "rules", "--remove", file)
	says("no rules", "rules")
	says("ignore block 2", "rules", "--add", file)
	if got := must(t, "rules", store); got != all {
		t.Errorf("added anew:\n%s, want\n%s", got, all)
	}
	says("removed: ignore block 2", "ignore", paperURL, "--block", "2", "--remove")
}
