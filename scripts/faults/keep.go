package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// forget removes a page from an archive, and searches all bytes for its words.
func forget(m *machine) (string, bool, error) {
	s, change := m.versions(story+"<p>Ask for Xylophonia.", story+"<p>Ask for Ypsilantia.")
	url := s.at("shop.test", "/")
	if _, err := m.twice(url, change); err != nil {
		return "", false, err
	}
	r, err := m.run("forget", m.store(), "--yes", url)
	if err != nil || r.exit != 0 {
		return r.last(), true, err
	}
	if r, err = m.run("gc", m.store()); err != nil || r.exit != 0 {
		return r.last(), true, err
	}
	if r, err = m.run("verify", m.store()); err != nil || r.exit != 0 {
		return r.last(), true, err
	}
	n := 0
	files, _ := filepath.Glob(m.file("a.db*"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return "", false, err
		}
		n += bytes.Count(b, []byte("Xylophonia")) + bytes.Count(b, []byte("Ypsilantia"))
	}
	return fmt.Sprintf("verified; its words are found %d times in %d files", n, len(files)), n > 0, nil
}

// sizes checks the sizes of pictures and resources beside those of the blocks.
func sizes(m *machine) (string, bool, error) {
	s, _ := m.versions(story+"<img src=/plan.png width=200 height=200>", "")
	if _, err := m.archive(s.at("shop.test", "/"), "--screenshot", "--resources", "all"); err != nil {
		return "", false, err
	}
	r, err := m.run("stats", m.store(), "--json")
	pictures, resources := between(r.out, `"picture_bytes":`, ","), between(r.out, `"resource_bytes":`, "}")
	return fmt.Sprintf("stored %s, pictures %s, resources %.6s", between(r.out, `"stored_bytes":`, ","), pictures, resources), pictures == "" || pictures == "0" || resources == "", err
}

// webp has pictures kept in less space.
func webp(m *machine) (string, bool, error) {
	s := m.site(page(story))
	v, err := m.archive(s.at("shop.test", "/"), "--screenshot", "--picture-format", "webp")
	if v.result.exit == 2 {
		return v.result.last(), true, nil
	}
	return v.String(), v.Outcome != "new", err
}

// modes checks who may read the written files.
func modes(m *machine) (string, bool, error) {
	s := m.site(page(story))
	url := s.at("shop.test", "/")
	if _, err := m.archive(url); err != nil {
		return "", false, err
	}
	if r, err := m.run(append([]string{"snapshot", "save", url, "-o", m.file("page.snapshot")}, here...)...); err != nil || r.exit != 0 {
		return "", false, fmt.Errorf("snapshot save: %w %s", err, r.last())
	}
	if r, err := m.run("export", m.store(), url, "-o", m.file("page.jsonl")); err != nil || r.exit != 0 {
		return "", false, fmt.Errorf("export: %w %s", err, r.last())
	}
	var seen []string
	open := false
	for _, name := range []string{"a.db", "page.snapshot", "page.jsonl"} {
		i, err := os.Stat(m.file(name))
		if err != nil {
			return "", false, err
		}
		seen = append(seen, fmt.Sprintf("%s %04o", name, i.Mode().Perm()))
		open = open || i.Mode().Perm()&0o077 != 0
	}
	return strings.Join(seen, ", "), open, nil
}

// controls archives a page whose title would command a terminal, and prints it as JSON.
func controls(m *machine) (string, bool, error) {
	s := m.site(page("<title>Market\u009b31m \u202egnihton</title>" + story[strings.Index(story, "<h1>"):]))
	url := s.at("shop.test", "/")
	if _, err := m.archive(url); err != nil {
		return "", false, err
	}
	r, err := m.run("show", "--json", m.store(), url)
	if err == nil && !strings.Contains(r.out, "Market") {
		err = fmt.Errorf("no page: %s", r.last())
	}
	n := strings.Count(r.out, "\u009b") + strings.Count(r.out, "\u202e")
	return fmt.Sprintf("%d controls", n), n > 0, err
}
