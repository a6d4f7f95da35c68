package main

import (
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html/charset"
)

// A restored page is UTF-8 whatever it says, and opens so.
func TestRestoredPagesOpenInTheirOwnLetters(t *testing.T) {
	t.Parallel()
	needChrome(t)
	words := map[string]string{"gbk": "汉语拼音", "big5": "漢語拼音", "shift_jis": "日本語の文", "euc-kr": "한국어", "windows-1251": "по-русски", "utf-8": "naïve — ünï", "": "naïve"}
	mux := http.NewServeMux()
	for name, text := range words {
		page := "<!doctype html><title>t</title>"
		if name != "" {
			page += `<meta http-equiv="Content-Type" content="text/html; charset=` + name + `">`
		}
		page += "<p>" + text + "</p>"
		mux.HandleFunc("GET /page-"+name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			if name == "" {
				w.Header().Set("Content-Type", "text/html; charset=windows-1252")
			}
			e, _ := charset.Lookup(name)
			if e == nil {
				e, _ = charset.Lookup("windows-1252")
			}
			b, err := e.NewEncoder().Bytes([]byte(page))
			if err != nil {
				panic(err)
			}
			w.Write(b)
		})
	}
	srv := httptest.NewServer(mux)
	defer srv.Close()
	dir := t.TempDir()
	db := "--store=sqlite:" + filepath.Join(dir, "a.db")
	for name, text := range words {
		at := fmt.Sprintf("%s/page-%s", srv.URL, name)
		must(t, "archive", db, "--allow-private=127.0.0.0/8", "--log-level=error", "--json", at)
		file := filepath.Join(dir, "page.html")
		must(t, "restore", db, "-o", file, at)
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		raw := must(t, "restore", db, "--raw", at)
		if marked := strings.HasPrefix(string(page), "\ufeff"); marked == (name == "utf-8") || strings.TrimPrefix(string(page), "\ufeff") != raw {
			t.Errorf("%q: with a byte order mark: %v, and beyond that %q; the exact bytes are %q", name, marked, page, raw)
		}
		// As a browser reads it, that goes by the file alone.
		r, err := charset.NewReader(strings.NewReader(string(page)), "")
		if err != nil {
			t.Fatal(err)
		}
		if read, err := io.ReadAll(r); err != nil || !strings.Contains(string(read), text) {
			t.Errorf("%q opens as %q, %v", name, read, err)
		}
	}

	// So do exports and replays, by the header that they send.
	held := func(text string) (missing []string) {
		for name, words := range words {
			if !strings.Contains(text, words) {
				missing = append(missing, name)
			}
		}
		return missing
	}
	wacz, warc := filepath.Join(dir, "a.wacz"), filepath.Join(dir, "a.warc.gz")
	must(t, "export", db, "-o", wacz)
	must(t, "export", db, "-o", warc)
	records := map[string]io.Reader{}
	file, err := os.Open(warc)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records["WARC"] = file
	archive, err := zip.OpenReader(wacz)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for _, f := range archive.File {
		if strings.HasSuffix(f.Name, ".warc.gz") {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			records["WACZ"] = r
		}
	}
	if len(records) != 2 {
		t.Fatal("there is no WARC in the WACZ file")
	}
	for name, r := range records {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(unpacked)
		if err != nil {
			t.Fatal(err)
		}
		pages := 0
		for record := range strings.SplitSeq(string(all), "WARC/1.1\r\n") {
			head, page, _ := strings.Cut(record, "\r\n\r\n")
			if !strings.Contains(head, "WARC-Target-URI: "+srv.URL+"/page-") || !strings.Contains(page, "<p>") {
				continue
			}
			pages++
			if !strings.Contains(head, "Content-Type: text/html; charset=utf-8") || strings.Contains(page, "charset=") {
				t.Errorf("%s: a page that says another encoding: %s\n%s", name, head, page)
			}
		}
		if missing := held(string(all)); len(missing) > 0 || pages < len(words) {
			t.Errorf("%s: %d pages of %d, without the words of %q", name, pages, len(words), missing)
		}
	}
	at := freeAddr(t)
	cmd, _, errs := process(t, "serve", db, "--listen", at)
	defer cmd.Process.Kill()
	replayed := ""
	for name := range words {
		var answer *http.Response
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			answer, err = http.Get("http://" + at + "/frame?version=1&url=" + url.QueryEscape(srv.URL+"/page-"+name))
			if err == nil && answer.StatusCode != http.StatusServiceUnavailable || time.Now().After(end) { // it starts
				break
			}
			if err == nil {
				answer.Body.Close()
			}
		}
		if err != nil {
			t.Fatal(err, errs)
		}
		b, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if kind := answer.Header.Get("Content-Type"); answer.StatusCode != 200 || kind != "text/html; charset=utf-8" {
			t.Errorf("%q is replayed as %d, %s: %.300s\n%s", name, answer.StatusCode, kind, b, errs)
		}
		replayed += string(b)
	}
	if missing := held(replayed); len(missing) > 0 {
		t.Errorf("replayed without the words of %q", missing)
	}
}
