package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// soon is the time limit for the refusal of a list or a condition.
const soon = 3 * time.Second

// lists imports a file that is not a list, and measures the cost.
func lists(name, text string) func(*machine) (string, bool, error) {
	return func(m *machine) (string, bool, error) {
		r, err := m.run("watch", "import", m.store(), m.write(name, text))
		return fmt.Sprintf("%d kB, %d MB, %.1f s: %s", len(text)>>10, r.memory>>20, r.took.Seconds(), r.last()), r.memory > mostMemory || r.took > soon, err
	}
}

var (
	manyTags    = lists("list.txt", "http://shop.test/ "+strings.Repeat("t,", 15<<20)+"\n")
	manyColumns = lists("list.csv", table(100_000))
	nonsense    = lists("list.txt", strings.Repeat("there is no list here\n", 1_400_000))
)

// table is one of many columns, the last of which is for URLs, and of as many rows without one.
func table(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "c%d,", i)
	}
	b.WriteString("url\n" + strings.Repeat("x\n", n))
	return b.String()
}

// manyConditions subscribes to a page with thousands of conditions, each of them small to write and large to compile.
func manyConditions(m *machine) (string, bool, error) {
	args := []string{"watch", "add", m.store(), "http://shop.test/"}
	for range 2900 {
		args = append(args, "--match", "a{1000}b{1000}")
	}
	r, err := m.run(args...)
	return fmt.Sprintf("%d MB, %.1f s, exit %d: %s", r.memory>>20, r.took.Seconds(), r.exit, r.last()), r.memory > mostMemory || r.exit == 0, err
}

// traceBomb simulates a trace that unpacks to far more than it is.
func traceBomb(m *machine) (string, bool, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, `{"source":"a","observations":[1,2,3],"pages":{"/a":[[1,null]`)
	more := strings.Repeat(",[2,null]", 1<<17)
	for range 100 {
		io.WriteString(z, more)
	}
	io.WriteString(z, "]}}")
	if err := z.Close(); err != nil {
		return "", false, err
	}
	r, err := m.run("simulate", m.write("bomb.json.gz", b.String()))
	return fmt.Sprintf("%d kB, %d MB: %s", b.Len()>>10, r.memory>>20, r.last()), r.memory > mostMemory, err
}

// reordered serves a page whose title has characters that reorder text, or control terminals.
func reordered(m *machine) (string, bool, error) {
	const title = "Market\u202e\u2066\u009b31m of the week"
	s := m.site(page("<title>" + title + "</title><h1>" + title + "</h1><p>Potatoes are cheap this week.</p>"))
	url := s.at("shop.test", "/")
	if _, err := m.archive(url); err != nil {
		return "", false, err
	}
	var raw []string
	for _, path := range []string{"/api/v1/versions?url=" + url, "/feed/atom?url=" + url, "/api/v1/version?version=1&url=" + url, "/version?version=1&url=" + url} {
		text, err := m.served(path)
		if err != nil {
			return "", false, err
		}
		if !strings.Contains(text, "Market") {
			return "", false, fmt.Errorf("%s: no title: %.200s", path, text)
		}
		if strings.ContainsAny(text, "\u202e\u2066\u009b") {
			raw = append(raw, path[:strings.IndexByte(path, '?')])
		}
		var v any
		if strings.HasPrefix(path, "/api/") && json.Unmarshal([]byte(text), &v) != nil {
			return "", false, fmt.Errorf("%s: no JSON: %.200s", path, text)
		}
	}
	return fmt.Sprintf("raw in %d of 4 answers %v", len(raw), raw), len(raw) > 0, nil
}
