// Package metered reads untrusted files within bounds: bytes in all, bytes of a record, and no
// longer than their client waits.
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

// Reader passes on the bytes of In within bounds. What is beyond a bound is not read, but for the
// byte that shows that there is more.
//
// A record is the part of the file that its decoder has to keep in memory as a whole: a line, a
// JSON value, a row, an element. The caller says with [Reader.Next] where one begins.
type Reader struct {
	In     io.Reader
	Stop   func() error // why reading ends, as [context.Context.Err]; called before each read; nil: it does not
	Left   *int64       // bytes of the budget, which several readers may share; ErrLong beyond it
	Record int64        // bytes of a record; 0: any number. ErrRecord beyond it

	read, start int64
}

// Next says that a record begins at an offset of the bytes that were passed on.
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
		// A file may end just here.
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
