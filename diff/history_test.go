package diff

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// histories returns pairs of consecutive versions of a recorded set of pages ("news",
// "docs"), at most limit, evenly sampled.
func histories(tb testing.TB, set string, limit int) [][2]string {
	tb.Helper()
	dir := filepath.Join(dataDir(tb), "history", set, "dev")
	raw, err := os.ReadFile(filepath.Join(dir, "urls.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var index struct {
		Pages []struct {
			Versions []struct {
				File string `json:"file"`
			} `json:"versions"`
		} `json:"pages"`
	}
	if err := json.Unmarshal(raw, &index); err != nil {
		tb.Fatal(err)
	}
	var files [][2]string
	for _, p := range index.Pages {
		for i := 1; i < len(p.Versions); i++ {
			files = append(files, [2]string{p.Versions[i-1].File, p.Versions[i].File})
		}
	}
	step := max(1, len(files)/limit)
	var pairs [][2]string
	for i := 0; i < len(files); i += step {
		var pair [2]string
		for side, f := range files[i] {
			b, err := os.ReadFile(filepath.Join(dir, f))
			if err != nil {
				tb.Fatal(err)
			}
			pair[side] = string(b)
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

// dataDir returns $PLAT_DATA, or ../shared/data relative to the module's root. Tests that need it are
// skipped if it is missing, unless PLAT_REQUIRE_DATA is set.
func dataDir(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("PLAT_DATA")
	if dir == "" {
		root, err := os.Getwd()
		if err != nil {
			tb.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			up := filepath.Dir(root)
			if up == root {
				tb.Fatal("no go.mod above the test's folder")
			}
			root = up
		}
		dir = filepath.Join(root, "..", "shared", "data")
	}
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("PLAT_REQUIRE_DATA") != "" {
			tb.Fatalf("%v; set PLAT_DATA to the folder with the recorded histories", err)
		}
		tb.Skipf("%v; set PLAT_DATA to the folder with the recorded histories", err)
	}
	return dir
}

func lines(s string) []string { return strings.Split(s, "\n") }
