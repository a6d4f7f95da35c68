package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"plat/plat"
	"plat/storage/history"
	"plat/storage/sqlite"
)

// recordedPage is a page as urls.json lists it.
type recordedPage struct {
	ID, Site, Path string
	Versions       []recordedVersion
}

type recordedVersion struct {
	N    int
	Time time.Time
}

// at returns the number of the version that the page had at a time: the latest that is not later;
// 0 before the first.
func (p *recordedPage) at(t time.Time) int {
	n, latest := 0, time.Time{}
	for _, v := range p.Versions {
		if !v.Time.After(t) && (n == 0 || !v.Time.Before(latest)) {
			n, latest = v.N, v.Time
		}
	}
	return n
}

// archive is the archive of a set.
type archive struct {
	store *sqlite.Store
	pages []recordedPage
	urls  map[string]string // of the archived pages, by place
}

// place returns the site's name and the path of a URL, which do not depend on the port that the
// page was served on.
func place(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	site, _, _ := strings.Cut(u.Hostname(), ".")
	return site + strings.TrimSuffix(u.Path, "index.html"), nil
}

func (o *options) recorded(set string) string {
	return filepath.Join(o.data, "history", set, o.split)
}

// open opens the archive of a set, and makes it first if it is not there.
func (o *options) open(ctx context.Context, set string) (*archive, error) {
	raw, err := os.ReadFile(filepath.Join(o.recorded(set), "urls.json"))
	if err != nil {
		return nil, fmt.Errorf("%w; set -data, -sets and -split to recorded histories that exist", err)
	}
	var index struct{ Pages []recordedPage }
	if err := json.Unmarshal(raw, &index); err != nil {
		return nil, err
	}
	path := filepath.Join(o.archives, set+".db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		n := 0
		for i := range index.Pages {
			n += len(index.Pages[i].Versions)
		}
		if err := o.make(ctx, set, n); err != nil {
			return nil, fmt.Errorf("making the archive: %w", err)
		}
	}
	store, err := sqlite.Open(path, sqlite.Options{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("%w; if the archive is of an earlier plat, remove it, and it is made again", err)
	}
	a := &archive{store: store, pages: index.Pages, urls: map[string]string{}}
	for s, err := range store.States(ctx, "", "") {
		if err != nil {
			store.Close()
			return nil, err
		}
		at, err := place(s.URL)
		if err != nil {
			store.Close()
			return nil, err
		}
		a.urls[at] = s.URL
	}
	return a, nil
}

// make archives a set of about n versions, and prints its progress every ten seconds. An
// interrupted archive is not kept.
func (o *options) make(ctx context.Context, set string, n int) error {
	if err := os.MkdirAll(o.archives, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(o.archives, "making-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	data, err := filepath.Abs(o.data)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "run", "./scripts/histories", "-sets", set, "-split", o.split, "-keep", work)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(os.Environ(), "PLAT_DATA="+data)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	fmt.Fprintf(os.Stderr, "%s: there is no archive in %s; visiting some %d versions with a browser\n", set, o.archives, n)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	start := time.Now()
	for {
		select {
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("scripts/histories: %w", err)
			}
			return os.Rename(filepath.Join(work, set+".db"), filepath.Join(o.archives, set+".db"))
		case <-tick.C:
			fmt.Fprintf(os.Stderr, "%s: %s, %d versions archived\n", set, time.Since(start).Round(time.Second), archivedSoFar(ctx, filepath.Join(work, set+".db")))
		}
	}
}

// archivedSoFar counts versions; 0 if the archive cannot be read at the moment.
func archivedSoFar(ctx context.Context, path string) int {
	store, err := sqlite.Open(path, sqlite.Options{ReadOnly: true})
	if err != nil {
		return 0
	}
	defer store.Close()
	n := 0
	for s, err := range store.States(ctx, "", "") {
		if err != nil {
			break
		}
		n += s.Head
	}
	return n
}

// versions calls each with the archived versions of a page, in order, and their numbers in the
// record, 0 if absent; it returns false if the page is not archived.
func (a *archive) versions(ctx context.Context, p *recordedPage, each func(v *plat.Version, l *plat.Layout, n int) error) (bool, error) {
	at, err := place("http://" + p.Site + p.Path)
	if err != nil {
		return false, err
	}
	address, ok := a.urls[at]
	if !ok {
		return false, nil
	}
	for v, err := range a.store.Trees(ctx, address, 1, 1<<30) {
		if err != nil {
			return true, err
		}
		if err := history.LoadAll(ctx, a.store, v.Blocks); err != nil {
			return true, err
		}
		l, err := a.store.Layout(ctx, v.Layout)
		if err != nil {
			return true, err
		}
		if err := each(v, &l, p.at(v.Taken)); err != nil {
			return true, fmt.Errorf("%s, version %d: %w", p.ID, v.N, err)
		}
	}
	return true, nil
}
