package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"plat/storage"
	"plat/warc"
	"plat/wholefile"
)

// Format is what an export is written as.
type Format string

// The formats.
const (
	WARC  Format = "warc"
	WACZ  Format = "wacz"
	Lines Format = "jsonl"
	HTML  Format = "html"
)

// endings say by the end of a file's name what it is to be.
var endings = []struct {
	end    string
	format Format
}{
	{".warc.gz", WARC}, {".wacz", WACZ}, {".jsonl", Lines}, {".html", HTML},
}

// Formats are all formats, as people choose them.
var Formats = []Format{WARC, WACZ, Lines, HTML}

// FormatOf is the format that the name of a file says, "" if it says none.
func FormatOf(file string) Format {
	for _, x := range endings {
		if strings.HasSuffix(file, x.end) {
			return x.format
		}
	}
	return ""
}

// Job says what is exported, and where to.
type Job struct {
	Store storage.Store
	Selection
	Format Format

	// File is the file to write, the first of several for [WARC]. It may be empty for
	// [Lines] and [HTML]: then Out is written to.
	File string
	Out  io.Writer

	Version  string    // of plat
	Begun    time.Time // when the export was asked for; a WACZ says so
	PartSize int64     // of a WARC file, about, bytes; 0 is [warc.MaxFile]

	// Advanced is called after each version of the formats that hold several, with
	// what was written so far. It may be nil.
	Advanced func(Summary)
}

// Summary is what was written. Its JSON is part of the interface of plat export.
type Summary struct {
	Format   Format   `json:"format"`
	Files    []string `json:"files"` // in the order in which they were written
	URLs     int      `json:"urls"`
	Versions int      `json:"versions"`
	Records  int      `json:"records"`  // of a web archive
	Revisits int      `json:"revisits"` // of them, those that only refer to another
	Bytes    int64    `json:"bytes"`    // of Files
}

// ErrNothing says that no version is what was asked for.
var ErrNothing = errors.New("no version answers that; nothing was written")

// Error says which URL could not be exported, or which version of it.
type Error struct {
	URL string
	N   int // the version; 0: the URL

	// Named says that the selection names what is not there; then Err wraps
	// plat.ErrNotFound, or says why it could not be looked up.
	Named bool

	Err error
}

func (e *Error) Error() string {
	if e.N > 0 {
		return fmt.Sprintf("%s@%d: %v", e.URL, e.N, e.Err)
	}
	return e.URL + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// about says which URL an error concerns, or for n > 0 which version.
func about(url string, n int, err error) error {
	if err == nil {
		return nil
	}
	return &Error{URL: url, N: n, Err: err}
}

// run is a job under way.
type run struct {
	Job
	sum Summary
}

// Run does a job, and returns what was written. Errors are [*Error], [ErrNothing] or
// those of writing; then no file is left.
func Run(ctx context.Context, j Job) (Summary, error) {
	r := &run{Job: j, sum: Summary{Format: j.Format}}
	if r.PartSize == 0 {
		r.PartSize = warc.MaxFile
	}
	var err error
	switch j.Format {
	case WARC:
		err = r.writeWARC(ctx)
	case WACZ:
		err = r.writeWACZ(ctx)
	case Lines:
		err = r.writeLines(ctx)
	case HTML:
		err = r.writeReport(ctx)
	default:
		err = fmt.Errorf("there is no format %q", j.Format)
	}
	return r.sum, err
}

// advanced takes note of a version.
func (r *run) advanced() {
	r.sum.Versions++
	if r.Advanced != nil {
		r.Advanced(r.sum)
	}
}

// toFile writes a file, or if path is empty to Out, and counts it.
func (r *run) toFile(path string, write func(io.Writer) error) error {
	if path == "" {
		return write(r.Out)
	}
	n := &counter{}
	err := wholefile.Write(path, func(w io.Writer) error {
		n.Writer = w
		return write(n)
	})
	if err == nil {
		r.sum.Files = append(r.sum.Files, path)
		r.sum.Bytes += n.bytes
	}
	return err
}

// counter counts what is written.
type counter struct {
	io.Writer
	bytes int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.bytes += int64(n)
	return n, err
}
