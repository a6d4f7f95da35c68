package repo_test

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
	"plat/plat":                    {},
	"plat/cmd/plat/build":          {},
	"plat/browser":                 {"plat/plat", "plat/browser/act", "plat/browser/capture", "plat/browser/concurrency", "plat/browser/egress", "plat/browser/loads", "plat/browser/process", "plat/browser/resources", "plat/browser/settle", "plat/browser/tab", "plat/browser/wire", "plat/browser/cookies", "plat/segment/markup", "plat/browser/origin", "plat/browser/steps"}, // markup counts what a page is as HTML
	"plat/browser/egress":          {"plat/plat"},
	"plat/browser/act":             {"plat/plat", "plat/browser/capture", "plat/browser/driver", "plat/browser/redact", "plat/browser/settle", "plat/browser/tab", "plat/browser/wire", "plat/browser/steps"},
	"plat/browser/concurrency":     {},
	"plat/browser/driver":          {"plat/browser/tab", "plat/browser/wire"},
	"plat/browser/capture":         {"plat/plat", "plat/browser/wire"},
	"plat/browser/loads":           {"plat/plat", "plat/browser/egress"},
	"plat/browser/process":         {"plat/browser/wire"},
	"plat/browser/redact":          {"plat/plat"},
	"plat/browser/resources":       {"plat/plat", "plat/browser/capture", "plat/browser/tab", "plat/browser/wire"},
	"plat/browser/settle":          {"plat/plat", "plat/browser/egress", "plat/browser/tab", "plat/browser/wire"},
	"plat/browser/stealth":         {},
	"plat/browser/tab":             {"plat/plat", "plat/browser/capture", "plat/browser/egress", "plat/browser/loads", "plat/browser/process", "plat/browser/stealth", "plat/browser/wire", "plat/browser/cookies", "plat/browser/origin"},
	"plat/browser/wire":            {},
	"plat/segment/markup":          {"plat/plat"},
	"plat/segment":                 {"plat/plat", "plat/segment/classifier", "plat/segment/markup", "plat/segment/edges", "plat/segment/majority", "plat/segment/naming", "plat/segment/painted", "plat/segment/tone"},
	"plat/segment/edges":           {"plat/plat"},
	"plat/segment/majority":        {},
	"plat/segment/naming":          {"plat/plat"},
	"plat/segment/painted":         {"plat/plat", "plat/segment/edges"},
	"plat/segment/tone":            {"plat/plat"},
	"plat/browser/snapshotfile":    {"plat/plat"},
	"plat/browser/sessions":        {"plat/browser/steps"},
	"plat/browser/steps":           {"plat/plat", "plat/browser/origin", "plat/plat/wording"},
	"plat/segment/label":           {"plat/plat", "plat/segment/classifier", "plat/segment/label/chinese", "plat/segment/template"},
	"plat/segment/label/chinese":   {},
	"plat/segment/template":        {"plat/plat"},
	"plat/segment/article":         {"plat/plat", "plat/segment/article/phrases", "plat/plat/calendar", "plat/segment/markup"}, // markup extracts the texts of blocks, which articles refer to
	"plat/segment/article/phrases": {},
	"plat/plat/calendar":           {},
	"plat/segment/markdown":        {"plat/plat", "plat/segment/article", "plat/segment/markup"},
	"plat/diff/noise":              {"plat/plat", "plat/diff", "plat/segment/markup", "plat/diff/noise/attributes", "plat/diff/noise/lines", "plat/diff/noise/names", "plat/diff/noise/times"},
	"plat/diff/noise/attributes":   {"plat/plat", "plat/diff"},
	"plat/diff/noise/lines":        {},
	"plat/diff/noise/names":        {"plat/diff"},
	"plat/diff/noise/times":        {"plat/plat/calendar", "plat/diff/noise/names"},
	"plat/docs":                    {},
	"plat/diff":                    {"plat/plat", "plat/segment/markup"}, // markup extracts a block's visible text
	"plat/browser/revalidate":      {"plat/plat"},
	"plat/browser/recheck":         {"plat/plat", "plat/browser/cookies", "plat/browser/origin", "plat/browser/revalidate"},
	"plat/queue/links":             {"plat/plat", "plat/plat/expression", "plat/browser/origin", "plat/queue/recent", "plat/queue/schedule"},
	"plat/browser/origin":          {"plat/plat"},
	"plat/browser/fetch/robots":    {},
	"plat/queue/recent":            {},
	"plat/queue/traps":             {"plat/plat", "plat/queue/recent"},
	"plat/queue/address":           {"plat/plat", "plat/storage", "plat/queue/traps"},
	"plat/queue/planner":           {"plat/plat", "plat/queue/schedule"},
	"plat/queue/outlook":           {"plat/plat", "plat/queue/planner", "plat/queue/schedule", "plat/queue/slots", "plat/storage"},
	"plat/browser/cookies":         {"plat/plat", "plat/browser/origin"},
	"plat/queue/simulate/chart":    {"plat/queue/simulate"},
	"plat/queue/schedule":          {"plat/plat"},
	"plat/browser/fetch/sitemap":   {},
	"plat/queue/simulate":          {"plat/queue/schedule", "plat/plat/metered", "plat/plat/wording"},
	"plat/queue/simulate/archived": {"plat/plat", "plat/storage/history", "plat/queue/schedule", "plat/queue/simulate"},
	"plat/queue/slots":             {},
	"plat/focus/nearness":          {},
	"plat/queue":                   {"plat/plat", "plat/queue/links", "plat/queue/embedded", "plat/queue/schedule", "plat/plat/wording"}, // scopes and policies of seeds
	"plat/queue/embedded":          {"plat/browser/connections"},
	"plat/scripts/earlier":         {},
	"plat/queue/redistest":         {"plat/fixtures/freeport"},
	"plat/queue/window":            {"plat/plat", "plat/queue", "plat/storage"},
	"plat/queue/intake":            {"plat/plat", "plat/queue", "plat/storage"},
	"plat/storage":                 {"plat/plat", "plat/segment/markup"}, // markup extracts the visible text to search
	"plat/storage/delta":           {"plat/plat"},
	"plat/storage/uri":             {"plat/plat", "plat/queue/address", "plat/storage", "plat/storage/mongo", "plat/storage/sqlite"},
	"plat/storage/sqlite":          {"plat/plat", "plat/storage", "plat/storage/delta"},
	"plat/storage/mongo":           {"plat/plat", "plat/storage", "plat/storage/delta"},
	"plat/storage/storagetest":     {"plat/plat", "plat/storage"},
	"plat/storage/history":         {"plat/plat", "plat/segment/article", "plat/segment/markdown", "plat/segment/markup", "plat/diff", "plat/storage"},
	"plat/workers/limits":          {},
	"plat/browser/connections":     {},
	"plat/segment/metadata":        {"plat/plat", "plat/plat/expression", "plat/segment/markup", "plat/plat/wording"},
	"plat/web/cache":               {},
	"plat/diff/rules":              {"plat/plat", "plat/plat/expression", "plat/segment/markup", "plat/diff/noise", "plat/browser/steps", "plat/plat/wording"},
	"plat/workers/level":           {"plat/plat", "plat/diff", "plat/storage/history"},
	"plat/storage/retention":       {"plat/plat", "plat/storage"},
	"plat/workers/relearn":         {"plat/plat", "plat/storage/history", "plat/diff/noise"},
	"plat/workers/softerror":       {"plat/plat", "plat/diff", "plat/queue/recent"},
	"plat/focus":                   {"plat/plat", "plat/segment/article", "plat/segment/label", "plat/queue/links"},
	"plat/segment/static":          {"plat/plat"},
	"plat/focus/cloaking":          {"plat/plat", "plat/focus", "plat/segment/label", "plat/queue/links", "plat/segment/static"},
	"plat/focus/searxng":           {"plat/plat/wording"},
	"plat/plat/wording":            {},
	"plat/plat/expression":         {},
	"plat/focus/steer":             {"plat/plat", "plat/plat/excerpt", "plat/focus", "plat/segment/label", "plat/queue/links", "plat/segment/markup", "plat/focus/nearness", "plat/storage", "plat/focus/topic"},
	"plat/cmd/plat/focusing":       {"plat/plat", "plat/cmd/plat/app", "plat/plat/excerpt", "plat/focus", "plat/segment/label", "plat/queue", "plat/focus/searxng", "plat/cmd/plat/settings/flags", "plat/focus/steer", "plat/storage", "plat/storage/uri", "plat/cmd/plat/term", "plat/focus/topic"},
	"plat/watch/follow":            {"plat/plat", "plat/watch/digest", "plat/plat/expression", "plat/storage/history", "plat/storage", "plat/watch/tell", "plat/watch"},
	"plat/cmd/plat/watching":       {"plat/plat", "plat/cmd/plat/app", "plat/watch/follow", "plat/segment/label", "plat/queue/links", "plat/cmd/plat/listing", "plat/queue", "plat/segment", "plat/cmd/plat/settings/flags", "plat/storage", "plat/storage/uri", "plat/cmd/plat/term", "plat/watch", "plat/cmd/plat/build", "plat/plat/excerpt", "plat/watch/opml", "plat/watch/subscribe", "plat/watch/tell", "plat/export/wholefile"},
	"plat/watch":                   {"plat/plat", "plat/plat/calendar", "plat/diff", "plat/segment/markup"},
	"plat/browser/fetch":           {"plat/plat", "plat/browser/fetch/robots", "plat/browser/fetch/sitemap"},
	"plat/queue/sites":             {"plat/plat", "plat/storage", "plat/queue/traps"},
	"plat/workers":                 {"plat/plat", "plat/segment/article", "plat/browser/fetch", "plat/focus", "plat/workers/level", "plat/segment/metadata", "plat/diff/noise", "plat/queue/planner", "plat/workers/relearn", "plat/diff/rules", "plat/segment", "plat/segment/label", "plat/diff", "plat/storage/history", "plat/queue/intake", "plat/queue/links", "plat/storage", "plat/queue", "plat/queue/recent", "plat/browser/revalidate", "plat/browser/fetch/robots", "plat/queue/schedule", "plat/browser/fetch/sitemap", "plat/queue/sites", "plat/workers/softerror", "plat/segment/template", "plat/queue/traps", "plat/queue/window"},
	"plat/workers/batch":           {"plat/plat", "plat/queue", "plat/plat/wording", "plat/workers"},
	"plat/cmd/plat/settings":       {"plat/plat", "plat/browser", "plat/browser/egress", "plat/browser/cookies", "plat/plat/excerpt", "plat/browser/fetch", "plat/workers/limits", "plat/segment/metadata", "plat/diff/noise", "plat/browser/origin", "plat/queue/planner", "plat/queue", "plat/segment", "plat/browser/sessions", "plat/queue/sites", "plat/browser/steps", "plat/watch/tell", "plat/workers/visitor", "plat/plat/wording", "plat/workers"},
	"plat/cmd/plat/settings/flags": {"plat/queue", "plat/queue/schedule", "plat/segment", "plat/cmd/plat/settings", "plat/queue/traps"},
	"plat/cmd/plat/listing":        {"plat/plat", "plat/queue/address", "plat/segment/article", "plat/workers/batch", "plat/diff", "plat/plat/excerpt", "plat/export", "plat/storage/history", "plat/queue/intake", "plat/segment/markdown", "plat/segment/markup", "plat/queue/outlook", "plat/queue", "plat/diff/rules", "plat/segment", "plat/queue/simulate", "plat/browser/steps", "plat/storage", "plat/cmd/plat/term", "plat/queue/window", "plat/watch", "plat/watch/tell"},
	"plat/workers/visitor":         {"plat/plat", "plat/browser", "plat/browser/egress", "plat/focus/cloaking", "plat/browser/cookies", "plat/browser/fetch", "plat/segment/label", "plat/workers/limits", "plat/browser/origin", "plat/queue", "plat/browser/recheck", "plat/focus/steer", "plat/storage", "plat/workers"},
	"plat/export/replay":           {"plat/plat", "plat/segment/markup"},
	"plat/plat/excerpt":            {"plat/storage/history"},
	"plat/web/memento":             {},
	"plat/watch/feed":              {"plat/plat", "plat/watch/digest", "plat/plat/excerpt", "plat/storage/history"},
	"plat/watch/feed/feedtest":     {},
	"plat/plat/metered":            {},
	"plat/watch/opml":              {"plat/plat", "plat/plat/excerpt", "plat/plat/metered"},
	"plat/watch/subscribe":         {"plat/plat", "plat/plat/excerpt", "plat/plat/expression", "plat/plat/metered", "plat/watch/opml", "plat/plat/wording"},
	"plat/watch/digest":            {"plat/plat", "plat/plat/excerpt"},
	"plat/export/parts":            {"plat/plat", "plat/diff", "plat/export/draw", "plat/plat/excerpt", "plat/storage/history", "plat/storage"},
	"plat/focus/topic":             {"plat/plat", "plat/plat/excerpt"},
	"plat/cmd/plat/tracing":        {},
	"plat/export":                  {"plat/plat", "plat/export/draw", "plat/plat/excerpt", "plat/storage/history", "plat/export/parts", "plat/export/replay", "plat/storage", "plat/export/warc", "plat/export/wholefile"},
	"plat/export/draw":             {"plat/plat", "plat/plat/excerpt", "plat/storage/history"},
	"plat/fixtures":                {"plat/plat", "plat/browser/snapshotfile"},
	"plat/web":                     {"plat/plat", "plat/queue/address", "plat/web/cache", "plat/diff", "plat/export/draw", "plat/plat/excerpt", "plat/plat/expression", "plat/watch/feed", "plat/storage/history", "plat/browser/connections", "plat/web/memento", "plat/queue/outlook", "plat/export/parts", "plat/export/replay", "plat/diff/rules", "plat/queue/schedule", "plat/storage", "plat/queue", "plat/web/answer", "plat/web/layout", "plat/web/problem", "plat/web/focused", "plat/web/query", "plat/web/routes", "plat/web/watched", "plat/queue/window"},
	"plat/web/answer":              {"plat/web/cache", "plat/plat/excerpt", "plat/web/query"},
	"plat/web/focused":             {"plat/plat", "plat/queue/address", "plat/web/cache", "plat/focus", "plat/segment/label", "plat/queue", "plat/focus/steer", "plat/storage", "plat/focus/topic", "plat/web/answer", "plat/web/layout", "plat/web/problem", "plat/web/query", "plat/web/routes"},
	"plat/web/layout":              {"plat/plat/excerpt", "plat/export/parts"},
	"plat/web/watched":             {"plat/plat", "plat/queue/address", "plat/web/cache", "plat/watch/digest", "plat/export/draw", "plat/plat/excerpt", "plat/watch/feed", "plat/watch/follow", "plat/storage/history", "plat/cmd/plat/listing", "plat/watch/opml", "plat/queue", "plat/queue/schedule", "plat/storage", "plat/watch/subscribe", "plat/cmd/plat/term", "plat/watch", "plat/web/answer", "plat/web/layout", "plat/web/problem", "plat/web/query", "plat/web/routes"},
	"plat/web/problem":             {"plat/plat", "plat/plat/excerpt"},
	"plat/web/query":               {"plat/plat", "plat/web/problem", "plat/plat/wording"},
	"plat/web/routes":              {"plat/web/problem", "plat/web/query"},
	"plat/web/submit":              {"plat/plat", "plat/queue/intake", "plat/queue", "plat/web/answer", "plat/web/problem", "plat/plat/wording"},
	"plat/watch/tell":              {"plat/plat", "plat/plat/excerpt", "plat/browser/connections"},
	"plat/cmd/plat/term":           {"plat/plat/excerpt"},
	"plat/export/warc":             {},
	"plat/export/warc/warctest":    {},
	"plat/export/wholefile":        {},
	"plat/fixtures/history":        {"plat/plat"},
	"plat/fixtures/freeport":       {},
	"plat/fixtures/documents":      {"plat/plat", "plat/fixtures", "plat/fixtures/truth"},
	"plat/fixtures/landmarks":      {"plat/plat", "plat/fixtures/truth"},
	"plat/segment/classifier":      {},
	"plat/segment/classifier/fit":  {"plat/segment/classifier"},
	"plat/scripts/procs":           {},
	"plat/fixtures/truth":          {"plat/plat", "plat/browser/snapshotfile"},
	"plat/cmd/plat/app":            {"plat/plat", "plat/browser", "plat/browser/egress", "plat/cmd/plat/build", "plat/plat/excerpt", "plat/segment/label", "plat/segment", "plat/cmd/plat/settings", "plat/storage", "plat/storage/uri", "plat/watch/tell", "plat/cmd/plat/term", "plat/workers/visitor"},
	"plat/cmd/plat/fleet":          {"plat/plat", "plat/queue/address", "plat/cmd/plat/build", "plat/queue/simulate/chart", "plat/cmd/plat/app", "plat/plat/excerpt", "plat/watch/follow", "plat/queue/intake", "plat/segment/label", "plat/cmd/plat/listing", "plat/queue/outlook", "plat/queue", "plat/storage/retention", "plat/queue/schedule", "plat/cmd/plat/settings/flags", "plat/queue/simulate", "plat/queue/simulate/archived", "plat/focus/steer", "plat/storage", "plat/storage/uri", "plat/watch/tell", "plat/cmd/plat/term", "plat/cmd/plat/tracing", "plat/workers/visitor", "plat/web", "plat/web/submit", "plat/export/wholefile", "plat/queue/window", "plat/workers"},
}

// outside lists the importers of third-party modules: each driver is confined to one
// package where possible.
var outside = map[string][]string{
	"github.com/chromedp/":    {"plat/browser", "plat/browser/act", "plat/browser/capture", "plat/browser/driver", "plat/browser/loads", "plat/browser/process", "plat/browser/resources", "plat/browser/settle", "plat/browser/stealth", "plat/browser/tab", "plat/browser/wire", "plat/scripts/visits", "plat/scripts/recrawl", "plat/scripts/visible", "plat/scripts/escapes", "plat/scripts/broken"},
	"modernc.org/sqlite":      {"plat/storage/sqlite"},
	"go.mongodb.org/":         {"plat/storage/mongo", "plat/storage/uri", "plat/scripts/fleet"},
	"github.com/go-ego/gse":   {"plat/segment/label/chinese"},
	"github.com/kljensen/":    {"plat/segment/label"},
	"github.com/spf13/":       {"plat/cmd/plat", "plat/cmd/plat/app", "plat/cmd/plat/fleet", "plat/cmd/plat/focusing", "plat/cmd/plat/watching", "plat/cmd/plat/settings/flags"},
	"github.com/knadh/koanf":  {"plat/cmd/plat/settings"},
	"github.com/klauspost/":   {"plat/storage/delta", "plat/storage/sqlite", "plat/storage/mongo", "plat/scripts/frontier/sources", "plat/scripts/focus/corpus", "plat/scripts/watch", "plat/fixtures/landmarks"},
	"github.com/andybalholm/": {"plat/segment/metadata", "plat/diff/rules", "plat/browser/steps"},
	"go.yaml.in/yaml":         {"plat/segment/metadata", "plat/web", "plat/diff/rules", "plat/browser/steps", "plat/focus/topic", "plat/plat/wording"},
	"golang.org/x/crypto/":    {"plat/browser/sessions"},
	"github.com/redis/":       {"plat/queue", "plat/queue/redistest"},
	"github.com/prometheus/":  {"plat/queue", "plat/queue/window", "plat/workers", "plat/cmd/plat/fleet"},
	"github.com/alicebob/":    {"plat/queue/embedded"},
	"github.com/nicholas-":    {"plat/watch/tell"},
	"github.com/wneessen/":    {"plat/watch/tell"},
	"golang.org/x/net/idna":   {"plat/plat", "plat/browser/egress"},
	"golang.org/x/image/":     {"plat/browser/tab", "plat/queue/simulate/chart", "plat/export/draw"},
	"golang.org/x/text/":      {"plat/browser/redact", "plat/watch/opml", "plat/storage", "plat/watch"},

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
			if strings.HasPrefix(to, "plat/") && !free && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s; it may import %s", path, to, strings.Join(allowed, ", "))
			}
			for prefix, who := range outside {
				if strings.HasPrefix(to, prefix) && !slices.Contains(who, pkg) {
					t.Errorf("%s imports %s; only %s may", path, to, strings.Join(who, ", "))
				}
			}
			if pkg == "plat/plat" && strings.Contains(strings.Split(to, "/")[0], ".") && to != "golang.org/x/net/idna" {
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
