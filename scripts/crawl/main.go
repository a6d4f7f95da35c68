// Crawl crawls a generated site by plat crawl, in a process of its own, and measures time, memory and
// repeated visits.
//
//	scripts/bench crawl [-pages 500] [-files 0] [-delay 0s] [-kill 0s] [-o site.wacz] [-import] [FLAGS of plat crawl]
//
// With -files some pages link to a file each: PDF, CSV, text, ZIP, pictures and sound in turns. With -import the export is
// imported into an empty archive, which must have the same versions, blocks, texts and files.
//
// Every page links to its neighbours, its section and some other pages, has a style sheet and an image in
// common with all, and four paragraphs of its own. With -kill the process is killed after that time, again
// and again, and the command repeated. It exits with 1 if a page is missing in the archive, or if more than
// one visit a kill was repeated.
package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"plat/browser/fileview/pdf/pdftest"
	"plat/scripts/procs"
)

var (
	pages = flag.Int("pages", 500, "how `many`")
	delay = flag.Duration("delay", 0, "of plat crawl: between two visits of the host")
	kill  = flag.Duration("kill", 0, "kill plat after this `TIME`, and repeat the command; 0: never")
	files = flag.Int("files", 0, "how `many` files are linked to, half of them PDF")
	file  = flag.String("o", "site.wacz", "name of the export; empty: none")
	again = flag.Bool("import", false, "import the export into an empty archive, and compare")
	bin   = flag.String("plat", "bin/plat", "the command")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("crawl: ")
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

// site is a site of numbered pages that counts requests for them.
type site struct {
	mu    sync.Mutex
	asked map[string]int // guarded by mu
}

// section is the number of pages of a section.
const section = 20

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/style.css":
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, "body { font: 16px sans-serif; margin: 0 } nav, footer { background: #eee; padding: 8px } main { padding: 16px; width: 800px }")
		return
	case "/mark.svg":
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="18" fill="navy"/></svg>`)
		return
	case "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
		return
	}
	n := 0
	if _, err := fmt.Sscanf(r.URL.Path, "/f/%d", &n); err == nil && n >= 0 && n < *files {
		s.count(r.URL.Path)
		kind, data := document(n)
		w.Header().Set("Content-Type", kind)
		w.Write(data)
		return
	}
	if _, err := fmt.Sscanf(r.URL.Path, "/p/%d", &n); err != nil && r.URL.Path != "/" || n < 0 || n >= *pages {
		http.NotFound(w, r)
		return
	}
	s.count(r.URL.Path)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(page(n))
}

func (s *site) count(path string) {
	s.mu.Lock()
	s.asked[path]++
	s.mu.Unlock()
}

// names are the names of files, in turns; their ends say what document returns.
var names = []string{"report.pdf", "table.csv", "paper.pdf", "notes.txt", "minutes.pdf", "data.zip", "plan.pdf", "photo.png", "guide.pdf", "tone.wav"}

// document returns the type and the content of file n.
func document(n int) (kind string, data []byte) {
	text := fmt.Sprintf("File %d of the %s\n%s %s %s", n, words[n%20], words[n*3%20], words[n*7%20], words[n*11%20])
	var b bytes.Buffer
	switch filepath.Ext(names[n%len(names)]) {
	case ".pdf":
		return "application/pdf", pdftest.Document(fmt.Sprintf("Report %d", n), text, "Second page of file "+fmt.Sprint(n))
	case ".csv":
		return "text/csv", fmt.Appendf(nil, "word,number\n%s,%d\n%s,%d\n", words[n%20], n, words[n*3%20], n*n)
	case ".zip":
		z := zip.NewWriter(&b)
		w, _ := z.Create("a.txt") // a buffer has room
		io.WriteString(w, text)
		z.Close()
		return "application/zip", b.Bytes()
	case ".png":
		m := image.NewGray(image.Rect(0, 0, 40, 30))
		for i := range m.Pix {
			m.Pix[i] = byte(i * (n + 1))
		}
		png.Encode(&b, m)
		return "image/png", b.Bytes()
	case ".wav": // a second of 8-bit samples, 320 Hz
		wav := append([]byte("RIFF\x64\x01\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x01\x00\x00\x40\x01\x00\x00\x01\x00\x08\x00data\x40\x01\x00\x00"), make([]byte, 320)...)
		wav[60] = byte(n)
		return "audio/wav", wav
	}
	return "text/plain; charset=utf-8", []byte(text)
}

var words = strings.Fields("harbour ferry tide lantern quay market gull rope anchor keel storm chart pilot buoy lock barge crane signal fog light")

func page(n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>Page %d</title><link rel=stylesheet href=/style.css><nav><img src=/mark.svg alt=mark> <a href=/>Home</a>", n)
	for i := 0; i < *pages; i += section {
		fmt.Fprintf(&b, " <a href=/p/%d>Section %d</a>", i, i/section)
	}
	fmt.Fprintf(&b, "</nav><main><h1>%s and %s, number %d</h1>", words[n%20], words[n/20%20], n)
	for p := range 4 {
		b.WriteString("<p>")
		for i := range 40 {
			fmt.Fprintf(&b, "%s ", words[(n*7+p*11+i*i*(n%13+1))%20])
		}
		fmt.Fprintf(&b, "and that was paragraph %d of page %d.</p>", p, n)
	}
	for _, to := range []int{n + 1, n - 1, n * 2, n * 3, n + section} {
		if to > 0 && to < *pages {
			fmt.Fprintf(&b, "<p><a href=/p/%d>to page %d</a></p>", to, to)
		}
	}
	if each := max(1, *pages/max(1, *files)); n%each == 0 && n/each < *files {
		fmt.Fprintf(&b, "<p><a href=/f/%d/%s>a file</a></p>", n/each, names[n/each%len(names)])
	}
	b.WriteString("</main><footer>The end</footer></html>")
	return b.Bytes()
}

// summary is the last line of plat crawl --json.
type summary struct {
	Crawl struct {
		Pages    int            `json:"pages"`
		Earlier  int            `json:"earlier"`
		Failed   int            `json:"failed"`
		Outcomes map[string]int `json:"outcomes"`
		Page     int64          `json:"page_bytes"`
		Stored   int64          `json:"stored_bytes"`
		MS       int64          `json:"ms"`
	} `json:"crawl"`
}

func run() error {
	dir, err := os.MkdirTemp("", "plat-crawl")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &site{asked: map[string]int{}}
	srv := httptest.NewServer(s)
	defer srv.Close()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(srv.URL, "http://"))
	args := []string{"crawl", srv.URL + "/p/0", "--json", "--delay", delay.String(), "--allow-private", "127.0.0.0/8", "--allow-port", port, "--no-dns", "--log-level", "error",
		"--store", "sqlite:" + filepath.Join(dir, "plat.db")}
	export := filepath.Join(dir, filepath.Base(*file))
	if *file != "" {
		args = append(args, "-o", export)
	}
	var sum summary
	var memory, all int64
	began, kills := time.Now(), 0
	for killed := true; killed; {
		var r *runOf
		if r, err = once(append(args, flag.Args()...)); err != nil {
			return err
		}
		memory, all, killed, sum = max(memory, r.memory), max(all, r.all), r.killed, r.summary
		if killed {
			kills++
		}
	}
	spent := time.Since(began)
	missing, repeated := 0, 0
	for n := range *pages {
		switch asked := s.asked[fmt.Sprintf("/p/%d", n)]; {
		case asked == 0:
			missing++
		default:
			repeated += asked - 1
		}
	}
	c := sum.Crawl
	fmt.Printf("%d pages in %.1f s, %.1f pages/s; %d kills; %d repeated visits, %d missing, %d failed\n", c.Pages, spent.Seconds(), float64(c.Pages)/spent.Seconds(), kills, repeated, missing, c.Failed)
	fmt.Printf("memory, peak: plat %s, with Chrome %s\n", humanize.Bytes(uint64(memory)), humanize.Bytes(uint64(all)))
	for _, f := range []string{filepath.Join(dir, "plat.db"), export} {
		if st, err := os.Stat(f); err == nil && !st.IsDir() {
			fmt.Printf("%s %s\n", filepath.Base(f), humanize.Bytes(uint64(st.Size())))
		}
	}
	if *again {
		if err := imported(dir, export); err != nil {
			return err
		}
	}
	// After a kill some pages are unchanged: they were stored, and not yet off the list.
	if found := c.Outcomes["new"] + c.Outcomes["unchanged"]; missing > 0 || c.Failed > 0 || found != *pages+*files || repeated > kills {
		return fmt.Errorf("outcomes %v", c.Outcomes)
	}
	return nil
}

// imported imports the export into an empty archive and compares both archives.
func imported(dir, export string) error {
	was, is := "--store=sqlite:"+filepath.Join(dir, "plat.db"), "--store=sqlite:"+filepath.Join(dir, "imported.db")
	began := time.Now()
	if _, err := output("import", export, is, "-q"); err != nil {
		return err
	}
	took := time.Since(began)
	if _, err := output("verify", is); err != nil {
		return err
	}
	lines := 0
	for _, args := range [][]string{{"export", "--format=jsonl"}, {"blocks", "--json", "--limit=0"}} {
		a, err := output(append(args, was)...)
		if err != nil {
			return err
		}
		b, err := output(append(args, is)...)
		if err != nil {
			return err
		}
		if !bytes.Equal(a, b) {
			return fmt.Errorf("plat %s differs in the imported archive", args[0])
		}
		lines += bytes.Count(a, []byte("\n"))
	}
	fmt.Printf("imported in %.1f s; versions, blocks, texts and files are the same, %d lines\n", took.Seconds(), lines)
	return nil
}

// output runs plat and returns its output.
func output(args ...string) ([]byte, error) {
	cmd := exec.Command(*bin, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("plat %s: %w: %s", strings.Join(args, " "), err, &errs)
	}
	return out, nil
}

// runOf is one process.
type runOf struct {
	summary
	killed      bool
	memory, all int64 // peak bytes of the process, and of it with its browser
}

func once(args []string) (*runOf, error) {
	cmd := exec.Command(*bin, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &runOf{}
	done := make(chan struct{})
	var measuring sync.WaitGroup
	measuring.Go(func() { r.memory = procs.Memory(cmd.Process.Pid, done) })
	measuring.Go(func() { r.all = family(cmd.Process.Pid, done) })
	if *kill > 0 {
		t := time.AfterFunc(*kill, func() { cmd.Process.Kill() })
		defer t.Stop()
	}
	err := cmd.Wait()
	close(done)
	measuring.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() < 0 {
		r.killed = true
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, &errs)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return r, json.Unmarshal([]byte(lines[len(lines)-1]), &r.summary)
}

// family returns the peak memory of a process and its descendants, in bytes: their private and shared
// pages, each counted once (PSS).
func family(pid int, done <-chan struct{}) (most int64) {
	for {
		var sum int64
		for _, p := range procs.Family(pid) {
			b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.PID))
			if _, after, ok := bytes.Cut(b, []byte("\nPss:")); ok {
				var kb int64
				fmt.Sscan(string(after), &kb)
				sum += kb << 10
			}
		}
		most = max(most, sum)
		select {
		case <-done:
			return most
		case <-time.After(500 * time.Millisecond):
		}
	}
}
