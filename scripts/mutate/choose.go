package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// choose returns the packages to be mutated and, by folder, the packages whose tests count too.
func choose(ctx context.Context, root string, patterns []string, lines map[string][]bool) ([]*pkg, map[string][]string, error) {
	withs, files, nots := map[string][]string{}, map[string]*regexp.Regexp{}, map[string]*regexp.Regexp{}
	var dirs []string
	for _, t := range targets {
		found, err := expand(ctx, root, []string{t.pattern})
		if err != nil {
			return nil, nil, err
		}
		for _, dir := range found {
			withs[dir] = t.with
			if t.files != "" {
				files[dir] = regexp.MustCompile(t.files)
			}
			if t.not != "" {
				nots[dir] = regexp.MustCompile(t.not)
			}
		}
		dirs = append(dirs, found...)
	}
	if *at != "" {
		dirs, files, nots = []string{filepath.Dir(slices.Sorted(keys(lines))[0])}, nil, nil
	} else if len(patterns) > 0 {
		var err error
		if dirs, err = expand(ctx, root, patterns); err != nil {
			return nil, nil, err
		}
	}
	if lines != nil {
		dirs = slices.DeleteFunc(dirs, func(dir string) bool {
			for file := range lines {
				if filepath.Dir(file) == dir {
					return false
				}
			}
			return true
		})
	}
	if len(dirs) == 0 {
		return nil, nil, errors.New("none of these packages has a chosen line")
	}
	pkgs, err := load(ctx, root, dirs, func(file string) bool {
		dir, name := filepath.Split(file)
		is, not := files[filepath.Clean(dir)], nots[filepath.Clean(dir)]
		return (is == nil || is.MatchString(name)) && (not == nil || !not.MatchString(name))
	})
	for _, p := range pkgs {
		if lines != nil {
			p.sites = slices.DeleteFunc(p.sites, func(s site) bool {
				chosen, line := lines[s.file.name], s.file.set.Position(s.pos).Line
				return line >= len(chosen) || !chosen[line]
			})
		}
	}
	return pkgs, withs, err
}

// keys returns the keys of m.
func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// chosenLines returns by file the lines that -changed or -at choose, or nil without these.
func chosenLines(ctx context.Context, root string) (map[string][]bool, error) {
	switch {
	case *at != "":
		file, line, _ := strings.Cut(filepath.Clean(*at), ":")
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		chosen := make([]bool, bytes.Count(data, []byte("\n"))+2)
		n, err := strconv.Atoi(line)
		for i := range chosen {
			chosen[i] = err != nil || i == n
		}
		return map[string][]bool{file: chosen}, nil
	case *changed != "":
		cmd := exec.CommandContext(ctx, "git", "diff", "-U0", "--no-ext-diff", "--no-prefix", *changed, "--", "*.go", ":!*_test.go")
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("git diff %s: %w", *changed, err)
		}
		return diffLines(out), nil
	}
	return nil, nil
}

var hunk = regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)

// diffLines returns the lines of the new files that a diff without context and prefixes names.
func diffLines(diff []byte) map[string][]bool {
	lines := map[string][]bool{}
	file := ""
	for line := range strings.Lines(string(diff)) {
		if name, ok := strings.CutPrefix(line, "+++ "); ok {
			file = strings.TrimSpace(name)
		} else if m := hunk.FindStringSubmatch(line); m != nil {
			from, _ := strconv.Atoi(m[1])
			n := 1
			if m[2] != "" {
				n, _ = strconv.Atoi(m[2])
			}
			for len(lines[file]) < from+n {
				lines[file] = append(lines[file], false)
			}
			for i := range n {
				lines[file][from+i] = true
			}
		}
	}
	return lines
}

// sample returns n mutations that compile, all if n is negative: of each site one, by chance. They are in the order of
// packages and files.
func sample(ctx context.Context, pkgs []*pkg, n int, seed uint64) []*mutant {
	type place struct {
		pkg  *pkg
		site site
	}
	var places []place
	for _, p := range pkgs {
		for _, s := range p.sites {
			places = append(places, place{p, s})
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	var mutants []*mutant
	for _, p := range places {
		if n >= 0 && len(mutants) == n || ctx.Err() != nil {
			break
		}
		edits := slices.Clone(p.site.edits)
		rng.Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
		for _, e := range edits {
			if !p.pkg.compiles(p.site.file, e) {
				continue
			}
			m := &mutant{site: p.site, edit: e, pkg: p.pkg, Package: p.pkg.dir, File: p.site.file.name, Func: p.site.fn, Kind: e.kind}
			m.Line = p.site.file.set.Position(p.site.pos).Line
			m.Before, m.After = p.site.file.change(e)
			mutants = append(mutants, m)
			if n >= 0 {
				break
			}
		}
	}
	slices.SortStableFunc(mutants, func(a, b *mutant) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.File, b.File), cmp.Compare(a.site.pos, b.site.pos))
	})
	return mutants
}
