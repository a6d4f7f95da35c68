// Package metered reads untrusted files within limits: total bytes, bytes per record, and the time
// that the client waits.
package metered

import (
	"errors"
	"io"
)

// Errors of a [Reader].
var (
	ErrLong   = errors.New("too many bytes")
	ErrRecord = errors.New("a record is too long")
)

// Reader passes on the bytes of In within limits. It reads nothing beyond a limit, except the byte
// that shows that there is more.
//
// A record is the part of the file that its decoder must keep in memory as a whole: a line, a JSON
// value, a row, an element. The caller reports with [Reader.Next] where a record begins.
type Reader struct {
	In     io.Reader
	Stop   func() error // reason to stop reading, such as [context.Context.Err]; called before each read; nil: never
	Left   *int64       // remaining bytes, which several readers may share; ErrLong beyond them
	Record int64        // maximum bytes of a record; 0: no limit; ErrRecord beyond it

	read, start int64
}

// Next reports that a record begins at an offset in the bytes passed on.
func (r *Reader) Next(offset int64) { r.start = offset }

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (int, error) {
	if r.Stop != nil {
		if err := r.Stop(); err != nil {
			return 0, err
		}
	}
	if len(p) == 0 {
		return 0, nil
	}
	left, beyond := *r.Left, ErrLong
	if of := r.start + r.Record - r.read; r.Record > 0 && of < left {
		left, beyond = of, ErrRecord
	}
	if left <= 0 {
		// The file may end exactly here.
		if n, err := io.ReadFull(r.In, make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, beyond
	}
	n, err := r.In.Read(p[:min(int64(len(p)), left)])
	r.read += int64(n)
	*r.Left -= int64(n)
	return n, err
}
