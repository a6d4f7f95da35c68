package main

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"plat/fixtures/truth"
)

// A page is a page to render, at the width of its set.
type page struct {
	name          string // set and path
	url           string
	width, height int
}

// pages serves both sets and lists their pages. Call stop when all are rendered.
func (s *settings) pages(ctx context.Context) (all []page, stop func(), err error) {
	corpus, err := s.corpus(ctx)
	if err != nil {
		return nil, nil, err
	}
	paths, err := lines(filepath.Join(corpus, "paths.txt"))
	if err != nil {
		return nil, nil, err
	}
	marked, err := fs.Glob(os.DirFS(filepath.Join(s.data, "webseg", "dev", "pages")), "*/index.html")
	if err != nil {
		return nil, nil, err
	}
	if len(marked) == 0 {
		return nil, nil, fmt.Errorf("no pages of webseg/dev in %q; set PLAT_DATA or -data to the folder of shared data", s.data)
	}
	kit := httptest.NewServer(http.FileServerFS(os.DirFS(corpus)))
	data := httptest.NewServer(truth.Site(s.data, "dev", nil))
	for _, p := range paths {
		all = append(all, page{name: "kit/" + p, url: kit.URL + "/" + p, width: 1280, height: 1024})
	}
	for _, p := range marked {
		p = strings.TrimSuffix(p, "index.html")
		all = append(all, page{name: "webseg/" + p, url: data.URL + "/webseg/" + p, width: 1366, height: 900})
	}
	kept := all[:0]
	for _, p := range all {
		if s.only.MatchString(p.name) {
			kept = append(kept, p)
		}
	}
	return kept, func() { kit.Close(); data.Close() }, nil
}

// corpus is the folder of the kit's pages, unpacked to the same place as for
// scripts/bench visits.
func (s *settings) corpus(ctx context.Context) (string, error) {
	dir := filepath.Join(s.work, "kit")
	corpus := filepath.Join(dir, "corpus")
	if _, err := os.Stat(filepath.Join(corpus, "paths.txt")); err == nil {
		return corpus, nil
	}
	packed := filepath.Join(s.kit, "corpus.tar.zst")
	if _, err := os.Stat(packed); err != nil {
		return "", fmt.Errorf("no benchmark kit at %s; set KIT or -kit to its folder", s.kit)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, "tar", "-I", "zstd", "-xf", packed, "-C", dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("unpack %s: %w\n%s", packed, err, out)
	}
	return corpus, nil
}

func lines(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []string
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		if sc.Text() != "" {
			all = append(all, sc.Text())
		}
	}
	return all, sc.Err()
}
