package repo_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the list of exported names")

// promised lists the packages for other programs; docs/go.md describes them.
var promised = []string{"plat", "storage/history", "storage/uri", "workers/segmenter"}

// The exported names of packages for other programs are those that examples/api.txt lists: a name that is missing, or is
// declared differently, breaks programs.
func TestTheExportedNamesOfPackagesForProgramsAreListed(t *testing.T) {
	atRoot(t)
	var b strings.Builder
	b.WriteString("# Exported names of the packages for other programs (docs/go.md). After a change:\n# go test ./scripts/repo -run ExportedNames -update\n")
	for _, dir := range promised {
		if !strings.Contains(textOf(t, "docs/go.md"), "| `plat/"+dir+"` |") {
			t.Errorf("docs/go.md does not list plat/%s", dir)
		}
		for _, line := range exported(t, dir) {
			b.WriteString("plat/" + dir + ": " + line + "\n")
		}
	}
	const list = "examples/api.txt"
	if *update {
		if err := os.WriteFile(list, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	was, is := strings.Split(textOf(t, list), "\n"), strings.Split(b.String(), "\n")
	for _, line := range was {
		if !slices.Contains(is, line) {
			t.Errorf("no longer exported: %s", line)
		}
	}
	for _, line := range is {
		if !slices.Contains(was, line) {
			t.Errorf("%s does not list: %s", list, line)
		}
	}
	if len(is) < 300 {
		t.Errorf("only %d names", len(is))
	}
}

// exported returns the exported declarations of a package, a line each, in order.
func exported(t *testing.T, dir string) (all []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(set, files, "plat/"+dir)
	if err != nil {
		t.Fatal(err)
	}
	add := func(prefix string, node any) { all = append(all, prefix+oneLine(t, node)) }
	funcs := func(of []*doc.Func) {
		for _, f := range of {
			f.Decl.Body, f.Decl.Doc = nil, nil
			add("", f.Decl)
		}
	}
	values := func(of []*doc.Value) {
		for _, v := range of {
			for _, name := range v.Names {
				if ast.IsExported(name) {
					all = append(all, v.Decl.Tok.String()+" "+name)
				}
			}
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs(p.Funcs)
	for _, x := range p.Types {
		values(x.Consts)
		values(x.Vars)
		funcs(x.Funcs)
		funcs(x.Methods)
		spec := x.Decl.Specs[0].(*ast.TypeSpec)
		switch kind := spec.Type.(type) {
		case *ast.StructType:
			all = append(all, "type "+x.Name+" struct")
			for _, f := range kind.Fields.List {
				f.Doc, f.Comment = nil, nil
				for _, name := range f.Names {
					if name.IsExported() {
						add("type "+x.Name+" struct, "+name.Name+" ", f.Type)
					}
				}
				if len(f.Names) == 0 {
					add("type "+x.Name+" struct, embedded ", f.Type)
				}
			}
		case *ast.InterfaceType:
			all = append(all, "type "+x.Name+" interface")
		default:
			add("type "+x.Name+" ", kind)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var blanks = regexp.MustCompile(`\s+`)

func oneLine(t *testing.T, node any) string {
	t.Helper()
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		t.Fatal(err)
	}
	return blanks.ReplaceAllString(b.String(), " ")
}
