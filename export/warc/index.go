package warc

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Index sorts any number of index lines by external merge sort: parts beyond
// runBytes are kept sorted in temporary files.
type Index struct {
	lines []string
	size  int
	runs  []*os.File
}

// runBytes is the approximate part of an index in memory, in bytes.
const runBytes = 16 << 20

// blockLines is the number of index lines compressed together. To find one line, a
// player loads the block that contains it. pywb's ZipNum uses 3000.
const blockLines = 3000

// Add adds a line, including its line break.
func (x *Index) Add(line string) error {
	x.lines = append(x.lines, line)
	if x.size += len(line); x.size < runBytes {
		return nil
	}
	return x.spill()
}

// spill writes the lines in memory to a file, sorted.
func (x *Index) spill() error {
	f, err := spool()
	if err != nil {
		return err
	}
	x.runs = append(x.runs, f)
	slices.Sort(x.lines)
	w := bufio.NewWriter(f)
	for _, l := range x.lines {
		w.WriteString(l)
	}
	x.lines, x.size = nil, 0
	return w.Flush()
}

// Close removes the temporary files.
func (x *Index) Close() error {
	var errs []error
	for _, f := range x.runs {
		errs = append(errs, f.Close())
	}
	x.runs = nil
	return errors.Join(errs...)
}

// spool creates a temporary file and unlinks it, so that it disappears when
// closed.
func spool() (*os.File, error) {
	f, err := os.CreateTemp("", "plat-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// Write writes the sorted lines to cdx, compressed by blocks, and the list of
// blocks to idx: the first key and time of each, and as JSON offset, length and digest
// ("cdxj-gzip-1.0", which players read block by block). file is the name of cdx.
func (x *Index) Write(cdx, idx io.Writer, file string) error {
	if _, err := fmt.Fprintf(idx, "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": %q}\n", file); err != nil {
		return err
	}
	var buf bytes.Buffer
	gz := gzip.NewWriter(&buf)
	n, offset, first := 0, 0, ""
	flush := func() error {
		if n == 0 {
			return nil
		}
		if err := gz.Close(); err != nil {
			return err
		}
		where, err := json.Marshal(struct {
			Offset   int    `json:"offset"`
			Length   int    `json:"length"`
			Digest   string `json:"digest"`
			Filename string `json:"filename"`
		}{offset, buf.Len(), Digest(buf.Bytes()), file})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(idx, "%s %s\n", first, where); err != nil {
			return err
		}
		offset, n = offset+buf.Len(), 0
		_, err = cdx.Write(buf.Bytes())
		buf.Reset()
		gz.Reset(&buf)
		return err
	}
	err := x.sorted(func(line string) error {
		if n == 0 {
			first, _, _ = strings.Cut(line, " {")
		}
		io.WriteString(gz, line)
		if n++; n < blockLines {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// sorted calls yield with all lines in order.
func (x *Index) sorted(yield func(string) error) error {
	slices.Sort(x.lines)
	var all merge
	if len(x.lines) > 0 {
		all = append(all, &run{line: x.lines[0], rest: x.lines[1:]})
	}
	for _, f := range x.runs {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		r := &run{file: bufio.NewReader(f)}
		if ok, err := r.next(); err != nil {
			return err
		} else if ok {
			all = append(all, r)
		}
	}
	heap.Init(&all)
	for len(all) > 0 {
		if err := yield(all[0].line); err != nil {
			return err
		}
		if ok, err := all[0].next(); err != nil {
			return err
		} else if ok {
			heap.Fix(&all, 0)
		} else {
			heap.Pop(&all)
		}
	}
	return nil
}

// run is a sorted sequence of lines, in a file or in memory.
type run struct {
	line string
	file *bufio.Reader // nil: the lines are in rest
	rest []string
}

// next advances to the next line; ok is false at the end.
func (r *run) next() (ok bool, err error) {
	if r.file == nil {
		if len(r.rest) == 0 {
			return false, nil
		}
		r.line, r.rest = r.rest[0], r.rest[1:]
		return true, nil
	}
	r.line, err = r.file.ReadString('\n')
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}

// merge is a heap of runs, ordered by their current lines.
type merge []*run

func (m merge) Len() int           { return len(m) }
func (m merge) Less(i, j int) bool { return m[i].line < m[j].line }
func (m merge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(x any)        { *m = append(*m, x.(*run)) }
func (m *merge) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}
