// Package sources reads the pages of sites: recorded ones, and documentation of Debian.
package sources

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"plat/fixtures/history"
	"plat/plat"
	"plat/plat/weburl"
)

// Packages hold documentation as sites; no two are alike in how their URLs are made.
var Packages = strings.Fields(`rust-doc apache2-doc python3.11-doc postgresql-doc-15 git-doc openjdk-17-doc
	libstdc++-12-doc cmake-doc sqlite3-doc libboost1.74-doc r-doc-html debian-policy debian-reference-en
	python-django-doc libglib2.0-doc nodejs-doc erlang-doc ghc-doc tomcat10-docs qtbase5-doc-html
	libcommons-lang3-java-doc scala-doc gnuplot-doc developers-reference python-sqlalchemy-doc`)

// Source is a recorded site.
type Source struct {
	Name  string
	Files bool // a server of files: a query changes nothing
	Each  func(page func(url string, body []byte)) error
}

// Recorded are the sites of the shared data, each path as it was last.
func Recorded(data string) (all []Source, err error) {
	for _, set := range []string{"news", "docs"} {
		dir := filepath.Join(data, "history", set, "dev")
		found, err := filepath.Glob(filepath.Join(dir, "sites", "*.json"))
		if err != nil {
			return nil, err
		}
		opened, err := history.Open(dir, filepath.Join(data, "history", "ext"))
		if err != nil {
			return nil, err
		}
		for i, s := range opened.Sites {
			all = append(all, Source{"history/" + set + "/" + s.Name, true, func(page func(string, []byte)) error {
				return eachRecorded(s, found[i], page)
			}})
		}
	}
	return all, nil
}

// eachRecorded reads the paths of a site from its file, which package history does not
// list.
func eachRecorded(s *history.Site, file string, page func(string, []byte)) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var t struct {
		Timeline map[string][][2]*string `json:"timeline"`
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for path, rows := range t.Timeline {
		sha := ""
		for _, row := range rows {
			if row[1] != nil {
				sha = *row[1]
			}
		}
		if sha == "" || !isHTML(path) {
			continue
		}
		body, err := s.Read(sha)
		if err != nil {
			return err
		}
		// As it is linked: a folder by its name.
		page("https://"+s.Name+".test"+strings.TrimSuffix(path, "index.html"), body)
	}
	return nil
}

// Crawled returns the recorded crawls, including generated pages with their queries.
func Crawled(data string) (all []Source) {
	for _, name := range []string{"uci-ics", "webkb"} {
		dir := filepath.Join(data, "focus", name)
		if _, err := os.Stat(filepath.Join(dir, "pages.tar.zst")); err != nil {
			fmt.Fprintln(os.Stderr, "no recorded crawl:", err)
			continue
		}
		all = append(all, Source{"focus/" + name, false, func(page func(string, []byte)) error { return eachCrawled(dir, page) }})
	}
	return all
}

func eachCrawled(dir string, page func(string, []byte)) error {
	urls := map[string]string{} // by file
	err := unzstd(filepath.Join(dir, "pages.jsonl.zst"), func(r io.Reader) error {
		for d := json.NewDecoder(r); ; {
			var line struct{ URL, File string }
			if err := d.Decode(&line); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			urls[line.File] = line.URL
		}
	})
	if err != nil {
		return err
	}
	return unzstd(filepath.Join(dir, "pages.tar.zst"), func(r io.Reader) error {
		for t := tar.NewReader(r); ; {
			h, err := t.Next()
			if errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			u, is := urls[strings.TrimPrefix(h.Name, "./")]
			if !is {
				continue
			}
			body, err := io.ReadAll(t)
			if err != nil {
				return err
			}
			page(u, body)
		}
	})
}

func unzstd(path string, read func(r io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(1<<28))
	if err != nil {
		return err
	}
	defer z.Close()
	return read(z)
}

// Unpack sees to it that a package's files are in a folder of its name.
func Unpack(ctx context.Context, dir, name string, fetch bool) error {
	to := filepath.Join(dir, name)
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	if !fetch {
		return fmt.Errorf("not in %s", dir)
	}
	part, err := os.MkdirTemp("", "plat-package-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	fmt.Fprintln(os.Stderr, "fetching", name)
	get := exec.CommandContext(ctx, "apt-get", "download", "-q", name)
	get.Dir = part
	if out, err := get.CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get download: %w: %s", err, bytes.TrimSpace(out))
	}
	deb, err := filepath.Glob(filepath.Join(part, "*.deb"))
	if err != nil || len(deb) != 1 {
		return fmt.Errorf("apt-get left %d files", len(deb))
	}
	half := to + ".part"
	if err := os.MkdirAll(half, 0o755); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "dpkg", "-x", deb[0], half).CombinedOutput(); err != nil {
		return fmt.Errorf("dpkg -x: %w: %s", err, bytes.TrimSpace(out))
	}
	return os.Rename(half, to)
}

// Packaged is the site of a package: its root is the folder that holds all pages.
func Packaged(dir, name string) Source {
	return Source{name, true, func(page func(string, []byte)) error {
		var files []string
		err := filepath.WalkDir(filepath.Join(dir, name), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && isHTML(path) {
				files = append(files, path)
			}
			return err
		})
		if err != nil || len(files) == 0 {
			return err
		}
		root := filepath.Dir(files[0])
		for _, f := range files {
			for !strings.HasPrefix(f, root+"/") {
				root = filepath.Dir(root)
			}
		}
		for _, f := range files {
			body, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			u := url.URL{Scheme: "http", Host: "pkg.test", Path: strings.TrimPrefix(f, root)}
			page(u.String(), body)
		}
		return nil
	}}
}

func isHTML(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for _, end := range []string{".html", ".htm", ".xhtml"} {
		if strings.HasSuffix(name, end) || strings.Contains(name, end+".") && !strings.HasSuffix(name, ".gz") {
			return true
		}
	}
	return false
}

// ReadPage returns a hash of a page's visible text, 0 without text, and its links
// to its own host that have a query, in canonical form.
func ReadPage(address string, body []byte) (text uint64, links []string) {
	base := weburl.NewBase(address)
	hash := fnv.New64a()
	words, within := 0, 0 // elements that show nothing
	hides := []atom.Atom{atom.Script, atom.Style, atom.Template, atom.Title}
	for z := html.NewTokenizer(bytes.NewReader(body)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if words == 0 {
				return 0, links
			}
			return hash.Sum64(), links
		case html.TextToken:
			if within == 0 {
				for _, w := range bytes.Fields(z.Text()) {
					words++
					hash.Write(w)
					hash.Write([]byte{' '})
				}
			}
		case html.StartTagToken:
			t := z.Token()
			if slices.Contains(hides, t.DataAtom) {
				within++
			}
			for _, a := range t.Attr {
				if (a.Key == "href" && (t.DataAtom == atom.A || t.DataAtom == atom.Area)) || a.Key == "src" && (t.DataAtom == atom.Frame || t.DataAtom == atom.Iframe) {
					if u, is := SameSite(base, a.Val); is {
						links = append(links, u)
					}
				}
			}
		case html.SelfClosingTagToken: // <a/> opens too, but shows nothing
		case html.EndTagToken:
			if n, _ := z.TagName(); within > 0 && slices.Contains(hides, atom.Lookup(n)) {
				within--
			}
		}
	}
}

// SameSite returns the canonical form of a link with a query to the page's own host.
func SameSite(page *weburl.Base, href string) (string, bool) {
	to := page.Resolve(href)
	if !strings.Contains(weburl.WithoutFragment(to), "?") || weburl.Host(to) != weburl.Host(page.String()) {
		return "", false
	}
	u, err := plat.Canonical(to, plat.TrackingParams)
	return u, err == nil && strings.Contains(u, "?")
}
