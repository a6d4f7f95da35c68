package settings

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// others are the variables with our prefix that are not settings: those that different code
// reads, those of channel commands and compose files, and those of tests.
var others = [...]string{
	"CONFIG", "VERSION", "SESSIONS_KEY", "MESSAGE", "IMAGE",
	"DATA", "LONG", "VERBOSE", "SEED", "LOAD", "BATTERY", "BIN", "HEADED", "SCREENS",
}

// Unknown says which variables of the environment with our prefix are no settings, and which one
// each might be meant to be; settings are the names of all. They are no error: an environment is
// shared, unlike a configuration file.
func (s *Source) Unknown(settings []string) []string {
	known := map[string]bool{}
	for _, name := range settings {
		known[variableOf(name)] = true
	}
	for _, name := range secrets {
		known[variableOf(name)+"_FILE"] = true
	}
	meant := slices.Sorted(maps.Keys(known))
	for _, name := range others {
		known[EnvPrefix+name] = true
	}
	said := map[string]bool{}
	for _, v := range s.env {
		name, value, _ := strings.Cut(v, "=")
		if upper := strings.ToUpper(name); value == "" || !strings.HasPrefix(name, EnvPrefix) || known[upper] || s.isForeign(upper) {
			continue
		}
		text := fmt.Sprintf("the environment has %s, which is not a setting", name)
		if near := nearest(strings.ToUpper(name), meant); near != "" {
			text += "; did you mean " + near + "?"
		}
		said[text] = true
	}
	return slices.Sorted(maps.Keys(said))
}

// isForeign reports whether a variable is of tests, or one of those that Kubernetes sets for each
// service whose name begins with ours.
func (s *Source) isForeign(name string) bool {
	for _, of := range [...]string{"TEST_", "REQUIRE_"} {
		if strings.HasPrefix(name, EnvPrefix+of) {
			return true
		}
	}
	if s.env.Get("KUBERNETES_SERVICE_HOST") == "" {
		return false
	}
	_, port, _ := strings.Cut(name, "_PORT")
	return strings.HasSuffix(name, "_SERVICE_HOST") || strings.Contains(name, "_SERVICE_PORT") || strings.HasSuffix(name, "_PORT") || strings.HasPrefix(port, "_")
}

// nearest returns the most similar of names, empty if none is similar enough for a typing error.
func nearest(name string, names []string) (near string) {
	least := 1 + max(1, len(strings.TrimPrefix(name, EnvPrefix))/4)
	for _, n := range names {
		if d := edits(name, n); d < least {
			near, least = n, d
		}
	}
	return near
}

// edits counts the characters to be inserted, deleted, replaced, or swapped with the next one, to
// make b of a (the optimal string alignment distance).
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
