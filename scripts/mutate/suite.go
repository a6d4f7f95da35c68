package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A suite is the tests of a package, with what each of them covers of the package that is mutated.
type suite struct {
	dir    string    // of the package with the tests, relative to the module
	plain  [32]byte  // the hash of its binary
	whole  *[32]byte // that without inlining, once it is needed
	Tests  []test
	Blocks map[string][]block // all there are, by file
	Left   []string           // tests that fail without a mutation, which are not run
}

// A test is one function of a suite.
type test struct {
	Name    string
	Seconds float64
	All     bool // covers everything, because it fails when coverage is measured
	Covers  map[string][]block
}

// A block is a range of a file that a test runs. Lines and columns count from 1.
type block struct{ FromLine, FromCol, ToLine, ToCol int }

// has reports whether the position is within b.
func (b block) has(line, col int) bool {
	return (line > b.FromLine || line == b.FromLine && col >= b.FromCol) && (line < b.ToLine || line == b.ToLine && col <= b.ToCol)
}

// A runner builds and runs tests in a checkout, of which it changes nothing.
type runner struct {
	mu     sync.Mutex // guards suite.whole
	root   string
	work   string        // a temporary folder
	kept   string        // a folder for coverage that was measured before
	short  bool          // tests run with -test.short
	factor float64       // longest time of tests, as a multiple of their time without a mutation
	start  time.Duration // added to that
	memory int64         // most memory of a process, in bytes
}

// build compiles the tests of dir into out. An overlay replaces files of the checkout.
func (r *runner) build(ctx context.Context, dir, out, overlay string, flags ...string) error {
	args := append([]string{"test", "-c", "-vet=off", "-trimpath", "-ldflags=-s -w -buildid=", "-o", out}, flags...)
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	_, err := run(ctx, r.root, append(args, "./"+dir)...)
	return err
}

// overlay writes a file for -overlay that puts data in place of a file of the checkout, and returns its name.
func (r *runner) overlay(folder, name string, data []byte) (string, error) {
	changed := filepath.Join(folder, "mutant.go")
	if err := os.WriteFile(changed, data, 0o600); err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(r.root, name): changed}})
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "overlay.json")
	return file, os.WriteFile(file, b, 0o600)
}

// How a run of tests ended.
const (
	passed = "passed"
	failed = "failed"
	late   = "late"  // ended after its limit
	large  = "large" // ended for its memory
)

// execute runs a test binary in the folder of its package, and ends it with all its children after the limit or
// when it takes too much memory. Temporary files are in a folder that is removed.
func (r *runner) execute(ctx context.Context, bin, dir string, limit time.Duration, args ...string) (end string, out []byte) {
	tmp, err := os.MkdirTemp(r.work, "tmp")
	if err != nil {
		return failed, []byte(err.Error())
	}
	defer os.RemoveAll(tmp)
	if r.short {
		args = append(args, "-test.short")
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var b bytes.Buffer
	cmd := exec.Command(bin, args...)
	cmd.Dir = filepath.Join(r.root, dir)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "CI=")
	cmd.Stdout, cmd.Stderr = &b, &b
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return failed, []byte(err.Error())
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	end = failed
	for {
		select {
		case err := <-done:
			if end == failed && err == nil {
				end = passed
			}
			return end, b.Bytes()
		case <-ctx.Done():
			end = late
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		case <-tick.C:
			if resident(cmd.Process.Pid) > r.memory {
				end = large
				syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			}
		}
		if end != failed {
			<-done
			return end, b.Bytes()
		}
	}
}

// resident returns the memory of a process in bytes, 0 if it has ended.
func resident(pid int) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if f := strings.Fields(string(b)); len(f) > 1 {
		n, _ := strconv.ParseInt(f[1], 10, 64)
		return n * int64(os.Getpagesize())
	}
	return 0
}

// measure runs each test of dir by itself and returns what it covers of the package of, with its time.
// Results are kept for the next run, by the content of the test binary.
func (r *runner) measure(ctx context.Context, dir string, of *pkg) (*suite, error) {
	folder, err := os.MkdirTemp(r.work, "cover")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	s := &suite{dir: dir}
	plain, bin := filepath.Join(folder, "plain.test"), filepath.Join(folder, "cover.test")
	if err := r.build(ctx, dir, plain, ""); err != nil {
		return nil, err
	}
	if _, err := os.Stat(plain); err != nil { // no tests
		return s, nil
	}
	if s.plain, err = sum(plain); err != nil {
		return nil, err
	}
	if err := r.build(ctx, dir, bin, "", "-cover", "-covermode=set", "-coverpkg="+of.path); err != nil {
		return nil, err
	}
	hash, err := sum(bin)
	if err != nil {
		return nil, err
	}
	kept := filepath.Join(r.kept, fmt.Sprintf("%x.json", hash[:12]))
	if b, err := os.ReadFile(kept); err == nil && json.Unmarshal(b, s) == nil {
		return s, nil
	}
	const long = time.Hour
	end, out := r.execute(ctx, bin, dir, long, "-test.list", "^(Test|Fuzz|Example)")
	if end != passed {
		return nil, fmt.Errorf("tests of %s are not listed: %s", dir, out)
	}
	for name := range strings.FieldsSeq(string(out)) {
		profile := filepath.Join(folder, "profile")
		t, start := test{Name: name}, time.Now()
		end, _ := r.execute(ctx, bin, dir, long, "-test.run", "^"+name+"$", "-test.coverprofile", profile)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if end == passed {
			if t.Covers, err = s.read(profile, of); err != nil {
				return nil, err
			}
		} else if end, _ := r.execute(ctx, plain, dir, long, "-test.run", "^"+name+"$"); end == passed {
			t.All = true
		} else {
			s.Left = append(s.Left, name)
			continue
		}
		t.Seconds = time.Since(start).Seconds()
		if t.All || len(t.Covers) > 0 {
			s.Tests = append(s.Tests, t)
		}
	}
	slices.SortStableFunc(s.Tests, func(a, b test) int { return cmp.Compare(a.Seconds, b.Seconds) })
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.kept, 0o777); err != nil {
		return nil, err
	}
	return s, os.WriteFile(kept, b, 0o666)
}

// read returns the blocks of a package that a coverage profile counts as run, by file, and adds all others to s.Blocks.
func (s *suite) read(profile string, of *pkg) (map[string][]block, error) {
	b, err := os.ReadFile(profile)
	if errors.Is(err, fs.ErrNotExist) { // the package has no statements
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	covers, all := map[string][]block{}, map[string][]block{}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		m := profileLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		file := filepath.Join(of.dir, filepath.Base(m[1]))
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(m[2+i])
		}
		at := block{n[0], n[1], n[2], n[3]}
		all[file] = append(all[file], at)
		if m[6] != "0" {
			covers[file] = append(covers[file], at)
		}
	}
	s.Blocks = all
	return covers, nil
}

var profileLine = regexp.MustCompile(`^(.+):(\d+)\.(\d+),(\d+)\.(\d+) \d+ (\d+)$`)

// covering returns the tests that run the place of a mutation, fastest first. Outside of functions these are all
// tests. Conditions of cases are in no block of a profile: the tests of their function are returned.
func (s *suite) covering(at site) []test {
	if !at.local {
		return s.Tests
	}
	p := at.file.set.Position(at.pos)
	inner, exact := innermost(s.Blocks[at.file.name], p.Line, p.Column)
	if !exact {
		inner = at.file.around(at.pos)
	}
	var tests []test
	for _, t := range s.Tests {
		if t.All || slices.ContainsFunc(t.Covers[at.file.name], func(b block) bool {
			return b == inner || !exact && inner.has(b.FromLine, b.FromCol)
		}) {
			tests = append(tests, t)
		}
	}
	return tests
}

// innermost returns the smallest block around a position.
func innermost(blocks []block, line, col int) (block, bool) {
	var found block
	var ok bool
	for _, b := range blocks {
		// Of two blocks around a position the inner one begins later.
		if b.has(line, col) && (!ok || b.FromLine > found.FromLine || b.FromLine == found.FromLine && b.FromCol > found.FromCol) {
			found, ok = b, true
		}
	}
	return found, ok
}

// groups divides tests into runs of one process each: first about a second, then four times as much each time.
func groups(tests []test) [][]test {
	var all [][]test
	most := 1.0
	for len(tests) > 0 {
		n, sum := 0, 0.0
		for n < len(tests) && (n == 0 || sum+tests[n].Seconds <= most) {
			sum += tests[n].Seconds
			n++
		}
		all = append(all, tests[:n])
		tests = tests[n:]
		most *= 4
	}
	return all
}

// sum returns the SHA-256 of a file.
func sum(name string) ([32]byte, error) {
	b, err := os.ReadFile(name)
	return sha256.Sum256(b), err
}
