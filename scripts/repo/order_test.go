package repo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// order lists the folders, bottom first. The packages of a folder import packages of the same folder,
// and of those on lines above.
var order = []string{
	"plat docs",
	"segment",
	"browser diff",
	"storage fixtures",
	"queue watch export",
	"focus",
	"web workers",
	"cmd",
	"scripts examples",
}

// pure lists the folders without I/O or clock: their results depend on their arguments alone.
var pure = []string{"plat", "segment", "diff"}

// impure lists the packages of the standard library, and the functions, that a pure folder does not use.
// File systems that are values ([io/fs]) and addresses ([net/netip], [net/url]) are allowed.
var impure = []string{"crypto/rand", "database/sql", "log", "net", "net/http", "os", "os/exec", "syscall", "time.Now", "time.Since", "time.Sleep", "time.After"}

// excused lists files of pure folders, with the package that they may import all the same.
var excused = map[string]string{
	"plat/snapshot.go":     "net/http",    // its dates (RFC 9110, section 5.6.7)
	"plat/subscription.go": "crypto/rand", // new identifiers
}

// drivers lists the folders that import a third-party module, where few may.
var drivers = map[string]string{
	"github.com/chromedp/":     "browser scripts",
	"modernc.org/sqlite":       "storage/sqlite",
	"go.mongodb.org/":          "storage/mongo storage/uri scripts",
	"github.com/go-ego/gse":    "segment/label/chinese",
	"github.com/kljensen/":     "segment/label",
	"github.com/nlnwa/whatwg-": "plat/weburl",
	"github.com/spf13/":        "cmd",
	"github.com/knadh/koanf":   "cmd/plat/settings",
	"github.com/parquet-go/":   "export/tables",
	"github.com/klauspost/":    "storage fixtures scripts",
	"github.com/andybalholm/":  "segment/metadata diff/rules browser/steps scripts/watch",
	"golang.org/x/crypto/":     "browser/sessions",
	"github.com/redis/":        "queue",
	"github.com/prometheus/":   "queue workers cmd",
	"github.com/alicebob/":     "queue/embedded",
	"github.com/nicholas-":     "watch/notify",
	"github.com/wneessen/":     "watch/notify",
	"golang.org/x/image/":      "browser/tab queue/simulate/chart export/draw",
	"github.com/sergi/":        "scripts",
	"github.com/aymanbagabas/": "scripts",
}

// A source is a Go file without tests: its package, as a path from the root, and its imports.
type source struct {
	path, pkg string
	file      *ast.File
	imports   []string
}

func (s *source) folder() string { folder, _, _ := strings.Cut(s.pkg, "/"); return folder }

// sources returns the Go files of the module, without tests.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || path == "deploy" || otherModule(path)) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s := source{path: path, pkg: filepath.ToSlash(filepath.Dir(path)), file: f}
		for _, im := range f.Imports {
			to, err := strconv.Unquote(im.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, to)
		}
		all = append(all, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 500 {
		t.Fatalf("only %d files were found", len(all))
	}
	return all
}

// otherModule reports whether a folder below the root has a go.mod of its own.
func otherModule(dir string) bool {
	found, _ := filepath.Glob(filepath.Join(dir, "go.mod"))
	return dir != "." && len(found) > 0
}

// level returns the line of a folder in order; -1 if absent.
func level(folder string) int {
	return slices.IndexFunc(order, func(line string) bool { return slices.Contains(strings.Fields(line), folder) })
}

func TestFoldersImportThoseBelow(t *testing.T) {
	atRoot(t)
	for _, s := range sources(t) {
		if level(s.folder()) < 0 {
			t.Errorf("%s: the folder %s is not in the order", s.path, s.folder())
		}
		for _, to := range s.imports {
			pkg, ours := strings.CutPrefix(to, "plat/")
			if folder, _, _ := strings.Cut(pkg, "/"); ours && folder != s.folder() && level(folder) >= level(s.folder()) {
				t.Errorf("%s imports %s, which is not below %s in the order", s.path, to, s.folder())
			}
		}
	}
}

func TestDriversAreConfined(t *testing.T) {
	atRoot(t)
	used := map[string]bool{}
	for _, s := range sources(t) {
		for _, to := range s.imports {
			for module, folders := range drivers {
				if !strings.HasPrefix(to, module) {
					continue
				}
				used[module] = true
				if !slices.ContainsFunc(strings.Fields(folders), func(f string) bool { return s.pkg == f || strings.HasPrefix(s.pkg, f+"/") }) {
					t.Errorf("%s imports %s; only %s may", s.path, to, folders)
				}
			}
			// The standard library has no public tables of UTS 46 and of registrable domains.
			if s.pkg == "plat" && strings.Contains(strings.Split(to, "/")[0], ".") && to != "golang.org/x/net/idna" && to != "golang.org/x/net/publicsuffix" {
				t.Errorf("%s imports %s; the shared types use the standard library", s.path, to)
			}
		}
	}
	for module := range drivers {
		if !used[module] {
			t.Errorf("no file imports %s: remove it from the table", module)
		}
	}
}

func TestPureFoldersHaveNoInputOrClock(t *testing.T) {
	atRoot(t)
	for _, s := range sources(t) {
		if !slices.Contains(pure, s.folder()) || s.file.Name.Name == "main" {
			continue
		}
		for _, to := range s.imports {
			if slices.Contains(impure, to) && excused[s.path] != to {
				t.Errorf("%s imports %s", s.path, to)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(impure, x.Name+"."+sel.Sel.Name) {
					t.Errorf("%s uses %s.%s", s.path, x.Name, sel.Sel.Name)
				}
			}
			return true
		})
	}
}
