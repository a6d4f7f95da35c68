package sitemap_test

import (
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"plat/browser/fetch/sitemap"
)

// endless generates its lines n times between a head and a foot without holding
// them in memory. It counts the bytes read.
type endless struct {
	head, line, foot string
	n                int

	rest string
	at   int
	read int64
}

func (e *endless) Read(p []byte) (int, error) {
	for e.rest == "" {
		switch {
		case e.at == 0:
			e.rest = e.head
		case e.at <= e.n:
			e.rest = e.line
		case e.at == e.n+1:
			e.rest = e.foot
		default:
			return 0, io.EOF
		}
		e.at++
	}
	n := 0
	for n < len(p) && e.rest != "" {
		k := copy(p[n:], e.rest)
		n += k
		e.rest = e.rest[k:]
		if e.rest == "" && e.at <= e.n {
			e.rest = e.line
			e.at++
		}
	}
	e.read += int64(n)
	return n, nil
}

// zipped is r, gzipped on the way.
func zipped(t testing.TB, r io.Reader) io.Reader {
	pr, pw := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		z, err := gzip.NewWriterLevel(pw, gzip.BestSpeed)
		if err == nil {
			_, err = io.Copy(z, r)
		}
		if err == nil {
			err = z.Close()
		}
		pw.CloseWithError(err) // io.EOF if nil; a closed pipe is the test's end
	}()
	t.Cleanup(func() {
		pr.Close()
		<-done
	})
	return pr
}

const (
	open  = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	entry = "\n<url><loc>https://www.example.com/section/story-12345.html?page=2</loc><lastmod>2026-11-20T09:30:00+00:00</lastmod><changefreq>daily</changefreq><priority>0.5</priority></url>"
	end   = "</urlset>"
)

func TestALimitEndsTheReading(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	for _, tc := range []struct {
		name string
		file *endless
		gzip bool
		lim  sitemap.Limits
		want string
		// Upper bounds on entries yielded and bytes read; entries before the
		// limit are yielded, so least is their minimum.
		least, most int
		read        int64
	}{
		{"entries, by default", &endless{head: open, line: entry, n: 1e9}, false, sitemap.Limits{}, "more than 50000 entries", 50_000, 50_000, 10 << 20},
		{"entries of a text file", &endless{line: "http://a.test/\n", n: 1e9}, false, sitemap.Limits{Entries: 10}, "more than 10 entries", 10, 10, 1 << 17},
		{"entries of an index", &endless{head: "<sitemapindex>", line: "<sitemap><loc>http://a.test/</loc></sitemap>", n: 1e9}, false, sitemap.Limits{Entries: 10}, "more than 10 entries", 10, 10, 1 << 17},
		{"bytes, by default", &endless{head: open + "<url><loc>http://a.test/</loc></url>", line: "<x/>" + strings.Repeat(" ", 1<<12), n: 1e9}, false, sitemap.Limits{}, "more than 52428800 bytes", 1, 1, 52_428_801},
		{"bytes of a text file", &endless{head: "http://a.test/\n", line: "no\n", n: 1e9}, false, sitemap.Limits{Bytes: 1 << 20}, "more than 1048576 bytes", 1, 1, 1<<20 + 1},
		{"a bomb: zeros", &endless{head: open + "<url><loc>http://a.test/</loc></url>", line: strings.Repeat("\x00", 1<<16), n: 1e6}, true, sitemap.Limits{}, "a token of more than 1048576 bytes", 1, 1, 20 << 20},
		{"a bomb: tags", &endless{head: open + "<url><loc>http://a.test/</loc></url>", line: strings.Repeat("<x></x>", 1<<13), n: 1e6}, true, sitemap.Limits{Bytes: 5 << 20}, "more than 5242880 bytes unzipped", 1, 1, 30 << 20},
		{"a bomb: blanks only", &endless{line: strings.Repeat(" ", 1<<16), n: 1e6}, true, sitemap.Limits{Bytes: 5 << 20}, "more than 5242880 bytes unzipped", 0, 0, 30 << 20},
		{"empty gzip members", &endless{line: zip(""), n: 1e9}, false, sitemap.Limits{Bytes: 1 << 20}, "more than 1048576 bytes", 0, 0, 1<<20 + 1},
		{"a text", &endless{head: open + "<url><loc>http://a.test/1</loc></url><url><loc>http://a.test/", line: long, n: 100}, false, sitemap.Limits{}, "a token of more than 1048576 bytes", 1, 1, 2 << 20},
		{"a text in pieces", &endless{head: open + "<url><loc>http://a.test/1</loc></url><url><loc>http://a.test/", line: "aaaaaaaa<!---->", n: 1e9}, false, sitemap.Limits{}, "a text of more than 1048576 bytes", 1, 1, 3 << 20},
		{"a tag", &endless{head: open + "<url><loc>http://a.test/1</loc></url><", line: long, n: 100}, false, sitemap.Limits{}, "a token of more than", 1, 1, 2 << 20},
		{"attributes", &endless{head: open + "<url><loc>http://a.test/1</loc></url><url", line: ` a=""`, n: 1e9}, false, sitemap.Limits{}, "a token of more than", 1, 1, 2 << 20},
		{"a comment", &endless{head: open + "<url><loc>http://a.test/1</loc></url><!--", line: long, n: 100}, false, sitemap.Limits{}, "a token of more than", 1, 1, 2 << 20},
		{"a document type", &endless{head: "<!DOCTYPE urlset [", line: `<!ENTITY a "&b;&b;">`, n: 1e9}, false, sitemap.Limits{}, "a token of more than", 0, 0, 2 << 20},
		{"CDATA", &endless{head: open + "<url><loc>http://a.test/1</loc></url><![CDATA[", line: long, n: 100}, false, sitemap.Limits{}, "a token of more than", 1, 1, 2 << 20},
		{"a line", &endless{head: "http://a.test/1\nhttp://a.test/", line: long, n: 100}, false, sitemap.Limits{}, "a line of more than 1048576 bytes", 1, 1, 3 << 20},
		{"nesting", &endless{head: open + "<url><loc>http://a.test/1</loc></url>", line: "<x>", n: 1e9}, false, sitemap.Limits{}, "elements nested more than 256 deep", 1, 1, 1 << 17},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r io.Reader = tc.file
			if tc.gzip {
				r = zipped(t, r)
			}
			heap := watch(t)
			res, err := sitemap.Read(r, tc.lim, func(sitemap.Kind, sitemap.Entry) error { return heap.look() })
			if !errors.Is(err, sitemap.ErrTooLarge) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want ErrTooLarge saying %q", err, tc.want)
			}
			if res.Entries < tc.least || res.Entries > tc.most {
				t.Errorf("%d entries, want %d to %d", res.Entries, tc.least, tc.most)
			}
			if !tc.gzip && tc.file.read > tc.read {
				t.Errorf("%d bytes were read, want at most %d", tc.file.read, tc.read)
			}
			heap.done(40 << 20)
		})
	}
}

func TestLimitsAreInclusive(t *testing.T) {
	const one = "<urlset><url><loc>http://a.test/</loc></url></urlset>"
	for name, lim := range map[string]sitemap.Limits{
		"default": {},
		"bytes":   {Bytes: int64(len(one))},
		"entries": {Entries: 1},
		"depth":   {Depth: 3},
		"token":   {Token: len("http://a.test/") + 1}, // the decoder reads one byte ahead
		"none":    {Bytes: math.MaxInt64, Entries: math.MaxInt, Token: math.MaxInt, Depth: math.MaxInt},
	} {
		if _, res, err := collect(one, lim); err != nil || res.Entries != 1 {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
	for name, lim := range map[string]sitemap.Limits{
		"bytes":   {Bytes: int64(len(one)) - 20},
		"depth":   {Depth: 2},
		"token":   {Token: len("http://a.test/") - 1},
		"zip":     {Bytes: int64(len(zip(one))) / 2},
		"negated": {Bytes: -1, Entries: -1, Token: -1, Depth: 2},
	} {
		file := one
		if name == "zip" {
			file = zip(one)
		}
		if _, _, err := collect(file, lim); !errors.Is(err, sitemap.ErrTooLarge) {
			t.Errorf("%s: error %v, want ErrTooLarge", name, err)
		}
	}
}

var entries = flag.Int("entries", 200_000, "how many `entries` TestMemoryDoesNotGrowWithTheFile reads")

// TestMemoryDoesNotGrowWithTheFile reads many entries, with the limits out of the
// way. For ten million:
//
//	go test ./browser/fetch/sitemap -run Memory -v -args -entries 10000000
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	lim := sitemap.Limits{Bytes: 1 << 50, Entries: 1 << 50}
	for _, form := range []string{"xml", "text", "xml in gzip"} {
		t.Run(form, func(t *testing.T) {
			file := &endless{head: open, line: entry, foot: end, n: *entries}
			if form == "text" {
				file = &endless{line: "https://www.example.com/section/story-12345.html?page=2\n", n: *entries}
			}
			var r io.Reader = file
			if form == "xml in gzip" {
				r = zipped(t, r)
			}
			heap := watch(t)
			res, err := sitemap.Read(r, lim, func(sitemap.Kind, sitemap.Entry) error { return heap.look() })
			if err != nil || res.Entries != *entries {
				t.Fatalf("%+v, %v; want %d entries", res, err, *entries)
			}
			heap.done(16 << 20)
		})
	}
}

// heap measures peak memory, garbage included, relative to the memory in use
// before.
type heap struct {
	t                  *testing.T
	before, most, seen uint64
}

func watch(t *testing.T) *heap {
	percent := debug.SetGCPercent(100) // garbage counts, so GOGC would too
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return &heap{t: t, before: m.HeapAlloc}
}

func (h *heap) look() error {
	if h.seen++; h.seen%5000 == 1 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		h.most = max(h.most, m.HeapAlloc)
	}
	return nil
}

func (h *heap) done(limit uint64) {
	h.t.Helper()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.most = max(h.most, m.HeapAlloc)
	if h.most > h.before+limit {
		h.t.Errorf("%d bytes in use, %d before; want at most %d more", h.most, h.before, limit)
	}
	h.t.Logf("%s at most", fmt.Sprintf("%.1f MiB", float64(h.most-min(h.before, h.most))/(1<<20)))
}
