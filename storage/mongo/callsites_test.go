package mongo

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// senders are the methods of the driver that send a command with a filter, and the functions of this package that
// call them for their callers.
var senders = []string{"Find", "FindOne", "Aggregate", "CountDocuments", "Distinct", "UpdateOne", "UpdateMany", "DeleteOne", "DeleteMany", "ReplaceOne",
	"FindOneAndUpdate", "FindOneAndReplace", "FindOneAndDelete", "BulkWrite",
	"findAll", "each", "valuesOf", "findIDs"}

// repeaters are the methods of a store that repeat commands with a filter.
var repeaters = []string{"deleteOne", "deleteMany", "updateOne", "updateMany", "replace", "upsert", "wrote", "markGone"}

// callSite is a call of one of senders, or of one of repeaters, in the code of this package.
type callSite struct {
	file     string
	from, to int // lines
	in, name string
}

func (s callSite) String() string {
	return fmt.Sprintf("%s:%d: %s in %s", s.file, s.from, s.name, s.in)
}

// unsendable are calls that no test reaches, with the reasons why their commands are served nevertheless.
var unsendable = map[string]string{
	"deleteOne in dropOutlived": "of two writers in a race with Forget; by _id",
	"deleteOne in settleOne":    "of a version that its writer could not have completed; by _id",
}

// callSites returns the calls of senders in the files of a folder, without tests.
func callSites(dir string) (all []callSite, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			return nil, err
		}
		in := ""
		ast.Inspect(f, func(n ast.Node) bool {
			if d, ok := n.(*ast.FuncDecl); ok {
				in = d.Name.Name
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, listed := "", senders
			fun := call.Fun
			if x, ok := fun.(*ast.IndexExpr); ok { // findAll[T]
				fun = x.X
			}
			switch x := fun.(type) {
			case *ast.Ident:
				name = x.Name
			case *ast.SelectorExpr:
				// Methods of a store have the names of some of the driver's.
				on, _ := x.X.(*ast.SelectorExpr)
				own, _ := x.X.(*ast.Ident)
				switch {
				case on != nil && on.Sel.Name == "people", own != nil && own.Name == "options":
					return true
				case own != nil && own.Name == "s":
					listed = repeaters
				}
				name = x.Sel.Name
			}
			if slices.Contains(listed, name) {
				all = append(all, callSite{filepath.Base(file), set.Position(call.Pos()).Line, set.Position(call.End()).Line, in, name})
			}
			return true
		})
	}
	slices.SortFunc(all, func(a, b callSite) int { return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.from, b.from)) })
	return all, nil
}

// unsent returns the calls in a folder that no command came from.
func (c *check) unsent(dir string) (all []string, err error) {
	sites, err := callSites(dir)
	c.Lock()
	defer c.Unlock()
	found := map[string]bool{}
	for _, s := range sites {
		key := s.name + " in " + s.in
		_, sent := unsendable[key]
		found[key] = true
		for line := s.from; line <= s.to && !sent; line++ {
			sent = c.lines[fmt.Sprintf("%s:%d", s.file, line)]
		}
		if !sent {
			all = append(all, s.String())
		}
	}
	for key := range unsendable {
		if dir == "." && !found[key] {
			all = append(all, key+", which unsendable names, is no call")
		}
	}
	return all, err
}

// The calls whose commands the tests must send are found in the code, and a call that sent none is reported.
func TestCallsWithoutCommandsAreFound(t *testing.T) {
	dir := t.TempDir()
	code := `package p

func f() {
	s.urls.Find(ctx,
		filter)
	s.Find(ctx, q)
	s.deleteOne(ctx, s.urls, byID)
	a.people.Find(ctx, q)
	got, err := findAll[urlDoc](ctx,
		s.urls)
	c.UpdateOne(ctx, byID, options.UpdateOne(),
		options.Find())
	c.InsertOne(ctx, d)
}
`
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newCheck()
	c.lines["a.go:5"], c.lines["a.go:11"] = true, true
	got, err := c.unsent(dir)
	if want := []string{"a.go:7: deleteOne in f", "a.go:9: findAll in f"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("calls without commands: %v, %v, want %v", got, err, want)
	}
	if all, err := callSites("."); err != nil || len(all) < 100 {
		t.Errorf("this package has %d calls: %v", len(all), err)
	}
}
