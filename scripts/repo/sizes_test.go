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

// Limits on code that a reader has to keep in mind at once. A package has none: it is an idea.
const (
	maxFile      = 500 // lines, without a reason in a comment
	hardFile     = 650 // lines, whatever the reason
	maxInterface = 8   // methods; more are several interfaces, put together
	maxFunction  = 80  // lines, without a reason in its comment
)

// sizeOf contains the sizes of a package.
type sizeOf struct {
	dir      string
	lines    int // without tests
	file     int // lines of the longest, tests too
	longFile string
	methods  int
	widest   string // interface
	longest  int
	function string
}

// TestSizes checks files, interfaces and functions against the limits; with -v it prints
// the sizes of each package. Functions of tests and of suites are exempt: they are tables of
// cases.
func TestSizes(t *testing.T) {
	atRoot(t)
	sizes := map[string]*sizeOf{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
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
		lines := files.Position(f.FileEnd).Line
		if lines > s.file {
			s.file, s.longFile = lines, filepath.Base(path)
		}
		for _, fault := range faultsOfFile(f, lines) {
			t.Errorf("%s: %s", path, fault)
		}
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		s.lines += lines
		for _, fault := range s.add(files, f) {
			t.Errorf("%s: %s", path, fault)
		}
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
	table := fmt.Sprintf("%-24s %6s  %-28s %-24s %s\n", "package", "lines", "longest file", "widest interface", "longest function")
	for _, s := range all {
		table += fmt.Sprintf("%-24s %6d  %-28s %-24s %s\n", s.dir, s.lines, counted(s.file, s.longFile), counted(s.methods, s.widest), counted(s.longest, s.function))
	}
	t.Log("\n" + table)
}

func counted(n int, name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("%3d %s", n, name)
}

// saysWhy reports whether a comment contains a phrase, at any breaks of lines.
func saysWhy(comment, phrase string) bool {
	return strings.Contains(strings.Join(strings.Fields(comment), " "), phrase)
}

// faultsOfFile returns the limits of lines that a file exceeds, as messages.
func faultsOfFile(f *ast.File, lines int) []string {
	switch {
	case lines > hardFile:
		return []string{fmt.Sprintf("%d lines, more than %d: divide it", lines, hardFile)}
	case lines <= maxFile || slices.ContainsFunc(f.Comments, func(c *ast.CommentGroup) bool { return saysWhy(c.Text(), "is one file because") }):
		return nil
	}
	return []string{fmt.Sprintf("%d lines, more than %d: divide it, or say in a comment \"It is one file because …\"", lines, maxFile)}
}

// add adds the interfaces and functions of a file, and returns those that exceed the limits, as
// messages.
func (s *sizeOf) add(files *token.FileSet, f *ast.File) (faults []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			i, ok := n.Type.(*ast.InterfaceType)
			if !ok {
				break
			}
			methods := i.Methods.NumFields()
			if methods > s.methods {
				s.methods, s.widest = methods, n.Name.Name
			}
			if methods > maxInterface {
				faults = append(faults, fmt.Sprintf("interface %s has %d methods, more than %d: divide it", n.Name.Name, methods, maxInterface))
			}
		case *ast.FuncDecl:
			lines := files.Position(n.End()).Line - files.Position(n.Pos()).Line + 1
			if lines > s.longest {
				s.longest, s.function = lines, n.Name.Name
			}
			why := n.Doc.Text()
			if lines > maxFunction && !strings.HasSuffix(s.dir, "test") && !saysWhy(why, "long because") && !saysWhy(why, "as long") {
				faults = append(faults, fmt.Sprintf("%s has %d lines, more than %d: divide it, or say in its comment \"It is long because …\"", n.Name.Name, lines, maxFunction))
			}
		}
		return true
	})
	return faults
}
