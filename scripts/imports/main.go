// Imports imports a generated WARC file by plat import, in a process of its own, and measures time and memory.
//
//	scripts/bench imports [-records 20000]
//
// A tenth of the records are captures of pages: each URL of 20 hosts twice, with a paragraph that differs. The others are
// their style sheets, scripts and images. It exits with 1 unless every URL has two versions, and if a second import stores
// anything.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"plat/scripts/procs"
)

var (
	records = flag.Int("records", 20_000, "how `many`")
	bin     = flag.String("plat", "bin/plat", "the command")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("imports: ")
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

// A tape writes records.
type tape struct {
	file *os.File
	n    int
}

func (t *tape) response(url string, at time.Time, kind, body string) error {
	block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", kind, len(body), body)
	t.n++
	z := gzip.NewWriter(t.file)
	_, err := fmt.Fprintf(z, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		url, at.Format(time.RFC3339), t.n, len(block), block)
	if err != nil {
		return err
	}
	return z.Close()
}

// page writes a capture of page n, round 0 or 1, with nine files.
func (t *tape) page(n, round int) error {
	at := time.Date(2024, 1, 1+round, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Second)
	host := fmt.Sprintf("https://host%d.test", n%20)
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><title>Page %d</title><link rel=stylesheet href=/%d.css><script src=/%d.js defer></script><h1>Number %d</h1><p id=s></p>", n, n, n, n)
	for p := range 6 {
		fmt.Fprintf(&b, "<p>Paragraph %d of page %d has some words about the number %d and its square %d.</p>", p, n, n*p, n*n)
	}
	fmt.Fprintf(&b, "<p>This was written on day %d.</p>", round)
	for i := range 7 {
		fmt.Fprintf(&b, "<img src=/%d-%d.svg alt='figure %d'>", n, i, i)
	}
	err := t.response(fmt.Sprintf("%s/p/%d", host, n), at, "text/html; charset=utf-8", b.String())
	for _, f := range []struct{ name, kind, body string }{
		{fmt.Sprintf("%d.css", n), "text/css", fmt.Sprintf("p { margin: %dpx }", n%9)},
		{fmt.Sprintf("%d.js", n), "text/javascript", fmt.Sprintf("document.getElementById('s').textContent = 'A script has written number %d.'", n)},
	} {
		if err == nil {
			err = t.response(host+"/"+f.name, at, f.kind, f.body)
		}
	}
	for i := range 7 {
		if err == nil {
			err = t.response(fmt.Sprintf("%s/%d-%d.svg", host, n, i), at, "image/svg+xml", fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="%d" fill="navy"/></svg>`, 1+(n+i)%19))
		}
	}
	return err
}

// end is the last line of plat import --json.
type end struct {
	Import struct {
		Records, Captures, URLs, New, Changed, Unchanged, Failed, There int
		MS                                                              int64
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "plat-imports")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "a.warc.gz")
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	t := &tape{file: f}
	pages := *records / 20
	for round := range 2 {
		for n := range pages {
			if err := t.page(n, round); err != nil {
				return err
			}
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	st, err := os.Stat(name)
	if err != nil {
		return err
	}
	fmt.Printf("%d records, %s\n", t.n, humanize.Bytes(uint64(st.Size())))
	for _, what := range []string{"first", "again"} {
		e, memory, took, err := once("import", name, "--json", "--log-level", "error", "--store", "sqlite:"+filepath.Join(dir, "plat.db"))
		if err != nil {
			return err
		}
		i := e.Import
		fmt.Printf("%s: %d captures in %.1f s, %.1f a second, %.0f records a second; memory of plat, peak: %s\n",
			what, i.Captures, took.Seconds(), float64(i.Captures)/took.Seconds(), float64(i.Records)/took.Seconds(), humanize.Bytes(uint64(memory)))
		if first := what == "first"; i.Captures != 2*pages || first && (i.New != pages || i.Changed != pages) || !first && i.There != 2*pages {
			return fmt.Errorf("import: %+v", i)
		}
	}
	return nil
}

// once runs plat to its end.
func once(args ...string) (e end, memory int64, took time.Duration, err error) {
	cmd := exec.Command(*bin, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return e, 0, 0, err
	}
	done, measured := make(chan struct{}), make(chan struct{})
	go func() { memory = procs.Memory(cmd.Process.Pid, done); close(measured) }()
	err = cmd.Wait()
	took = time.Since(began)
	close(done)
	<-measured
	if err != nil {
		return e, memory, took, fmt.Errorf("%w: %s", err, &errs)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return e, memory, took, json.Unmarshal([]byte(lines[len(lines)-1]), &e)
}
