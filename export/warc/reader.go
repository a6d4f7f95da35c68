package warc

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// maxVersion limits the first line of a record, which is its version, in bytes.
const maxVersion = 64

// maxHead limits the head of a record that is read, in bytes: the longest URLs of browsers have 2 MiB.
const maxHead = 4 << 20

// ErrDamaged is returned for bytes that are not a record. Reading continues behind them.
var ErrDamaged = errors.New("not a readable record")

// A Place is the position of a record in a file.
type Place struct {
	Offset int64 // of its gzip member; of the record itself in a file without compression
	Within int64 // offset of the record in the uncompressed member, 0 in files where each record has a member of its own
}

// A Read is a record of a file, as read. Programs differ in what they write, so its fields may be missing or invalid.
type Read struct {
	Place
	Type   Type
	Fields []Field   // of the head, in order
	Length int64     // of the block, bytes
	Block  io.Reader // the block; it ends with io.ErrUnexpectedEOF if the file does
}

// Get returns the value of a field, and "" if it is missing. Names are compared without regard to case.
func (r *Read) Get(name string) string {
	for _, f := range r.Fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// URI returns the WARC-Target-URI, also of programs that write it in angle brackets as WARC/1.0 did.
func (r *Read) URI() string {
	return strings.TrimSuffix(strings.TrimPrefix(r.Get("WARC-Target-URI"), "<"), ">")
}

// Date returns the WARC-Date, and false if it is missing or invalid.
func (r *Read) Date() (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, r.Get("WARC-Date"))
	return t.UTC(), err == nil
}

// A Reader reads the records of a WARC file, with or without compression, one after the other. It accepts what common
// programs write: WARC/0.18 to 1.1, lines without carriage return, several records in a gzip member, missing ends.
type Reader struct {
	file io.ReaderAt
	size int64

	at     Place // of the next record
	member *member
	last   *Read
}

// NewReader returns a reader of a file of size bytes.
func NewReader(file io.ReaderAt, size int64) *Reader { return &Reader{file: file, size: size} }

// Open returns the record at a place, which Next has returned before.
func Open(file io.ReaderAt, size int64, at Place) (*Read, error) {
	m, err := openMember(file, size, at.Offset)
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, m.text, at.Within); err != nil {
		return nil, fmt.Errorf("%w at byte %d: %w", ErrDamaged, at.Offset, err)
	}
	return m.record(at)
}

// Next returns the next record, whose block can be read until the next call. The error is io.EOF at the end of the file,
// and wraps ErrDamaged for bytes that are not a record; then the next call returns the record behind them.
func (r *Reader) Next() (*Read, error) {
	for {
		if r.last != nil {
			if err := r.finish(); err != nil {
				return nil, err
			}
		}
		if r.member == nil {
			if r.at.Offset >= r.size {
				return nil, io.EOF
			}
			m, err := openMember(r.file, r.size, r.at.Offset)
			if err != nil {
				return nil, r.damaged(err)
			}
			r.member = m
		}
		blank, err := r.member.skipBlank()
		r.at.Within += blank
		if errors.Is(err, io.EOF) {
			if r.at = (Place{Offset: r.member.end()}); !r.member.packed {
				r.at.Offset = r.size
			}
			r.member = nil
			continue
		}
		var rec *Read
		if err == nil {
			at := r.at
			if !r.member.packed {
				at = Place{Offset: r.at.Offset + r.at.Within}
			}
			rec, err = r.member.record(at)
		}
		if err != nil {
			return nil, r.damaged(err)
		}
		r.last = rec
		return rec, nil
	}
}

// finish reads the rest of the last record.
func (r *Reader) finish() error {
	r.last = nil
	_, err := io.Copy(io.Discard, r.member.block)
	r.at.Within = r.member.n
	if err != nil || r.member.block.N > 0 {
		return r.damaged(io.ErrUnexpectedEOF)
	}
	return nil
}

// damaged moves behind bytes that are not a record: to the next start of a gzip member, or of a record.
func (r *Reader) damaged(cause error) error {
	from := r.at.Offset
	if r.member != nil && !r.member.packed {
		from += r.at.Within
	}
	err := fmt.Errorf("%w at byte %d: %w", ErrDamaged, from, cause)
	r.member, r.last = nil, nil
	r.at = Place{Offset: r.size}
	const piece, overlap = 1 << 20, 16
	b := make([]byte, piece)
	for at := from + 1; at < r.size; at += piece - overlap {
		n, _ := r.file.ReadAt(b, at)
		for i := 0; i+4 < n; i++ {
			if isStart(b[i:n]) {
				if m, bad := openMember(r.file, r.size, at+int64(i)); bad == nil && m.startsRecord() {
					r.at.Offset = at + int64(i)
					return err
				}
			}
		}
		if n < piece {
			break
		}
	}
	return err
}

// isStart reports whether bytes may be the start of a gzip member, or of a record without compression.
func isStart(b []byte) bool {
	return b[0] == 0x1f && b[1] == 0x8b && b[2] == 8 && b[3] < 32 || bytes.HasPrefix(b, []byte("WARC/"))
}

// A member is a gzip member, or the rest of a file without compression.
type member struct {
	start  int64
	file   *bufio.Reader // of the file, from start
	read   *counter      // what file has read
	text   *bufio.Reader // uncompressed
	packed bool
	n      int64             // bytes of text handed out
	block  *io.LimitedReader // of the last record
}

// A counter counts the bytes read.
type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

func openMember(file io.ReaderAt, size, at int64) (*member, error) {
	read := &counter{Reader: io.NewSectionReader(file, at, size-at)}
	m := &member{start: at, read: read, file: bufio.NewReaderSize(read, 16<<10)}
	magic, _ := m.file.Peek(4)
	if bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return nil, errors.New("the file is compressed by Zstandard; uncompress it first: zstd -d FILE")
	}
	if len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
		m.text = m.file
		return m, nil
	}
	gz, err := gzip.NewReader(m.file) // reads no byte behind the member, because m.file is an io.ByteReader
	if err != nil {
		return nil, err
	}
	gz.Multistream(false)
	m.text, m.packed = bufio.NewReader(gz), true
	return m, nil
}

// end is the offset of the first byte behind a member that has been read to its end.
func (m *member) end() int64 { return m.start + m.read.n - int64(m.file.Buffered()) }

// startsRecord reports whether a member begins with a record.
func (m *member) startsRecord() bool {
	b, _ := m.text.Peek(5)
	return string(b) == "WARC/"
}

// skipBlank skips the line ends before a record, and returns their number.
func (m *member) skipBlank() (n int64, err error) {
	for {
		b, err := m.text.ReadByte()
		switch {
		case err != nil:
			return n, err
		case b != '\r' && b != '\n':
			return n, m.text.UnreadByte()
		}
		n++
		m.n++
	}
}

// line returns a line without its end.
func (m *member) line(left *int) (string, error) {
	var line []byte
	for {
		part, err := m.text.ReadSlice('\n')
		m.n += int64(len(part))
		if *left -= len(part); *left < 0 {
			return "", errors.New("the head is too long")
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return strings.TrimRight(string(line), "\r\n"), nil
		case errors.Is(err, io.EOF):
			return "", io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// record reads the head of a record.
func (m *member) record(at Place) (*Read, error) {
	left := maxVersion
	version, err := m.line(&left)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(version, "WARC/") {
		return nil, fmt.Errorf("it begins with %.20q, not WARC/", version)
	}
	left = maxHead
	r := &Read{Place: at, Length: -1}
	var folded strings.Builder // the last value, of several lines
	unfold := func() {
		if folded.Len() > 0 {
			r.Fields[len(r.Fields)-1].Value = folded.String()
			folded.Reset()
		}
	}
	for {
		line, err := m.line(&left)
		if err != nil {
			return nil, err
		}
		if last := len(r.Fields) - 1; line != "" && last >= 0 && (line[0] == ' ' || line[0] == '\t') {
			if folded.Len() == 0 {
				folded.WriteString(r.Fields[last].Value)
			}
			folded.WriteString(" " + strings.TrimSpace(line))
			continue
		}
		if unfold(); line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		r.Fields = append(r.Fields, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
	if r.Length, err = strconv.ParseInt(r.Get("Content-Length"), 10, 64); err != nil || r.Length < 0 {
		return nil, fmt.Errorf("Content-Length is %.30q", r.Get("Content-Length"))
	}
	r.Type = Type(strings.ToLower(r.Get("WARC-Type")))
	m.block = &io.LimitedReader{R: &blockReader{m}, N: r.Length}
	r.Block = m.block
	return r, nil
}

// A blockReader reads a block, and counts its bytes.
type blockReader struct{ m *member }

func (b *blockReader) Read(p []byte) (int, error) {
	n, err := b.m.text.Read(p)
	b.m.n += int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Uncompressed returns the text of a file of gzip members.
func Uncompressed(file io.ReaderAt, size int64) io.Reader {
	return &uncompressed{from: bufio.NewReader(io.NewSectionReader(file, 0, size))}
}

type uncompressed struct {
	from *bufio.Reader
	gz   *gzip.Reader
}

func (u *uncompressed) Read(b []byte) (n int, err error) {
	if u.gz == nil {
		if u.gz, err = gzip.NewReader(u.from); err != nil {
			return 0, err
		}
	}
	return u.gz.Read(b)
}
