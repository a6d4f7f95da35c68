package importer

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// open reads a file or a folder, and returns its kind.
func (l *Library) open(ctx context.Context, path string) (kind string, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if st.IsDir() {
		return "folder", l.openFolder(ctx, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	start := make([]byte, 4<<10)
	n, err := io.ReadFull(f, start)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		f.Close()
		return "", err
	}
	start = start[:n]
	switch text := bytes.TrimLeft(start, "\ufeff \t\r\n"); {
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		err = l.openWACZ(ctx, f, st.Size())
		return "WACZ", err
	case bytes.HasPrefix(start, []byte{0x1f, 0x8b}), bytes.HasPrefix(start, []byte("WARC/")), bytes.HasPrefix(start, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		err = l.openWARC(ctx, f, st.Size())
		return "WARC", err
	case bytes.HasPrefix(text, []byte("From: ")) && bytes.Contains(start, []byte("multipart/related")):
		f.Close()
		return "", fmt.Errorf("%w: it is MHTML; save the page with SingleFile", ErrUnknown)
	case bytes.HasPrefix(text, []byte("{")):
		defer f.Close()
		return "HAR", l.openHAR(ctx, f)
	case bytes.HasPrefix(text, []byte("<")):
		defer f.Close()
		return "saved page", l.openSaved(path, st)
	}
	f.Close()
	return "", ErrUnknown
}

// openWACZ reads the WARC files of a WACZ, and its lists of pages.
func (l *Library) openWACZ(ctx context.Context, f *os.File, size int64) error {
	l.files = append(l.files, f)
	return l.readWACZ(ctx, f, size, 2)
}

// readWACZ reads a WACZ, and those in it to a depth.
func (l *Library) readWACZ(ctx context.Context, f io.ReaderAt, size int64, depth int) error {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return err
	}
	var lists []*zip.File
	pending, again := len(l.pending), len(l.again)
	for _, part := range z.File {
		name := strings.ToLower(part.Name)
		switch {
		case strings.HasSuffix(name, ".warc.gz"), strings.HasSuffix(name, ".warc"):
			data, size, err := l.partOf(ctx, f, part)
			if err != nil {
				return err
			}
			if err := l.readWARC(ctx, data, size); err != nil {
				return err
			}
		case strings.HasSuffix(name, ".wacz") && depth > 0:
			data, size, err := l.partOf(ctx, f, part)
			if err != nil {
				return err
			}
			if err := l.readWACZ(ctx, data, size, depth-1); err != nil {
				return err
			}
		case strings.HasPrefix(name, "pages/") && filepath.Ext(name) == ".jsonl":
			lists = append(lists, part)
		}
	}
	before := len(l.listed)
	for _, part := range lists {
		if err := l.readPages(part); err != nil {
			return err
		}
	}
	if len(l.listed) > before { // the others were loaded by pages
		listed := map[key]bool{}
		for _, c := range l.listed[before:] {
			listed[keyOf(normal(c.url))] = true
		}
		for _, c := range l.pending[pending:] {
			if !listed[keyOf(normal(c.url))] {
				l.leave("a file of a page: not in the list of pages")
			}
		}
		l.pending, l.again = l.pending[:pending], l.again[:again]
	}
	return nil
}

// partOf returns the data of a file in a ZIP. One that is compressed is uncompressed into a temporary file.
func (l *Library) partOf(ctx context.Context, f io.ReaderAt, part *zip.File) (io.ReaderAt, int64, error) {
	if part.Method == zip.Store {
		at, err := part.DataOffset()
		return io.NewSectionReader(f, at, int64(part.CompressedSize64)), int64(part.CompressedSize64), err
	}
	r, err := part.Open()
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	return l.spill(ctx, r, int64(part.CompressedSize64))
}

// Data that is uncompressed into a temporary file has at most leastSpill bytes, or maxRatio times its compressed size.
const (
	leastSpill = 1 << 30
	maxRatio   = 100
)

// spill writes data of a compressed size into a temporary file.
func (l *Library) spill(ctx context.Context, r io.Reader, size int64) (io.ReaderAt, int64, error) {
	t, err := l.tempFile()
	if err != nil {
		return nil, 0, err
	}
	most := max(leastSpill, maxRatio*size)
	n, err := io.Copy(t, io.LimitReader(ctxReader{ctx, r}, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("it has more than %d bytes uncompressed, %d times its size; uncompress it first", most, most/max(1, size))
	}
	return t, n, err
}

// A ctxReader ends with a context.
type ctxReader struct {
	ctx context.Context
	io.Reader
}

func (r ctxReader) Read(b []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}
