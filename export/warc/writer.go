package warc

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// Digest is the SHA-256 of b as a labelled digest.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Entry is the position of a record in its file.
type Entry struct {
	Offset, Length int64  // of its gzip member, bytes
	Digest         string // digest of the member
}

// Writer writes a WARC file.
type Writer struct {
	out  io.Writer
	gz   *gzip.Writer
	buf  bytes.Buffer
	n    int64
	info string // ID of the file's warcinfo
}

// NewWriter returns a writer that begins a file at the current position of out.
func NewWriter(out io.Writer) *Writer {
	w := &Writer{out: out}
	w.gz = gzip.NewWriter(&w.buf)
	return w
}

// Size returns the number of bytes written.
func (w *Writer) Size() int64 { return w.n }

// Write writes a record; the first must be a warcinfo. For an invalid record it
// returns ErrBadRecord and leaves the file unchanged.
func (w *Writer) Write(r *Record) (Entry, error) {
	if err := r.check(); err != nil {
		return Entry{}, err
	}
	if (w.info == "") != (r.Type == Info) {
		return Entry{}, fmt.Errorf("%w: a file has one warcinfo, its first record", ErrBadRecord)
	}
	w.buf.Reset()
	w.gz.Reset(&w.buf)
	// The gzip writer only fails if the buffer does, which never happens.
	io.WriteString(w.gz, "WARC/1.1\r\n")
	for _, f := range r.head() {
		io.WriteString(w.gz, f.Name+": "+f.Value+"\r\n")
	}
	if w.info != "" {
		io.WriteString(w.gz, "WARC-Warcinfo-ID: <"+w.info+">\r\n")
	}
	io.WriteString(w.gz, "\r\n")
	w.gz.Write(r.Block)
	io.WriteString(w.gz, "\r\n\r\n")
	if err := w.gz.Close(); err != nil {
		return Entry{}, err
	}
	e := Entry{Offset: w.n, Length: int64(w.buf.Len()), Digest: Digest(w.buf.Bytes())}
	n, err := w.out.Write(w.buf.Bytes())
	w.n += int64(n)
	if err != nil {
		return Entry{}, err
	}
	if r.Type == Info {
		w.info = r.ID
	}
	return e, nil
}
