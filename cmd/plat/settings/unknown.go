package settings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plat/plat/nearest"
)

// others are the variables with our prefix that are not settings: those that different code
// reads, those of channel commands, compose files and clients, and those of tests.
var others = [...]string{
	"CONFIG", "VERSION", "SESSIONS_KEY", "MESSAGE", "IMAGE", "SERVER",
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
	var meant []string // without the prefix, which is no part of the error
	for _, name := range slices.Sorted(maps.Keys(known)) {
		meant = append(meant, strings.TrimPrefix(name, EnvPrefix))
	}
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
		if near := nearest.Of(strings.TrimPrefix(strings.ToUpper(name), EnvPrefix), meant); near != "" {
			text += "; did you mean " + EnvPrefix + near + "?"
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
