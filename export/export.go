package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"plat/export/atomicfile"
	"plat/export/warc"
	"plat/storage"
)

// Format is the format of an export.
type Format string

// The formats.
const (
	WARC  Format = "warc"
	WACZ  Format = "wacz"
	Lines Format = "jsonl"
	HTML  Format = "html"
)

// endings map file name extensions to formats.
var endings = []struct {
	end    string
	format Format
}{
	{".warc.gz", WARC}, {".wacz", WACZ}, {".jsonl", Lines}, {".html", HTML},
}

// Formats lists all formats by their names in settings.
var Formats = []Format{WARC, WACZ, Lines, HTML}

// Endings returns the ends of file names that say a format.
func Endings() (all []string) {
	for _, x := range endings {
		all = append(all, x.end)
	}
	return all
}

// FormatOf returns the format for the name of a file, or "" if unknown.
func FormatOf(file string) Format {
	for _, x := range endings {
		if strings.HasSuffix(file, x.end) {
			return x.format
		}
	}
	return ""
}

// Job configures an export.
type Job struct {
	Store storage.Store
	Selection
	Format Format

	// File is the file to write, the first of several for [WARC]. For [Lines]
	// and [HTML] it may be empty; then the export goes to Out.
	File string
	Out  io.Writer

	Version  string    // version of plat
	Begun    time.Time // start of the export; recorded in a WACZ
	PartSize int64     // approximate size of a WARC file in bytes; 0: [warc.MaxFile]

	// Advanced is called after each version, for formats that hold several,
	// with the progress so far. It may be nil.
	Advanced func(Summary)
}

// Summary is the result of an export. Its JSON is part of the interface of plat
// export.
type Summary struct {
	Format   Format   `json:"format"`
	Files    []string `json:"files"` // in order of writing
	URLs     int      `json:"urls"`
	Versions int      `json:"versions"`
	Records  int      `json:"records"`  // number of records in a web archive
	Revisits int      `json:"revisits"` // number of these that only refer to an earlier record
	Bytes    int64    `json:"bytes"`    // total size of Files
}

// ErrNothing is returned if the selection matches no version.
var ErrNothing = errors.New("no version matches; nothing was written")

// Error is the failure to export a URL or one of its versions.
type Error struct {
	URL string
	N   int // the version; 0: the URL

	// Named reports that a URL or version named in the selection was not found (Err wraps
	// plat.ErrNotFound) or could not be read.
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

// about wraps an error with its URL and, for n > 0, version.
func about(url string, n int, err error) error {
	if err == nil {
		return nil
	}
	return &Error{URL: url, N: n, Err: err}
}

// run is a running job.
type run struct {
	Job
	sum Summary
}

// Run exports a job. It returns an [*Error], [ErrNothing], or an error of writing. After an
// error, it leaves no file.
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
		err = fmt.Errorf("unknown format %q", j.Format)
	}
	return r.sum, err
}

// advanced counts a version and reports progress.
func (r *run) advanced() {
	r.sum.Versions++
	if r.Advanced != nil {
		r.Advanced(r.sum)
	}
}

// toFile writes a file, or to Out if path is empty, and counts it.
func (r *run) toFile(path string, write func(io.Writer) error) error {
	if path == "" {
		return write(r.Out)
	}
	n := &counter{}
	err := atomicfile.Write(path, func(w io.Writer) error {
		n.Writer = w
		return write(n)
	})
	if err == nil {
		r.sum.Files = append(r.sum.Files, path)
		r.sum.Bytes += n.bytes
	}
	return err
}

// counter counts the bytes written.
type counter struct {
	io.Writer
	bytes int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.bytes += int64(n)
	return n, err
}
