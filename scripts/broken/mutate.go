package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
)

// mutants is a server whose answers are those of common servers, with one to three random mutations of their heads,
// lengths and encodings each. The same page has the same answer each time.
type mutants struct{ seed int }

// serve listens until the listener is closed.
func (m mutants) serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			in := bufio.NewReader(c)
			for {
				first, err := in.ReadString('\n')
				if err != nil {
					return
				}
				for line := ""; strings.TrimSpace(line) != "" || line == ""; {
					if line, err = in.ReadString('\n'); err != nil {
						return
					}
				}
				_, rest, _ := strings.Cut(first, " /page/")
				number, _, _ := strings.Cut(rest, " ")
				n, err := strconv.Atoi(number)
				if err != nil {
					c.Write([]byte("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
					continue
				}
				answer, _ := m.answer(n)
				c.Write(answer)
				return // what follows an answer depends on where a client finds its end
			}
		}()
	}
}

// servers are heads as common servers send them, without the fields of the body.
var servers = [][]string{
	{"Server: nginx", "Date: Sun, 29 Nov 2026 10:00:00 GMT", "Content-Type: text/html; charset=utf-8", "Vary: Accept-Encoding", "X-Frame-Options: SAMEORIGIN", "Strict-Transport-Security: max-age=31536000"},
	{"Date: Sun, 29 Nov 2026 10:00:00 GMT", "Server: Apache/2.4.66 (Debian)", "Last-Modified: Sat, 28 Nov 2026 09:00:00 GMT", `ETag: "2a-62f0d7a6"`, "Accept-Ranges: bytes", "Content-Type: text/html"},
	{"Cache-Control: private", "Content-Type: text/html; charset=utf-8", "Server: Microsoft-IIS/10.0", "X-AspNet-Version: 4.0.30319", "Set-Cookie: session=abc; path=/; HttpOnly", "X-Powered-By: ASP.NET"},
	{"Date: Sun, 29 Nov 2026 10:00:00 GMT", "Content-Type: text/html;charset=UTF-8", "Age: 120", "Via: 1.1 varnish", "X-Cache: HIT", "X-Served-By: cache-1", "Alt-Svc: clear"},
	{"Content-type: text/html", "Server: thttpd/2.29", "Connection: close"},
}

// draft is an answer before it is written.
type draft struct {
	before, version, status, reason, eol string
	fields                               []string
	body                                 []byte
	chunked, noLength                    bool
	after                                string
	did                                  []string
}

// answer returns the answer to a page, and what was changed.
func (m mutants) answer(n int) (answer []byte, did []string) {
	r := rand.New(rand.NewPCG(uint64(m.seed), uint64(n)))
	d := &draft{version: "HTTP/1.1", status: "200", reason: "OK", eol: "\r\n", fields: append([]string(nil), servers[r.IntN(len(servers))]...)}
	d.body = fmt.Appendf(nil, "<!doctype html><title>%d</title><p>BEGIN-%d</p><p>%s</p><p>END-%d</p>", n, n, strings.Repeat("The boat leaves at eight. ", r.IntN(60)), n)
	d.chunked = r.IntN(3) == 0
	for range 1 + r.IntN(3) {
		name := order[r.IntN(len(order))]
		mutations[name](d, r)
		d.did = append(d.did, name)
	}
	return d.bytes(), d.did
}

func (d *draft) bytes() []byte {
	var b bytes.Buffer
	b.WriteString(d.before + d.version + " " + d.status)
	if d.reason != "" {
		b.WriteString(" " + d.reason)
	}
	b.WriteString(d.eol)
	for _, f := range d.fields {
		b.WriteString(f + d.eol)
	}
	switch {
	case d.chunked:
		b.WriteString("Transfer-Encoding: chunked" + d.eol)
	case !d.noLength:
		fmt.Fprintf(&b, "Content-Length: %d%s", len(d.body), d.eol)
	}
	b.WriteString(d.eol)
	if d.chunked {
		half := len(d.body) / 2
		fmt.Fprintf(&b, "%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", half, d.body[:half], len(d.body)-half, d.body[half:])
	} else {
		b.Write(d.body)
	}
	b.WriteString(d.after)
	return b.Bytes()
}

// pick returns one of several texts.
func pick(r *rand.Rand, all ...string) string { return all[r.IntN(len(all))] }

// order lists the mutations, so that a seed means the same answers in each run.
var order = []string{"version", "status", "reason", "line ends", "before", "field again", "field damaged", "field added", "length", "length beside chunks", "codings", "encoding", "type", "after", "gzip", "no length", "folded", "interim"}

var mutations = map[string]func(d *draft, r *rand.Rand){
	"version": func(d *draft, r *rand.Rand) {
		d.version = pick(r, "HTTP/1.0", "HTTP/2", "HTTP/2.0", "HTTP", "http/1.1", "HTTP/0.9", "HTTP/1.1.1", "ICY", "HTTP/11", "HTTP/1", "HTTPS/1.1")
	},
	"status": func(d *draft, r *rand.Rand) {
		d.status = pick(r, "0200", " 200", "20", "2000", "", "200OK", "299", "600", "-1", "204", "404", "500", "+200")
	},
	"reason": func(d *draft, r *rand.Rand) {
		d.reason = pick(r, "", "Gr\xf6\xdfe", "\u6e2f", strings.Repeat("long ", 2000), "tab\tin it", " two  blanks ", "NUL\x00")
	},
	"line ends": func(d *draft, r *rand.Rand) { d.eol = pick(r, "\n", "\r\n", "\r\r\n") },
	"before":    func(d *draft, r *rand.Rand) { d.before = pick(r, "\r\n", "\n", " ", "ab", "\r\n\r\n", "x") },
	"field again": func(d *draft, r *rand.Rand) {
		d.fields = append(d.fields, d.fields[r.IntN(len(d.fields))])
	},
	"field damaged": func(d *draft, r *rand.Rand) {
		i := r.IntN(len(d.fields))
		name, value, _ := strings.Cut(d.fields[i], ":")
		d.fields[i] = pick(r, name+value, name+" :"+value, " "+name+":"+value, name+"\x00:"+value, ":"+value, name+":"+value+"\x00x", name+":", name, name+":\xff\xfe"+value, "("+name+"):"+value, name+"\t:"+value)
	},
	"field added": func(d *draft, r *rand.Rand) {
		d.fields = append(d.fields, pick(r, "X-Long: "+strings.Repeat("a", 20_000), "X Y: z", "X-\u6e2f: a", "=: a", "X-A:\t\tb\t", "Trailer: X-B", "Content-Range: bytes 0-1/2", "Content-Disposition: inline", "Location: /elsewhere", "Connection: upgrade", "Upgrade: h2c", "Keep-Alive: timeout=-1"))
	},
	"length": func(d *draft, r *rand.Rand) {
		n := len(d.body)
		d.noLength = true
		d.fields = append(d.fields, pick(r, fmt.Sprintf("Content-Length: %d, %d", n, n), fmt.Sprintf("Content-Length: +%d", n), fmt.Sprintf("Content-Length: 00%d", n), fmt.Sprintf("Content-Length: %d ", n), fmt.Sprintf("Content-Length: %d\r\nContent-Length: %d", n, n),
			fmt.Sprintf("Content-Length: %d\r\nContent-Length: %d", n, n-3), fmt.Sprintf("Content-Length: %d", n+5), fmt.Sprintf("Content-Length: %d", n-20), "Content-Length: abc", "Content-Length: -1", "Content-Length:", fmt.Sprintf("Content-Length: 0x%x", n), "Content-Length: 99999999999999999999"))
	},
	"length beside chunks": func(d *draft, r *rand.Rand) {
		d.chunked = true
		d.fields = append(d.fields, pick(r, fmt.Sprintf("Content-Length: %d", len(d.body)), "Content-Length: 3", "Content-Length: x"))
	},
	"codings": func(d *draft, r *rand.Rand) {
		d.fields = append(d.fields, "Transfer-Encoding: "+pick(r, "identity", "chunked", "Chunked", "chunked, chunked", "gzip, chunked", "xchunked", "", "chunked;q=1", "\"chunked\"", "chunked ,"))
	},
	"encoding": func(d *draft, r *rand.Rand) {
		d.fields = append(d.fields, "Content-Encoding: "+pick(r, "gzip", "identity", "none", "utf-8", "deflate", "br", "x-gzip", "zstd", "gzip, gzip", "", "GZIP"))
	},
	"type": func(d *draft, r *rand.Rand) {
		d.fields = append(d.fields, "Content-Type: "+pick(r, "", "text/html;", "text/html; charset=", "text/html, text/html", "TEXT/HTML", "text", "*/*", "text/html; charset=utf-8; charset=latin1", "text/plain", "application/x-unknown"))
	},
	"after": func(d *draft, r *rand.Rand) {
		d.after = pick(r, "trailing", "\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nsecond")
	},
	"gzip": func(d *draft, r *rand.Rand) {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write(d.body)
		w.Close()
		d.body = z.Bytes()
		switch r.IntN(4) {
		case 0:
			d.body = append(d.body, "junk"...)
		case 1:
			d.body = d.body[:len(d.body)-4]
		}
		d.fields = append(d.fields, "Content-Encoding: "+pick(r, "gzip", "x-gzip", "GZip", "gzip, identity", "deflate"))
	},
	"no length": func(d *draft, r *rand.Rand) { d.noLength, d.chunked = true, false },
	"folded":    func(d *draft, r *rand.Rand) { d.fields = append(d.fields, "X-Folded: a\r\n b", "X-Folded: a\r\n\tb") },
	"interim": func(d *draft, r *rand.Rand) {
		d.before = pick(r, "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n")
	},
}

// readMutant makes an outcome of the text of page n: its words, if it is whole.
func readMutant(text string, n int) outcome {
	text = strings.Join(strings.Fields(text), " ")
	from, end := strings.Index(text, fmt.Sprint("BEGIN-", n)), strings.Index(text, fmt.Sprint("END-", n))
	if from < 0 || end < from {
		return outcome{kind: notWhole}
	}
	return outcome{kind: "page", words: text}
}
