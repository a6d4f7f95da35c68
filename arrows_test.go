package plat_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows lists the packages of this module that each package may import. Packages
// with I/O do not import each other; pure packages import only plat and other pure
// packages. Package main and scripts may import everything and are imported by none.
var arrows = map[string][]string{
	"plat":                     {},
	"plat/build":               {},
	"plat/browser":             {"plat", "plat/browser/act", "plat/browser/capture", "plat/browser/concurrency", "plat/browser/egress", "plat/browser/loads", "plat/browser/process", "plat/browser/resources", "plat/browser/settle", "plat/browser/tab", "plat/browser/wire", "plat/cookies", "plat/markup", "plat/origin", "plat/steps"}, // markup counts what a page is as HTML
	"plat/browser/egress":      {"plat"},
	"plat/browser/act":         {"plat", "plat/browser/capture", "plat/browser/driver", "plat/browser/redact", "plat/browser/settle", "plat/browser/tab", "plat/browser/wire", "plat/steps"},
	"plat/browser/concurrency": {},
	"plat/browser/driver":      {"plat/browser/tab", "plat/browser/wire"},
	"plat/browser/capture":     {"plat", "plat/browser/wire"},
	"plat/browser/loads":       {"plat", "plat/browser/egress"},
	"plat/browser/process":     {"plat/browser/wire"},
	"plat/browser/redact":      {"plat"},
	"plat/browser/resources":   {"plat", "plat/browser/capture", "plat/browser/tab", "plat/browser/wire"},
	"plat/browser/settle":      {"plat", "plat/browser/egress", "plat/browser/tab", "plat/browser/wire"},
	"plat/browser/stealth":     {},
	"plat/browser/tab":         {"plat", "plat/browser/capture", "plat/browser/egress", "plat/browser/loads", "plat/browser/process", "plat/browser/stealth", "plat/browser/wire", "plat/cookies", "plat/origin"},
	"plat/browser/wire":        {},
	"plat/markup":              {"plat"},
	"plat/segment":             {"plat", "plat/classifier", "plat/markup", "plat/segment/edges", "plat/segment/majority", "plat/segment/naming", "plat/segment/painted", "plat/segment/tone"},
	"plat/segment/edges":       {"plat"},
	"plat/segment/majority":    {},
	"plat/segment/naming":      {"plat"},
	"plat/segment/painted":     {"plat", "plat/segment/edges"},
	"plat/segment/tone":        {"plat"},
	"plat/snapshotfile":        {"plat"},
	"plat/sessions":            {"plat/steps"},
	"plat/steps":               {"plat", "plat/origin", "plat/wording"},
	"plat/label":               {"plat", "plat/classifier", "plat/label/chinese", "plat/template"},
	"plat/label/chinese":       {},
	"plat/template":            {"plat"},
	"plat/article":             {"plat", "plat/article/phrases", "plat/calendar", "plat/markup"}, // markup extracts the texts of blocks, which articles refer to
	"plat/article/phrases":     {},
	"plat/calendar":            {},
	"plat/markdown":            {"plat", "plat/article", "plat/markup"},
	"plat/noise":               {"plat", "plat/diff", "plat/markup", "plat/noise/attributes", "plat/noise/lines", "plat/noise/names", "plat/noise/times"},
	"plat/noise/attributes":    {"plat", "plat/diff"},
	"plat/noise/lines":         {},
	"plat/noise/names":         {"plat/diff"},
	"plat/noise/times":         {"plat/calendar", "plat/noise/names"},
	"plat/docs":                {},
	"plat/diff":                {"plat", "plat/markup"}, // markup extracts a block's visible text
	"plat/revalidate":          {"plat"},
	"plat/recheck":             {"plat", "plat/cookies", "plat/origin", "plat/revalidate"},
	"plat/links":               {"plat", "plat/expression", "plat/origin", "plat/recent", "plat/schedule"},
	"plat/origin":              {"plat"},
	"plat/robots":              {},
	"plat/recent":              {},
	"plat/traps":               {"plat", "plat/recent"},
	"plat/address":             {"plat", "plat/storage", "plat/traps"},
	"plat/planner":             {"plat", "plat/schedule"},
	"plat/outlook":             {"plat", "plat/planner", "plat/schedule", "plat/slots", "plat/storage"},
	"plat/cookies":             {"plat", "plat/origin"},
	"plat/chart":               {"plat/simulate"},
	"plat/schedule":            {"plat"},
	"plat/sitemap":             {},
	"plat/simulate":            {"plat/schedule", "plat/metered", "plat/wording"},
	"plat/simulate/archived":   {"plat", "plat/history", "plat/schedule", "plat/simulate"},
	"plat/slots":               {},
	"plat/nearness":            {},
	"plat/queue":               {"plat", "plat/links", "plat/queue/embedded", "plat/schedule", "plat/wording"}, // scopes and policies of seeds
	"plat/queue/embedded":      {"plat/limits/connections"},
	"plat/fixtures/earlier":    {},
	"plat/queue/redistest":     {"plat/fixtures/freeport"},
	"plat/window":              {"plat", "plat/queue", "plat/storage"},
	"plat/intake":              {"plat", "plat/queue", "plat/storage"},
	"plat/storage":             {"plat", "plat/markup"}, // markup extracts the visible text to search
	"plat/storage/delta":       {"plat"},
	"plat/storage/uri":         {"plat", "plat/address", "plat/storage", "plat/storage/mongo", "plat/storage/sqlite"},
	"plat/storage/sqlite":      {"plat", "plat/storage", "plat/storage/delta"},
	"plat/storage/mongo":       {"plat", "plat/storage", "plat/storage/delta"},
	"plat/storage/storagetest": {"plat", "plat/storage"},
	"plat/history":             {"plat", "plat/article", "plat/markdown", "plat/markup", "plat/diff", "plat/storage"},
	"plat/limits":              {},
	"plat/limits/connections":  {},
	"plat/metadata":            {"plat", "plat/expression", "plat/markup", "plat/wording"},
	"plat/cache":               {},
	"plat/rules":               {"plat", "plat/expression", "plat/markup", "plat/noise", "plat/steps", "plat/wording"},
	"plat/level":               {"plat", "plat/diff", "plat/history"},
	"plat/retention":           {"plat", "plat/storage"},
	"plat/relearn":             {"plat", "plat/history", "plat/noise"},
	"plat/softerror":           {"plat", "plat/diff", "plat/recent"},
	"plat/focus":               {"plat", "plat/article", "plat/label", "plat/links"},
	"plat/static":              {"plat"},
	"plat/cloaking":            {"plat", "plat/focus", "plat/label", "plat/links", "plat/static"},
	"plat/searxng":             {"plat/wording"},
	"plat/wording":             {},
	"plat/expression":          {},
	"plat/steer":               {"plat", "plat/excerpt", "plat/focus", "plat/label", "plat/links", "plat/markup", "plat/nearness", "plat/storage", "plat/topic"},
	"plat/cmd/plat/focusing":   {"plat", "plat/cmd/plat/app", "plat/excerpt", "plat/focus", "plat/label", "plat/queue", "plat/searxng", "plat/settings/flags", "plat/steer", "plat/storage", "plat/storage/uri", "plat/term", "plat/topic"},
	"plat/follow":              {"plat", "plat/digest", "plat/expression", "plat/history", "plat/storage", "plat/tell", "plat/watch"},
	"plat/cmd/plat/watching":   {"plat", "plat/cmd/plat/app", "plat/follow", "plat/label", "plat/links", "plat/listing", "plat/queue", "plat/segment", "plat/settings/flags", "plat/storage", "plat/storage/uri", "plat/term", "plat/watch", "plat/build", "plat/excerpt", "plat/opml", "plat/subscribe", "plat/tell", "plat/wholefile"},
	"plat/watch":               {"plat", "plat/calendar", "plat/diff", "plat/markup"},
	"plat/fetch":               {"plat", "plat/robots", "plat/sitemap"},
	"plat/sites":               {"plat", "plat/storage", "plat/traps"},
	"plat/workers":             {"plat", "plat/article", "plat/fetch", "plat/focus", "plat/level", "plat/metadata", "plat/noise", "plat/planner", "plat/relearn", "plat/rules", "plat/segment", "plat/label", "plat/diff", "plat/history", "plat/intake", "plat/links", "plat/storage", "plat/queue", "plat/recent", "plat/revalidate", "plat/robots", "plat/schedule", "plat/sitemap", "plat/sites", "plat/softerror", "plat/template", "plat/traps", "plat/window"},
	"plat/batch":               {"plat", "plat/queue", "plat/wording", "plat/workers"},
	"plat/settings":            {"plat", "plat/browser", "plat/browser/egress", "plat/cookies", "plat/excerpt", "plat/fetch", "plat/limits", "plat/metadata", "plat/noise", "plat/origin", "plat/planner", "plat/queue", "plat/segment", "plat/sessions", "plat/sites", "plat/steps", "plat/tell", "plat/visitor", "plat/wording", "plat/workers"},
	"plat/settings/flags":      {"plat/queue", "plat/schedule", "plat/segment", "plat/settings", "plat/traps"},
	"plat/listing":             {"plat", "plat/address", "plat/article", "plat/batch", "plat/diff", "plat/excerpt", "plat/export", "plat/history", "plat/intake", "plat/markdown", "plat/markup", "plat/outlook", "plat/queue", "plat/rules", "plat/segment", "plat/simulate", "plat/steps", "plat/storage", "plat/term", "plat/window", "plat/watch", "plat/tell"},
	"plat/visitor":             {"plat", "plat/browser", "plat/browser/egress", "plat/cloaking", "plat/cookies", "plat/fetch", "plat/label", "plat/limits", "plat/origin", "plat/queue", "plat/recheck", "plat/steer", "plat/storage", "plat/workers"},
	"plat/replay":              {"plat", "plat/markup"},
	"plat/excerpt":             {"plat/history"},
	"plat/memento":             {},
	"plat/feed":                {"plat", "plat/digest", "plat/excerpt", "plat/history"},
	"plat/feed/feedtest":       {},
	"plat/metered":             {},
	"plat/opml":                {"plat", "plat/excerpt", "plat/metered"},
	"plat/subscribe":           {"plat", "plat/excerpt", "plat/expression", "plat/metered", "plat/opml", "plat/wording"},
	"plat/digest":              {"plat", "plat/excerpt"},
	"plat/parts":               {"plat", "plat/diff", "plat/draw", "plat/excerpt", "plat/history", "plat/storage"},
	"plat/topic":               {"plat", "plat/excerpt"},
	"plat/tracing":             {},
	"plat/export":              {"plat", "plat/draw", "plat/excerpt", "plat/history", "plat/parts", "plat/replay", "plat/storage", "plat/warc", "plat/wholefile"},
	"plat/draw":                {"plat", "plat/excerpt", "plat/history"},
	"plat/fixtures":            {"plat", "plat/snapshotfile"},
	"plat/web":                 {"plat", "plat/address", "plat/cache", "plat/diff", "plat/draw", "plat/excerpt", "plat/expression", "plat/feed", "plat/history", "plat/limits/connections", "plat/memento", "plat/outlook", "plat/parts", "plat/replay", "plat/rules", "plat/schedule", "plat/storage", "plat/queue", "plat/web/answer", "plat/web/layout", "plat/web/problem", "plat/web/focused", "plat/web/query", "plat/web/routes", "plat/web/watched", "plat/window"},
	"plat/web/answer":          {"plat/cache", "plat/excerpt", "plat/web/query"},
	"plat/web/focused":         {"plat", "plat/address", "plat/cache", "plat/focus", "plat/label", "plat/queue", "plat/steer", "plat/storage", "plat/topic", "plat/web/answer", "plat/web/layout", "plat/web/problem", "plat/web/query", "plat/web/routes"},
	"plat/web/layout":          {"plat/excerpt", "plat/parts"},
	"plat/web/watched":         {"plat", "plat/address", "plat/cache", "plat/digest", "plat/draw", "plat/excerpt", "plat/feed", "plat/follow", "plat/history", "plat/listing", "plat/opml", "plat/queue", "plat/schedule", "plat/storage", "plat/subscribe", "plat/term", "plat/watch", "plat/web/answer", "plat/web/layout", "plat/web/problem", "plat/web/query", "plat/web/routes"},
	"plat/web/problem":         {"plat", "plat/excerpt"},
	"plat/web/query":           {"plat", "plat/web/problem", "plat/wording"},
	"plat/web/routes":          {"plat/web/problem", "plat/web/query"},
	"plat/web/submit":          {"plat", "plat/intake", "plat/queue", "plat/web/answer", "plat/web/problem", "plat/wording"},
	"plat/tell":                {"plat", "plat/excerpt", "plat/limits/connections"},
	"plat/term":                {"plat/excerpt"},
	"plat/warc":                {},
	"plat/warc/warctest":       {},
	"plat/wholefile":           {},
	"plat/fixtures/history":    {"plat"},
	"plat/fixtures/freeport":   {},
	"plat/fixtures/documents":  {"plat", "plat/fixtures", "plat/fixtures/truth"},
	"plat/fixtures/landmarks":  {"plat", "plat/fixtures/truth"},
	"plat/classifier":          {},
	"plat/classifier/fit":      {"plat/classifier"},
	"plat/fixtures/procs":      {},
	"plat/fixtures/truth":      {"plat", "plat/snapshotfile"},
	"plat/cmd/plat/app":        {"plat", "plat/browser", "plat/browser/egress", "plat/build", "plat/excerpt", "plat/label", "plat/segment", "plat/settings", "plat/storage", "plat/storage/uri", "plat/tell", "plat/term", "plat/visitor"},
	"plat/cmd/plat/fleet":      {"plat", "plat/address", "plat/build", "plat/chart", "plat/cmd/plat/app", "plat/excerpt", "plat/follow", "plat/intake", "plat/label", "plat/listing", "plat/outlook", "plat/queue", "plat/retention", "plat/schedule", "plat/settings/flags", "plat/simulate", "plat/simulate/archived", "plat/steer", "plat/storage", "plat/storage/uri", "plat/tell", "plat/term", "plat/tracing", "plat/visitor", "plat/web", "plat/web/submit", "plat/wholefile", "plat/window", "plat/workers"},
}

// outside lists the importers of third-party modules: each driver is confined to one
// package where possible.
var outside = map[string][]string{
	"github.com/chromedp/":    {"plat/browser", "plat/browser/act", "plat/browser/capture", "plat/browser/driver", "plat/browser/loads", "plat/browser/process", "plat/browser/resources", "plat/browser/settle", "plat/browser/stealth", "plat/browser/tab", "plat/browser/wire", "plat/scripts/visits", "plat/scripts/recrawl", "plat/scripts/visible", "plat/scripts/escapes", "plat/scripts/broken"},
	"modernc.org/sqlite":      {"plat/storage/sqlite"},
	"go.mongodb.org/":         {"plat/storage/mongo", "plat/storage/uri", "plat/scripts/fleet"},
	"github.com/go-ego/gse":   {"plat/label/chinese"},
	"github.com/kljensen/":    {"plat/label"},
	"github.com/spf13/":       {"plat/cmd/plat", "plat/cmd/plat/app", "plat/cmd/plat/fleet", "plat/cmd/plat/focusing", "plat/cmd/plat/watching", "plat/settings/flags"},
	"github.com/knadh/koanf":  {"plat/settings"},
	"github.com/klauspost/":   {"plat/storage/delta", "plat/storage/sqlite", "plat/storage/mongo", "plat/scripts/frontier/sources", "plat/scripts/focus/corpus", "plat/scripts/watch", "plat/fixtures/landmarks"},
	"github.com/andybalholm/": {"plat/metadata", "plat/rules", "plat/steps"},
	"go.yaml.in/yaml":         {"plat/metadata", "plat/web", "plat/rules", "plat/steps", "plat/topic", "plat/wording"},
	"golang.org/x/crypto/":    {"plat/sessions"},
	"github.com/redis/":       {"plat/queue", "plat/queue/redistest"},
	"github.com/prometheus/":  {"plat/queue", "plat/window", "plat/workers", "plat/cmd/plat/fleet"},
	"github.com/alicebob/":    {"plat/queue/embedded"},
	"github.com/nicholas-":    {"plat/tell"},
	"github.com/wneessen/":    {"plat/tell"},
	"golang.org/x/net/idna":   {"plat", "plat/browser/egress"},
	"golang.org/x/image/":     {"plat/browser/tab", "plat/chart", "plat/draw"},
	"golang.org/x/text/":      {"plat/browser/redact", "plat/opml", "plat/storage", "plat/watch"},

	// The algorithm of Myers, to compare with.
	"github.com/sergi/":        {"plat/scripts/watch"},
	"github.com/aymanbagabas/": {"plat/scripts/watch"},
}

func TestImportsFollowTheTable(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || d.Name() == "ferretdb") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		pkg := "plat"
		if dir := filepath.ToSlash(filepath.Dir(path)); dir != "." {
			pkg += "/" + dir
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		free := strings.HasPrefix(pkg, "plat/scripts/") || f.Name.Name == "main"
		allowed, known := arrows[pkg]
		if !known && !free {
			t.Errorf("%s is not in the table arrows: add its allowed imports", pkg)
		}
		seen[pkg] = true
		for _, im := range f.Imports {
			to, err := strconv.Unquote(im.Path.Value)
			if err != nil {
				return err
			}
			if (to == "plat" || strings.HasPrefix(to, "plat/")) && !free && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s; it may import %s", path, to, strings.Join(allowed, ", "))
			}
			for prefix, who := range outside {
				if strings.HasPrefix(to, prefix) && !slices.Contains(who, pkg) {
					t.Errorf("%s imports %s; only %s may", path, to, strings.Join(who, ", "))
				}
			}
			if pkg == "plat" && strings.Contains(strings.Split(to, "/")[0], ".") && to != "golang.org/x/net/idna" {
				// The standard library has no public UTS 46 tables, which canonical
				// hosts need.
				t.Errorf("%s imports %s; package plat may import the standard library only", path, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range arrows {
		if !seen[pkg] {
			t.Errorf("the table arrows lists %s, which does not exist", pkg)
		}
	}
}
