package importer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"plat/export/warc"
)

// host matches the name of a folder that wget makes for a host, with a port after "+" or ":".
var host = regexp.MustCompile(`^(localhost|[\pL\pN_-]+(\.[\pL\pN_-]+)+)([:+]\d+)?$`)

// openFolder reads a folder of pages, as wget --mirror makes it: a folder a host. With a URL it is the folder of that
// address. The time of a page is that of its file: wget sets it to Last-Modified.
func (l *Library) openFolder(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	roots := map[string]string{} // folder to URL
	if l.o.URL != "" {
		if err := checkURL(l.o.URL); err != nil {
			return err
		}
		roots[path] = strings.TrimSuffix(l.o.URL, "/") + "/"
	} else {
		all, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		for _, d := range all {
			if d.IsDir() && host.MatchString(d.Name()) {
				roots[filepath.Join(path, d.Name())] = rootOf(d.Name())
			}
		}
		if name := filepath.Base(path); len(roots) == 0 && host.MatchString(name) {
			roots[path] = rootOf(name)
		}
	}
	if len(roots) == 0 {
		return fmt.Errorf("%w: no folder in it is named as a host; give the address of the folder with --url", ErrUnknown)
	}
	s := &fileSource{}
	l.sources = append(l.sources, s)
	for dir, root := range roots {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err = errors.Join(err, context.Cause(ctx)); err != nil || !d.Type().IsRegular() {
				return err
			}
			return l.addFile(s, dir, root, file, d)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func rootOf(name string) string { return "https://" + strings.Replace(name, "+", ":", 1) + "/" }

// addFile adds a file under all addresses for which wget may have saved it. The first is that of a page.
func (l *Library) addFile(s *fileSource, dir, root, file string, d fs.DirEntry) error {
	st, err := d.Info()
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil {
		return err
	}
	if strings.HasSuffix(rel, ".orig") { // the page before wget -k has changed its links
		l.leave("a copy of a page before its links were converted")
		return nil
	}
	at := st.ModTime()
	if !l.o.At.IsZero() {
		at = l.o.At
	}
	e := entry{at: at.UnixMilli(), place: warc.Place{Offset: int64(len(s.files))}, source: int32(len(l.sources) - 1), status: http.StatusOK}
	s.files, s.types = append(s.files, file), append(s.types, "")
	urls := addresses(root, filepath.ToSlash(rel))
	for _, u := range urls {
		l.add(u, e)
	}
	l.read(l.sums.Bytes + st.Size())
	start := make([]byte, 512)
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	n, _ := f.Read(start)
	reason := why(responseHead{http.StatusOK, http.Header{"Content-Type": {typeOf(file, start[:n])}}}, urls[0], nil)
	if reason != "" {
		l.leave(reason)
		return nil
	}
	l.capture(urls[0], at)
	return nil
}

// addresses returns the URLs that may have been saved as a file. A file index.html is that of its folder, and wget -E adds
// .html to names.
func addresses(root, rel string) (urls []string) {
	file, query, dynamic := strings.Cut(rel, "?")
	add := func(path, query string, dynamic bool) {
		u := root + escaped(path)
		if dynamic {
			u += "?" + query
		}
		urls = append(urls, u)
	}
	name := path.Base(file)
	if name == "index.html" || name == "index.htm" && !dynamic {
		add(strings.TrimSuffix(file, name), query, dynamic)
	}
	if dynamic {
		if q, ok := strings.CutSuffix(query, ".html"); ok {
			add(file, q, true)
			if name == "index.html" {
				add(strings.TrimSuffix(file, name), q, true)
			}
		}
	}
	add(file, query, dynamic)
	add(rel, "", false) // links that wget -k has converted name the file
	if p, ok := strings.CutSuffix(rel, ".html"); ok && !dynamic {
		add(p, "", false)
	}
	return urls
}

func escaped(path string) string { return (&url.URL{Path: path}).EscapedPath() }
