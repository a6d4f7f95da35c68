// Hostile archives malicious pages, each followed by a harmless one, with the
// real command, and prints how each ended: outcome, exit code, time, and
// whether the next page was archived. It fails if an outcome differs from the
// expected one, if a time limit is exceeded, or if a browser or a profile is
// left behind.
//
//	scripts/bench hostile
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plat/scripts/procs"
)

var bin = flag.String("plat", "bin/plat", "the command")

// limits are flags that keep the run to minutes; within is the time limit for a
// page with them, browser start included.
var limits = []string{"--timeout", "20s", "--load-timeout", "6s", "--settle-timeout", "2s", "--max-bytes", "30000000", "--retries", "0"}

const within = 30 * time.Second

// mostMemory is the memory, in bytes, that plat's own process, without its browsers, may use for
// any page.
const mostMemory = 300 << 20

type page struct {
	name string
	url  string
	want []string // outcomes
	has  string   // a text that must be archived, if the page is
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal("hostile: ", err)
	}
}

// run is long because it is the whole run from top to bottom.
func run() error {
	site := httptest.NewServer(hostile())
	defer site.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	closed.Close()
	_, port, _ := net.SplitHostPort(site.Listener.Addr().String())
	at := func(name, path string, want ...string) page {
		return page{name: name, url: site.URL + path, want: want}
	}
	pages := []page{
		{name: "malformed URL", url: "http://a b/", want: []string{"bad-url"}},
		{name: "no scheme", url: "news.test", want: []string{"unreachable"}},
		{name: "file:", url: "file:///etc/passwd", want: []string{"bad-url"}},
		{name: "chrome:", url: "chrome://version", want: []string{"bad-url"}},
		{name: "ftp:", url: "ftp://127.0.0.1/", want: []string{"bad-url"}},
		{name: "unknown host", url: "http://nobody.invalid/", want: []string{"unreachable"}},
		{name: "refused connection", url: "http://" + closed.Addr().String() + "/", want: []string{"unreachable"}},
	}
	// This run only allows the network 127.0.0.1.
	for _, host := range []string{"10.0.0.1", "192.168.1.1", "172.20.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "127.0.0.2", "127.2", "0x7f000002", "2130706434", "017700000002",
		"[::1]", "[::ffff:127.0.0.2]", "[::ffff:10.0.0.1]", "[fe80::1]", "[fd00:ec2::254]", "[64:ff9b::a00:1]", "[2002:a00:1::]", "224.0.0.1", "255.255.255.255"} {
		pages = append(pages, page{name: "private address", url: "http://" + host + ":" + port + "/good", want: []string{"refused"}})
	}
	pages = append(pages,
		at("redirect to a private address", "/inside", "refused"),
		at("redirect to file:", "/to-file", "unreachable", "error", "refused", "bad-url"),
		at("404", "/status/404", "gone"),
		at("410", "/status/410", "gone"),
		at("500", "/status/500", "http-error"),
		at("redirect loop", "/loop", "redirect-loop"),
		at("meta refresh loop", "/refresh", "redirect-loop", "new"), // the page, where going round takes longer than settling may
		at("PDF", "/pdf", "new"),
		at("download", "/download", "new"),
		at("image", "/png", "new"),
		at("empty page", "/empty", "blank"),
		at("GBK page", "/gbk", "new"),
		at("50 MB page", "/huge", "too-large", "timeout"),
		at("300,000 nodes", "/nodes", "new", "too-large"),
		at("1,000,000 nodes", "/million", "too-large", "timeout", "new"), // new, coarsely, where Chrome is quick
		at("50 MB of text by a script", "/text", "too-large"),
		at("400 MB of text by a script", "/far-more-text", "too-large", "timeout", "crashed"),
		at("400 MB in attributes", "/attribute", "too-large", "timeout", "crashed"),
		at("1 MB in 400 attributes", "/attributes", "too-large"),
		at("33 million quotation marks", "/quotes", "too-large"),
		at("33 million ampersands, hidden", "/ampersands", "too-large"),
		at("50 MB of generated text", "/generated", "too-large", "timeout"), // Chrome lays it out
		at("28 MB of alternative texts", "/alternatives", "too-large"),
		at("32 MB to escape in six frames", "/frames", "too-large"),
		at("16 MB of other words each time", "/words", "new"),
		at("the same once more", "/words", "changed"),
		at("nesting of 10,000", "/deep", "new"),
		at("endless stream", "/endless", "too-large", "timeout"),
		at("decompression bomb, 2 GB", "/bomb", "new", "too-large", "timeout", "crashed"),
		at("never answers", "/silent", "timeout"),
		at("while(true)", "/hang", "timeout"),
		at("while(true) after load", "/hang-later", "timeout"),
		at("alert loop", "/alerts", "new"),
		at("window.close()", "/close", "new"),
		at("pop-ups", "/popups", "new"),
		// Where Chrome refuses memory before that, the script ends, and the next one runs.
		page{name: "memory hog", url: site.URL + "/memory", want: []string{"crashed", "timeout", "too-large", "new"}, has: "and after it"},
		at("never settles", "/restless", "new"),
	)

	dir, err := os.MkdirTemp("", "plat-hostile-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const row = "%-36s  %-14s  %4v  %7v  %6v  %-9s  %s\n"
	fmt.Printf(row, "page", "outcome", "exit", "seconds", "MB", "next page", "")
	var wrong []string
	var pids []int
	for i, p := range pages {
		db := "sqlite:" + filepath.Join(dir, "a.db")
		got, err := archive(p.url, fmt.Sprintf("%s/good/%d", site.URL, i), db)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		name := p.name
		if name == "private address" {
			name += " " + strings.TrimPrefix(strings.TrimSuffix(p.url, ":"+port+"/good"), "http://")
		}
		verdict := ""
		stored := got.outcome == "new" || got.outcome == "changed" || got.outcome == "blank"
		if !slices.Contains(p.want, got.outcome) || got.next != "new" || got.took > within || got.exit != 0 && got.exit != 3 || got.memory > mostMemory || stored != (got.exit == 0) {
			verdict = fmt.Sprintf("want %v: %s", p.want, got.why)
			wrong = append(wrong, name)
		}
		if verdict == "" && stored && p.has != "" {
			if text, err := exec.Command(*bin, "text", "--store", db, p.url).Output(); !strings.Contains(string(text), p.has) {
				verdict = fmt.Sprintf("%q is not archived: %q, %v", p.has, text, err)
				wrong = append(wrong, name)
			}
		}
		pids = append(pids, got.pid)
		fmt.Printf(row, name, got.outcome, got.exit, fmt.Sprintf("%.1f", got.took.Seconds()), got.memory>>20, got.next, verdict)
	}
	left, err := remains(pids)
	if err != nil {
		return err
	}
	fmt.Printf("MB: the most memory of plat's own process\n%d pages; %d browsers or profiles left behind\n", len(pages), len(left))
	if len(wrong)+len(left) > 0 {
		return fmt.Errorf("unexpected outcomes: %s; left behind: %s", strings.Join(wrong, ", "), strings.Join(left, ", "))
	}
	return nil
}

type result struct {
	outcome, next, why string
	exit, pid          int
	took               time.Duration
	memory             int64 // of the process at its largest, bytes
}

// archive runs the command on a page followed by a harmless one.
func archive(url, good, db string) (result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*within)
	defer cancel()
	args := append([]string{"archive", "--json", "--tabs", "1", "--log-level", "error", "--allow-private", "127.0.0.1/32", "--store", db, url, good}, limits...)
	cmd := exec.CommandContext(ctx, *bin, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return result{}, err
	}
	done, most := make(chan struct{}), make(chan int64)
	go func() { most <- procs.Memory(cmd.Process.Pid, done) }()
	err := cmd.Wait()
	close(done)
	memory := <-most
	if cmd.ProcessState == nil {
		return result{}, err
	}
	r := result{took: time.Since(start), exit: cmd.ProcessState.ExitCode(), pid: cmd.Process.Pid}
	r.memory = memory
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return r, err
	}
	for sc := bufio.NewScanner(&out); sc.Scan(); {
		var line struct{ URL, Outcome, Error string }
		if err := json.Unmarshal(sc.Bytes(), &line); err != nil {
			return r, fmt.Errorf("%q: %w", sc.Text(), err)
		}
		if strings.Contains(line.URL, "/good/") {
			r.next = line.Outcome
		} else {
			r.outcome, r.why = line.Outcome, line.Error
		}
	}
	if r.outcome == "" {
		r.why = errs.String()
	}
	return r, nil
}

// remains lists leftovers of the browsers that these processes started:
// profiles, and processes that use one.
func remains(pids []int) ([]string, error) {
	var left []string
	procs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil, err
	}
	for _, pid := range pids {
		profile := filepath.Join(os.TempDir(), fmt.Sprintf("plat-chrome-%d-", pid))
		found, err := filepath.Glob(profile + "*")
		if err != nil {
			return nil, err
		}
		left = append(left, found...)
		for _, p := range procs {
			if b, err := os.ReadFile(p); err == nil && bytes.Contains(b, []byte(profile)) {
				left = append(left, p)
			}
		}
	}
	return left, nil
}

func hostile() http.Handler {
	mux := http.NewServeMux()
	html := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, body)
		})
	}
	typed := func(path, kind, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, body)
		})
	}
	html("/good", "<title>good</title><p>A page like others.")
	html("/good/", "<title>good</title><p>A page like others.")
	html("/empty", "")
	html("/hang", "<p>before<script>while(true);</script>")
	html("/hang-later", "<p>before<script>onload=()=>setTimeout(()=>{while(true);},10)</script>")
	html("/alerts", "<p>before<script>for(;;)alert(1)</script>")
	html("/close", "<p>before<script>window.close()</script><p>after")
	html("/popups", "<p>before<script>for(let i=0;i<50;i++)open('/good')</script><p>after")
	html("/refresh", "<meta http-equiv=refresh content=0><p>again")
	html("/memory", "<p>before<script>const a=[];for(;;)a.push(new Uint8Array(1<<26).fill(1))</script><script>document.body.append(' and after it')</script>")
	html("/restless", "<p id=p>x<script>setInterval(()=>{p.append(document.createElement('b'));fetch('/good')},1)</script>")
	html("/deep", strings.Repeat("<div>", 10_000)+"deep")
	nodes := func(n int) string {
		return fmt.Sprintf("<body><script>const f=document.createDocumentFragment();for(let i=0;i<%d;i++){const p=document.createElement('p');p.textContent='paragraph '+i;f.append(p)}document.body.append(f)</script>", n/2)
	}
	html("/nodes", nodes(300_000))
	html("/million", nodes(1_000_000))
	html("/text", "<p>before<p id=p hidden><script>p.append('many words '.repeat(5e6))</script>")
	html("/far-more-text", "<p>before<p id=p hidden><script>p.append('many words '.repeat(4e7))</script>")
	html("/attribute", "<p id=p>before<script>p.title='many words '.repeat(4e7)</script>")
	html("/attributes", "<p id=p>before<script>const s='many words '.repeat(1e5);for(let i=0;i<400;i++){const b=document.createElement('b');b.title=s;p.append(b)}</script>")
	html("/quotes", "<p id=p>before<script>p.title='\"'.repeat(3.3e7)</script>")
	html("/ampersands", "<p>before<p id=p hidden><script>p.append('&'.repeat(3.3e7))</script>")
	html("/generated", `<style>b::before{content:var(--x)}</style><p id=p>before<script>document.documentElement.style.setProperty("--x",'"'+"many words ".repeat(1e5)+'"');for(let i=0;i<45;i++)p.append(document.createElement("b"))</script>`)
	html("/alternatives", `<p id=p>before<script>for(let i=0;i<31;i++){const m=new Image;m.src="/status/404?"+i;m.alt="alt text ".repeat(1e5);p.append(m)}</script>`)
	html("/frames", `<p>before<script>let w=window;for(let i=0;i<6;i++){const e=w.document.createElement("iframe");w.document.body.append(e);w=e.contentWindow}w.document.body.append('"&'.repeat(8e6))</script>`)
	html("/words", `<p>before<script>for(let k=0;k<150;k++){const p=document.createElement("p");let t="";for(let i=0;i<12500;i++)t+="w"+(Math.random()*1000003|0)+" ";p.append(t);document.body.append(p)}</script>`)
	typed("/pdf", "application/pdf", "%PDF-1.4\n%%EOF")
	typed("/png", "image/png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa7\x9a\x9d\x0b\x00\x00\x00\x00IEND\xaeB`\x82")
	typed("/gbk", "text/html; charset=gbk", "<title>\xd6\xd0\xce\xc4</title><p>\xd6\xd0\xce\xc4\xcd\xf8\xd2\xb3")
	mux.HandleFunc("/download", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=a.bin")
		w.Write(make([]byte, 1000))
	})
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code := 0
		fmt.Sscan(r.PathValue("code"), &code)
		http.Error(w, "no", code)
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/inside", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	})
	mux.HandleFunc("/to-file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "file:///etc/passwd")
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/silent", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	stream := func(path string, total int) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			chunk := []byte(strings.Repeat("<p>on and on", 5_000))
			for sent := 0; total == 0 || sent < total; sent += len(chunk) {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		})
	}
	stream("/huge", 50_000_000)
	stream("/endless", 0)
	mux.HandleFunc("/bomb", bomb)
	return mux
}
