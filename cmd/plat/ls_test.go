package main

import (
	"strings"
	"testing"

	"plat/cmd/plat/app"
)

func TestLs(t *testing.T) {
	store := madeUp(t)
	all := must(t, "ls", store)
	if !strings.Contains(all, paperURL) || strings.Count(all, "\n") != 4 || !strings.HasPrefix(all, "versions  last visit (UTC)") {
		t.Errorf("ls prints\n%s", all)
	}
	for _, line := range strings.Split(all, "\n")[1:4] {
		if strings.HasSuffix(line, paperURL) && !strings.HasPrefix(strings.TrimSpace(line), "3 ") {
			t.Errorf("the paper has the line %q", line)
		}
	}
	type row struct {
		URL, Title string
		Versions   int
	}
	for _, args := range [][]string{{paperURL[:len(paperURL)-1]}, {"--limit", "1", paperURL}} {
		if rows := jsonLines[row](t, must(t, append([]string{"ls", "--json", store}, args...)...)); len(rows) != 1 || rows[0].URL != paperURL || rows[0].Versions != 3 || rows[0].Title == "" {
			t.Errorf("ls %v prints %+v", args, rows)
		}
	}
	if rows := jsonLines[row](t, must(t, "ls", "--json", "--titles=false", store)); len(rows) != 3 || rows[1].Title != "" {
		t.Errorf("without titles: %+v", rows)
	}
	if none := must(t, "ls", store, "https://nowhere.test/"); !strings.Contains(none, "no such URL") {
		t.Errorf("of no page it prints %q", none)
	}
	if few := must(t, "ls", store, "--limit", "1"); !strings.Contains(few, "there are more") {
		t.Errorf("of one page it prints %q", few)
	}
	if hosts := must(t, "ls", store, "--hosts"); strings.Count(hosts, "\n") < 2 || !strings.Contains(hosts, "URLs") {
		t.Errorf("--hosts prints\n%s", hosts)
	}
	if r := command(t, "ls", store, "--limit", "-1"); r.code != app.ExitUsage {
		t.Errorf("--limit -1: %+v", r)
	}
}
