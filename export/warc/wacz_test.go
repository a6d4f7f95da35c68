package warc

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// packedUp is a WACZ with pages of one kind, in WARC files of about size bytes.
func packedUp(t *testing.T, pages int, size int64) *zip.Reader {
	t.Helper()
	p := &WACZ{About: info, Title: "t", Software: "test", Now: taken, FileSize: size}
	defer p.Close()
	var out bytes.Buffer
	p.Begin(&out)
	for i := range pages {
		r := resource(fmt.Sprintf("https://a.test/%d", i), fmt.Sprintf("page %d", i))
		if err := p.Write(r); err != nil {
			t.Fatal(err)
		}
		if err := p.Page(Page{URL: r.URI, Time: r.Date, Title: "<a>"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Extra("urls.jsonl", map[string]int{"pages": pages}); err != nil {
		t.Fatal(err)
	}
	if err := p.Finish(); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func content(t *testing.T, z *zip.Reader, name string) []byte {
	t.Helper()
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAWACZListsAllItsFiles(t *testing.T) {
	z := packedUp(t, 50, 4000)
	var d struct {
		Profile     string
		WaczVersion string `json:"wacz_version"`
		Resources   []packed
	}
	listed := content(t, z, "datapackage.json")
	if err := json.Unmarshal(listed, &d); err != nil {
		t.Fatal(err)
	}
	if d.Profile != "data-package" || d.WaczVersion != "1.1.1" {
		t.Errorf("the package is %+v", d)
	}
	files := map[string]bool{"datapackage.json": true, "datapackage-digest.json": true}
	for _, r := range d.Resources {
		files[r.Path] = true
		if b := content(t, z, r.Path); int64(len(b)) != r.Bytes || Digest(b) != r.Hash || !strings.HasSuffix(r.Path, r.Name) {
			t.Errorf("%+v has %d bytes with the hash %s", r, len(b), Digest(b))
		}
	}
	var digest map[string]string
	if err := json.Unmarshal(content(t, z, "datapackage-digest.json"), &digest); err != nil || digest["hash"] != Digest(listed) || digest["path"] != "datapackage.json" {
		t.Errorf("the digest is %v, %v", digest, err)
	}
	warcs := 0
	for _, f := range z.File {
		if !files[f.Name] {
			t.Errorf("%s is not listed", f.Name)
		}
		if strings.HasSuffix(f.Name, ".gz") != (f.Method == zip.Store) {
			t.Errorf("%s is packed by method %d", f.Name, f.Method)
		}
		if strings.HasPrefix(f.Name, "archive/") {
			warcs++
		}
	}
	if warcs < 3 || len(z.File) != len(files) {
		t.Errorf("%d WARC files, %d files of which %d are known", warcs, len(z.File), len(files))
	}
	pages := strings.Split(strings.TrimSpace(string(content(t, z, "pages/pages.jsonl"))), "\n")
	if !strings.Contains(pages[0], `"format":"json-pages-1.0"`) || len(pages) != 51 || !strings.Contains(pages[1], `"ts":"2026-03-01T09:00:00.005Z","title":"<a>"`) {
		t.Errorf("%d pages, the first are %q", len(pages)-1, pages[:2])
	}
}

func TestTheIndexLeadsToEveryRecord(t *testing.T) {
	z := packedUp(t, 50, 4000)
	gz, err := gzip.NewReader(bytes.NewReader(content(t, z, "indexes/index.cdx.gz")))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for in := bufio.NewScanner(gz); in.Scan(); n++ {
		_, fields, _ := strings.Cut(in.Text(), " {")
		var at struct {
			URL, Digest, RecordDigest, Filename string
			Offset, Length                      int64
		}
		if err := json.Unmarshal([]byte("{"+fields), &at); err != nil {
			t.Fatal(err)
		}
		head, block := read(t, content(t, z, "archive/"+at.Filename), Entry{at.Offset, at.Length, at.RecordDigest})
		if head.Get("WARC-Target-URI") != at.URL || Digest([]byte(block)) != at.Digest || "https://a.test/"+strings.TrimPrefix(block, "page ") != at.URL {
			t.Errorf("%q leads to %q of %s", in.Text(), block, head.Get("WARC-Target-URI"))
		}
	}
	if n != 50 {
		t.Errorf("%d lines, want 50", n)
	}
}
