package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"plat/fixtures/freeport"
	"regexp"
	"syscall"
	"time"
)

// The sets of pages.
const (
	setData     = "data"     // of the shared data, with its truth
	setPackages = "packages" // of the folder packages
)

// A page is a URL of the set and its visible text.
type page struct {
	URL   string // as plat knows it
	Name  string // path and query, for people to read
	Truth bag
}

// prepare copies the page set from source to dir and builds it there, unless
// dir already has a build of the same set.
func prepare(ctx context.Context, source, dir string) error {
	if _, err := os.Stat(filepath.Join(source, "build.sh")); err != nil {
		return fmt.Errorf("no page set at %s; set PLAT_DATA or -data to the folder of shared data", source)
	}
	stamp := filepath.Join(dir, "built")
	same, err := hasFiles(os.DirFS(source), dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(stamp); err == nil && same {
		return nil
	}
	fmt.Fprintf(os.Stderr, "building the page set in %s, with its exact npm versions\n", dir)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		return err
	}
	for _, command := range [][]string{{"chmod", "-R", "u+w", "."}, {"sh", "build.sh"}, {"tar", "-I", "zstd", "-xf", "results.tar.zst"}} {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v in %s: %w\n%s", command, dir, err, out)
		}
	}
	return os.WriteFile(stamp, nil, 0o644)
}

// truth reads the expected words of each URL that is wanted; the set is served at
// origin. Words that no reader sees count only with clipped.
func truth(dir, origin string, wanted func(url string) bool, clipped bool) ([]page, error) {
	f, err := os.Open(filepath.Join(dir, "results", "truth.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var pages []page
	d := json.NewDecoder(bufio.NewReader(f))
	for d.More() {
		var line truthLine
		if err := d.Decode(&line); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		if !wanted(line.URL) {
			continue
		}
		u, err := at(origin, line.URL)
		if err != nil {
			return nil, err
		}
		p := page{URL: u, Name: nameOf(line.URL), Truth: bag{}}
		p.Truth.add(wordsOf(rebase(line.Words, origin)))
		if !clipped {
			p.Truth.remove(wordsOf(rebase(line.Clipped, origin)))
		}
		pages = append(pages, p)
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("%s has no such URL", f.Name())
	}
	return pages, nil
}

// truthLine is a line of the file of expected words.
type truthLine struct {
	URL     string `json:"url"`
	Words   string `json:"words"`
	Clipped string `json:"clipped,omitempty"` // those among Words that no reader sees
}

// nameOf is a URL of the set without the common prefix.
func nameOf(url string) string {
	return regexp.MustCompile(`^.*/s/|\.html`).ReplaceAllString(url, "")
}

// serve starts the set's own server. The context ends it.
func serve(ctx context.Context, dir string) (origin string, err error) {
	addr, err := freeport.Addr()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "bin", "vtserve"), "-dir", dir, "-addr", addr)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	origin = "http://" + addr
	for range 100 {
		if r, err := http.Get(origin + "/__reqs"); err == nil {
			r.Body.Close()
			return origin, nil
		}
		select {
		case err := <-gone:
			return "", fmt.Errorf("%s ended: %v", cmd.Path, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return "", fmt.Errorf("%s does not answer at %s", cmd.Path, addr)
}
