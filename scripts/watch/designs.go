package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"plat/plat"
	"plat/storage/history"
	"plat/storage/sqlite"
	"plat/watch"
)

// designed counts the reports of a subscription after changes of a page's design.
type designed struct {
	Pages   int `json:"pages"`
	Lists   int `json:"lists"`   // of the pages as they are
	Entries int `json:"entries"` // of these
	Changes int `json:"changes"` // of design
	Told    int `json:"told"`    // of these with a report: new, changed or removed
	Items   int `json:"items"`   // that are reported

	Which []string `json:"which"`
}

// otherDesigns examines pages of the data's landmarks in two designs, in both orders.
func otherDesigns(ctx context.Context, o *options) error {
	dir := filepath.Join(o.archives, "landmarks")
	store, err := archiveDesigns(ctx, filepath.Join(o.data, "landmarks", "pages"), dir)
	if err != nil {
		return err
	}
	defer store.Close()
	var d designed
	for st, err := range store.States(ctx, "", "") {
		if err != nil {
			return err
		}
		if !strings.Contains(st.URL, "/plain/") {
			continue
		}
		var pages [2]*watch.Page
		for i, u := range []string{st.URL, strings.Replace(st.URL, "/plain/", "/bare/", 1)} {
			if pages[i], err = head(ctx, store, u); err != nil {
				return err
			}
		}
		if err := d.there(pages[0], pages[1], true); err != nil {
			return err
		}
		if err := d.there(pages[1], pages[0], false); err != nil {
			return err
		}
	}
	if o.json {
		return printJSON(&d)
	}
	fmt.Printf("%d pages with %d lists of %d entries; of %d changes of design %d were told of, as %d items\n", d.Pages, d.Lists, d.Entries, d.Changes, d.Told, d.Items)
	for _, w := range d.Which {
		fmt.Println(" ", w)
	}
	return nil
}

// there examines a page, and then the same page in a different design.
func (d *designed) there(was, now *watch.Page, count bool) error {
	m := watch.New()
	first, err := m.Look(was, watch.Options{})
	if err != nil {
		return err
	}
	again := *now
	again.URL = was.URL
	again.Before = func() (string, error) { return watch.Text(was.Blocks), nil }
	r, err := m.Look(&again, watch.Options{})
	if err != nil {
		return err
	}
	if d.Changes++; count {
		d.Pages++
		d.Lists += len(first.Lists)
		for _, l := range first.Lists {
			d.Entries += len(l.Entries)
		}
	}
	if n := len(r.Items); n > 0 {
		d.Told++
		d.Items += n
		d.Which = append(d.Which, fmt.Sprintf("%s: %d, as %s %q", now.URL, n, r.Items[0].Kind, r.Items[0].Title))
	}
	return nil
}

// head is the last version of a page.
func head(ctx context.Context, store *sqlite.Store, u string) (*watch.Page, error) {
	v, err := store.Version(ctx, u, 0)
	if err != nil {
		return nil, err
	}
	if err := history.LoadAll(ctx, store, v.Blocks); err != nil {
		return nil, err
	}
	var l plat.Layout
	l, err = store.Layout(ctx, v.Layout)
	return &watch.Page{URL: u, Layout: &l, Blocks: v.Blocks}, err
}

// archiveDesigns unpacks the pages into dir and archives them, if that was not done before.
func archiveDesigns(ctx context.Context, from, dir string) (*sqlite.Store, error) {
	file := filepath.Join(dir, "designs.db")
	if _, err := os.Stat(file); err == nil {
		return sqlite.Open(file, sqlite.Options{})
	}
	var names []string
	for _, variant := range []string{"plain", "bare"} {
		more, err := unpack(filepath.Join(from, variant+".tar.zst"), dir)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	srv := &http.Server{Handler: http.FileServer(http.Dir(dir))}
	defer srv.Close()
	go srv.Serve(l)
	list := ""
	for _, n := range names {
		list += "http://" + l.Addr().String() + "/" + n + "\n"
	}
	fmt.Fprintf(os.Stderr, "archiving %d pages\n", len(names))
	if err := archiveList(ctx, list, file+".part"); err != nil {
		return nil, err
	}
	if err := os.Rename(file+".part", file); err != nil {
		return nil, err
	}
	return sqlite.Open(file, sqlite.Options{})
}

// archiveList archives a list of URLs of this machine into a file.
func archiveList(ctx context.Context, urls, file string, more ...string) error {
	args := append([]string{"run", "./cmd/plat", "archive", "-q", "--no-dns", "--allow-private", "127.0.0.0/8", "--store", "sqlite:" + file, "-f", "-"}, more...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stdin, cmd.Stderr = strings.NewReader(urls), os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("plat archive: %w", err)
	}
	return nil
}

// unpack unpacks the HTML files of an archive.
func unpack(from, dir string) (names []string, err error) {
	f, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(1<<28))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) {
			continue
		}
		to := filepath.Join(dir, h.Name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return nil, err
		}
		b, err := io.ReadAll(t)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(to, b, 0o644); err != nil {
			return nil, err
		}
		names = append(names, filepath.ToSlash(filepath.Clean(h.Name)))
	}
}
