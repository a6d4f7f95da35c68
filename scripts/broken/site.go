package main

import (
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"strings"
	"time"
)

// A way in which an answer breaks.
type way int

const (
	whole way = iota
	beforeHead
	inHead
	inBody
	reset
	late // nothing for a while, then the end
	ways
)

func (w way) String() string {
	return [...]string{"whole", "before the head", "in the head", "in the body", "reset", "late"}[w]
}

// lateness is the silence of a late answer before its connection closes.
const lateness = 1500 * time.Millisecond

// A site has pages that each need seven more files of it, and breaks one answer of three. The
// failures depend on the path and the seed alone, so that every browser meets the same.
type site struct{ seed int }

// breaks returns the way in which the answer for a path ends.
func (s site) breaks(path string) way {
	h := fnv.New64a()
	fmt.Fprint(h, s.seed, " ", path)
	n := h.Sum64() >> 8
	if n%3 != 0 {
		return whole
	}
	return way(n/3%uint64(ways-1)) + 1
}

// Words of a page that show which parts of it have arrived; the number of the page follows.
var words = []string{"BEGIN", "SCRIPT", "FETCHED", "REJECTED", "FRAMED", "IMAGE", "NOIMAGE", "END"}

func (s site) file(path string) (kind, body string) {
	name, n, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch name {
	case "page":
		return "text/html", strings.ReplaceAll(`<!doctype html><title>Page NUM</title><p id=p></p><script>function say(x) { p.append(' ' + x + ' ') }</script><link rel=stylesheet href=/sheet/NUM><p>BEGIN-NUM</p>
<img src=/image/NUM onload="say('IMAGE-NUM')" onerror="say('NOIMAGE-NUM')"><img src=/picture/NUM><iframe src=/frame/NUM></iframe>
<script>fetch('/data/NUM').then((r) => r.text()).then((t) => say(t), () => say('REJECTED-NUM'))</script>
<script async src=/script/NUM></script><a href=/page/NEXT>Next</a>`+strings.Repeat("<p>More of the page, so that it has a middle.</p>\n", 40)+"<p>END-NUM</p>", "NUM", n)
	case "sheet":
		return "text/css", "p { color: #123 }"
	case "script":
		return "text/javascript", "say('SCRIPT-" + n + "')"
	case "frame":
		return "text/html", "<p>FRAMED-" + n + "</p>"
	case "data":
		return "text/plain", "FETCHED-" + n
	case "image", "picture":
		return "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20"/></svg>`
	}
	return "", ""
}

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind, body := s.file(r.URL.Path)
	if kind == "" {
		http.NotFound(w, r)
		return
	}
	how := s.breaks(r.URL.Path)
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", fmt.Sprint(len(body)))
	switch how {
	case whole:
		fmt.Fprint(w, body)
		return
	case late:
		select {
		case <-time.After(lateness):
		case <-r.Context().Done():
		}
	case inBody:
		fmt.Fprint(w, body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
	}
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2: its stream ends
	}
	defer c.Close()
	switch how {
	case inHead:
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Le", kind)
	case reset:
		if t, ok := c.(*net.TCPConn); ok {
			_ = t.SetLinger(0)
		}
	}
}
