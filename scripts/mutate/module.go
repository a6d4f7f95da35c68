package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A module is the checkout whose packages are mutated.
type module struct {
	root     string         // its folder, absolute
	importer types.Importer // of what go list has built
}

// A pkg is a package under test.
type pkg struct {
	dir     string // relative to the module
	path    string // of imports
	set     *token.FileSet
	sources []*source
	info    *types.Info
	sites   []site
	module  *module
}

// load returns the packages of dirs, with their sites. Only files that keep accepts have any; a nil keep accepts all.
func load(ctx context.Context, root string, dirs []string, keep func(file string) bool) ([]*pkg, error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,DepOnly"}
	for _, dir := range dirs {
		args = append(args, "./"+dir)
	}
	out, err := run(ctx, root, args...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	m := &module{root: root}
	m.importer = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("go list has no export data of %s", path)
		}
		return os.Open(exports[path])
	})
	var pkgs []*pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
			DepOnly                 bool
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if p.DepOnly {
			continue
		}
		dir, err := filepath.Rel(root, p.Dir)
		if err != nil {
			return nil, err
		}
		q := &pkg{dir: dir, path: p.ImportPath, set: token.NewFileSet(), module: m}
		for _, name := range p.GoFiles {
			s := &source{name: filepath.Join(dir, name), set: q.set}
			if s.data, err = os.ReadFile(filepath.Join(root, s.name)); err != nil {
				return nil, err
			}
			if s.ast, err = parser.ParseFile(q.set, s.name, s.data, parser.ParseComments); err != nil {
				return nil, err
			}
			q.sources = append(q.sources, s)
		}
		pkgs = append(pkgs, q)
	}
	for _, p := range pkgs {
		if p.info, err = p.check(nil, nil); err != nil {
			return nil, fmt.Errorf("%s does not compile: %w", p.dir, err)
		}
		for _, s := range p.sources {
			if keep == nil || keep(s.name) {
				p.sites = append(p.sites, sitesOf(s, p.info)...)
			}
		}
	}
	return pkgs, nil
}

// check type-checks p, with data as the content of the source changed unless that is nil.
func (p *pkg) check(changed *source, data []byte) (*types.Info, error) {
	var files []*ast.File
	for _, s := range p.sources {
		f := s.ast
		if s == changed {
			var err error
			if f, err = parser.ParseFile(p.set, s.name, data, parser.SkipObjectResolution); err != nil {
				return nil, err
			}
		}
		files = append(files, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: p.module.importer}
	_, err := conf.Check(p.path, p.set, files, info)
	return info, err
}

// compiles reports whether p is valid Go with e made in s.
func (p *pkg) compiles(s *source, e edit) bool {
	_, err := p.check(s, s.apply(e))
	return err == nil
}

// expand returns the folders of the packages that patterns name, such as segment or diff/....
func expand(ctx context.Context, root string, patterns []string) ([]string, error) {
	args := []string{"list", "-f", "{{.Dir}}"}
	for _, p := range patterns {
		args = append(args, "./"+strings.TrimPrefix(p, "./"))
	}
	out, err := run(ctx, root, args...)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for line := range strings.Lines(string(out)) {
		dir, err := filepath.Rel(root, strings.TrimSpace(line))
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// run returns what the go command prints in dir.
func run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(errs.Bytes()))
	}
	return out, nil
}
