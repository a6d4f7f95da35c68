package snapshotfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"plat/plat"
)

// bomb returns a file with the given parts, in the order of the format, possibly incomplete.
func bomb(t *testing.T, parts ...func(e *encoder)) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	e := encoder{w: bufio.NewWriter(z)}
	_, e.err = e.w.WriteString(magicLine)
	for _, part := range parts {
		part(&e)
	}
	if err := errors.Join(e.err, e.w.Flush(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Parts of files.
func text(s string) func(*encoder) { return func(e *encoder) { e.string(s) } }

func times(n int, values ...uint64) func(*encoder) {
	return func(e *encoder) {
		var once []byte
		for _, v := range values {
			once = binary.AppendUvarint(once, v)
		}
		if e.err == nil {
			_, e.err = e.w.Write(bytes.Repeat(once, n))
		}
	}
}

func numbers(values ...uint64) func(*encoder) { return times(1, values...) }

func TestASmallFileDoesNotUnpackToGigabytes(t *testing.T) {
	const million = 1_000_000
	zeros := strings.Repeat("0", 90*million)
	list := func(n int) string { return "[" + strings.Repeat("{},", n) + "{}]" }
	table := func(e *encoder) { e.uint(1); e.string("a") }
	for name, parts := range map[string][]func(*encoder){
		"nodes":               {text("{}"), table, text("[]"), numbers(2 * million), times(2*million, 0)},
		"attributes":          {text("{}"), table, text("[]"), numbers(3, 0, 0, 0, 1, 1, 1, 3, 2, 1, 0, 0, 0, 0, 0, 0), numbers(2 * million), times(2*million, 0, 0), numbers(3 * million), times(3*million, 0, 0)},
		"lines":               {text("{}"), table, text("[]"), numbers(1, 0, 1, 1, 0, 0, 0, 6*million), times(6*million, 0)},
		"strings, empty":      {text("{}"), numbers(12 * million), times(12*million, 0)},
		"one string":          {text("{}"), numbers(1), text(zeros + zeros)},
		"styles":              {text("{}"), table, text(list(million))},
		"redirects":           {text(`{"Redirects":` + list(million) + `}`)},
		"fields of responses": {text(`{"Header":` + strings.ReplaceAll(list(million), "{}", "[]") + `}`)},
		"generated content":   {text(`{"Generated":` + list(million) + `}`)},
		"a picture":           {text("{}"), table, text("[]"), numbers(1, 0, 1, 1, 0, 0, 0, 0), text("image/png"), text(zeros + zeros)},
	} {
		file := bomb(t, parts...)
		if len(file) > 1<<20 {
			t.Fatalf("%s: the file has %d bytes", name, len(file))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(bytes.NewReader(file))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, plat.ErrCorrupt) || !strings.Contains(err.Error(), "unpack to more than") {
			t.Errorf("%s: %d bytes, %v", name, len(file), err)
		}
		// Growing slices are copied several times, but the copies do not exist at once.
		if used := after.TotalAlloc - before.TotalAlloc; used > 800<<20 {
			t.Errorf("%s: %d MB were used", name, used>>20)
		}
	}
}

// A page with the default maximum of nodes is read back, however much it repeats.
func TestAPageOfHalfAMillionNodesIsReadBack(t *testing.T) {
	s := &plat.Snapshot{URL: "https://a.test/", Styles: []plat.Style{{Display: "block"}}}
	s.Nodes = append(s.Nodes, plat.Node{Kind: plat.DocumentNode, Parent: -1, End: 500_000})
	for i := int32(1); i < 500_000; i += 2 {
		box := plat.Rect{X: 8, Y: float32(i), W: 100, H: 16}
		s.Nodes = append(s.Nodes, plat.Node{Kind: plat.ElementNode, Name: "p", End: min(i+2, 500_000), HasBox: true, Box: box, Attrs: []plat.Attr{{Name: "class", Value: "a"}}})
		if i+1 < 500_000 {
			s.Nodes = append(s.Nodes, plat.Node{Kind: plat.TextNode, Parent: i, End: i + 2, HasBox: true, Box: box, Value: fmt.Sprint("paragraph ", i)})
			s.Lines = append(s.Lines, plat.Line{Node: i + 1, Len: 10, Box: box})
		}
	}
	var b bytes.Buffer
	if err := Write(&b, s); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&b)
	if err != nil || len(got.Nodes) != len(s.Nodes) || len(got.Lines) != len(s.Lines) {
		t.Fatalf("%v", err)
	}
}
