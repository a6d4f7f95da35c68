package repo_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Limits on code that a reader has to keep in mind at once.
const (
	maxPackage   = 3500 // lines without tests
	maxInterface = 8    // methods; more are several interfaces, put together
	maxFunction  = 80   // lines, without a reason in its comment
)

// sizeOf is the sizes of a package.
type sizeOf struct {
	dir       string
	lines     int
	methods   int
	widest    string // interface
	longest   int
	function  string
	unexcused []string // functions that are too long and do not say why
}

// TestSizes checks packages, interfaces and functions against the limits; with -v it prints
// the sizes of each package. Exempt from that of lines: the two backends of storage,
// whose formats belong in one place, and the suite that both pass.
func TestSizes(t *testing.T) {
	sizes := map[string]*sizeOf{}
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
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		s := sizes[dir]
		if s == nil {
			s = &sizeOf{dir: dir}
			sizes[dir] = s
		}
		s.add(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]*sizeOf, 0, len(sizes))
	for _, s := range sizes {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *sizeOf) int { return cmp.Or(b.lines-a.lines, cmp.Compare(a.dir, b.dir)) })
	table := fmt.Sprintf("%-24s %6s  %-24s %s\n", "package", "lines", "widest interface", "longest function")
	for _, s := range all {
		table += fmt.Sprintf("%-24s %6d  %-24s %s\n", s.dir, s.lines, counted(s.methods, s.widest), counted(s.longest, s.function))
		if s.lines > maxPackage && !strings.HasPrefix(s.dir, "storage/") {
			t.Errorf("%s has %d lines, more than %d: divide it", s.dir, s.lines, maxPackage)
		}
		if s.methods > maxInterface {
			t.Errorf("%s: interface %s has %d methods, more than %d: divide it", s.dir, s.widest, s.methods, maxInterface)
		}
		if !strings.HasSuffix(s.dir, "test") { // suites are tables of cases
			for _, f := range s.unexcused {
				t.Errorf("%s: %s: divide it, or say in its comment \"It is long because …\"", s.dir, f)
			}
		}
	}
	t.Log("\n" + table)
}

func counted(n int, name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("%3d %s", n, name)
}

func (s *sizeOf) add(files *token.FileSet, f *ast.File) {
	s.lines += files.Position(f.FileEnd).Line - 1
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if i, ok := n.Type.(*ast.InterfaceType); ok && i.Methods.NumFields() > s.methods {
				s.methods, s.widest = i.Methods.NumFields(), n.Name.Name
			}
		case *ast.FuncDecl:
			lines := files.Position(n.End()).Line - files.Position(n.Pos()).Line + 1
			if lines > s.longest {
				s.longest, s.function = lines, n.Name.Name
			}
			why := strings.Join(strings.Fields(n.Doc.Text()), " ")
			if lines > maxFunction && !strings.Contains(why, "long because") && !strings.Contains(why, "as long") {
				s.unexcused = append(s.unexcused, fmt.Sprintf("%s has %d lines, more than %d", n.Name.Name, lines, maxFunction))
			}
		}
		return true
	})
}
