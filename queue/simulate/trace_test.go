package simulate_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"runtime"
	"strings"
	"testing"

	"plat/queue/simulate"
)

func TestRead(t *testing.T) {
	if _, err := simulate.Read(strings.NewReader(`{"source":5}`)); err == nil || !strings.Contains(err.Error(), `"Source" is a number; write a text`) {
		t.Errorf("a trace of the wrong kind: %v", err)
	}
	trace, err := simulate.Read(strings.NewReader(`{"source":"a","observations":[86400,864000],"pages":{"/b":[[172800,"x"],[259200,null],[345600,"x"]],"/a":[[86400,"y"]],"/none":[]}}`))
	if err != nil || trace.From != 1 || trace.To != 10 || trace.Versions() != 4 || len(trace.Pages) != 2 || trace.Pages[1].Name != "/b" {
		t.Fatalf("%+v: %v", trace, err)
	}
	if c := trace.Pages[1].Changes; c[0].State == 0 || c[1].State != 0 || c[2].State != c[0].State || c[2].At != 4 {
		t.Errorf("%+v", c)
	}
	for name, text := range map[string]string{
		"no JSON":      "nothing",
		"no pages":     `{"observations":[1,2]}`,
		"no time":      `{"pages":{"/a":[[5,"x"]]}}`,
		"out of order": `{"observations":[1,9],"pages":{"/a":[[5,"x"],[4,"y"]]}}`,
		"three parts":  `{"observations":[1,9],"pages":{"/a":[[5,"x",1]]}}`,
		"a text":       `{"observations":[1,9],"pages":{"/a":[["5","x"]]}}`,
		"half gzip":    "\x1f\x8b\x08",
	} {
		if _, err := simulate.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A gzip file of 1 MB may be a JSON text of 1 GB.
func TestABombIsNotUnpacked(t *testing.T) {
	bomb := func(text string, times int) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, `{"source":"a","pages":{"/a":[[1,null]`)
		for range times {
			io.WriteString(z, text)
		}
		io.WriteString(z, "]}}")
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, raw := range map[string][]byte{
		"blanks":  bomb(strings.Repeat(" ", 1<<20), 128),
		"changes": bomb(strings.Repeat(",[2,null]", 1<<17), 128),
		"a text":  bomb(`,[2,"`+strings.Repeat("x", 1<<27)+`"]`, 1),
		"plain":   []byte(`{"source":"` + strings.Repeat("x", 1<<26)),
	} {
		in := bytes.NewReader(raw)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := simulate.Read(in)
		runtime.ReadMemStats(&after)
		if size := (after.TotalAlloc - before.TotalAlloc) >> 20; err == nil || !strings.Contains(err.Error(), "more than 32 MB unpacked") || size > 200 {
			t.Errorf("%s: %d MB are allocated for a file of %d kB: %v", name, size, len(raw)>>10, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"source":"a","observations":[1,9],"pages":{"/a":[[5,"x"],[6,null]]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		trace, err := simulate.Read(strings.NewReader(string(b)))
		if err != nil || trace.Versions() > 50 {
			return
		}
		if r, err := simulate.Run(t.Context(), trace, 1, "harmonic", simulate.Signals{Recall: 0.5, False: 1}); err != nil || r.Fresh != r.Fresh {
			t.Fatalf("%+v: %v", r, err)
		}
	})
}
