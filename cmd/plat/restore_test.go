package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
)

// A restored page is UTF-8 whatever it says, and opens so.
func TestRestoredPagesOpenInTheirOwnLetters(t *testing.T) {
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
		url := fmt.Sprintf("%s/page-%s", srv.URL, name)
		must(t, "archive", db, "--allow-private=127.0.0.0/8", "--log-level=error", "--json", url)
		file := filepath.Join(dir, "page.html")
		must(t, "restore", db, "-o", file, url)
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		raw := must(t, "restore", db, "--raw", url)
		if marked := strings.HasPrefix(string(page), byteOrderMark); marked == (name == "utf-8") || strings.TrimPrefix(string(page), byteOrderMark) != raw {
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
}
