package devtools

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// Chrome optionally uses CBOR (RFC 8949) on its pipe, in the dialect of its own processes
// (crdtp/cbor.h in V8). Every answer is CBOR first; for JSON the browser process, one for all tabs,
// has to convert it. With CBOR a snapshot of 3,000 nodes costs 13 ms of CPU time in Chrome instead
// of 24, and a fifth of the time to read.
//
// The dialect has maps and arrays of indefinite length, each normally in an envelope that states
// its size; 32-bit integers and doubles; text in UTF-8, or in UTF-16 as a byte string; and binary
// data as a tagged byte string.
const (
	cborUnsigned = 0 << 5
	cborNegative = 1 << 5
	cborBytes    = 2 << 5 // UTF-16, little-endian
	cborText     = 3 << 5
	cborTag      = 6 << 5

	cborTag8     = 0xd8 // a tag in the following byte
	cborEnvelope = 0x18 // tag 24, encoded data item; early Chromes leave it out
	cborSize32   = cborBytes | 26
	cborBinary   = cborTag | 22 // to be Base64 in JSON
	cborArray    = 0x9f
	cborMap      = 0xbf
	cborEnd      = 0xff
	cborFalse    = 0xf4
	cborTrue     = 0xf5
	cborNull     = 0xf6
	cborDouble   = 0xfb
)

// errCBOR is the error of a Cursor on data outside Chrome's dialect of CBOR.
var errCBOR = errors.New("malformed CBOR")

// envelope returns the sizes of the header and of the contents of the envelope
// that b begins with; ok is false if b begins with something else, or is too short.
func envelope(b []byte) (header, size int, ok bool) {
	if len(b) > 2 && b[0] == cborTag8 && b[1] == cborEnvelope {
		header = 1
	}
	if header += 6; len(b) < header || b[0] != cborTag8 || b[header-5] != cborSize32 {
		return 0, 0, false
	}
	return header, int(binary.BigEndian.Uint32(b[header-4:])), true
}

// Cursor reads CBOR from front to back without building anything. After the first unexpected item
// it has an error and all later reads yield zero values, so that callers check only once. It stays
// inside its bytes, but is not a validator.
type Cursor struct {
	b   []byte
	i   int
	bad bool
}

// NewCursor returns a cursor before the first item of b.
func NewCursor(b []byte) *Cursor { return &Cursor{b: b} }

// Err is not nil after the first thing that was not as expected.
func (c *Cursor) Err() error {
	if c.bad {
		return errCBOR
	}
	return nil
}

// Fail makes later reads yield zero values, like an unexpected item.
func (c *Cursor) Fail() { c.bad, c.i = true, len(c.b) }

// peek is the first byte of the next item, 0 at the end.
func (c *Cursor) peek() byte {
	if c.i < len(c.b) {
		return c.b[c.i]
	}
	return 0
}

// enter enters a map or array, and its envelope if it has one.
func (c *Cursor) enter(kind byte) {
	if header, _, ok := envelope(c.b[c.i:]); ok {
		c.i += header
	}
	if c.peek() != kind {
		c.Fail()
		return
	}
	c.i++
}

// more reports whether the entered map or array has a further element, and leaves it at its end.
func (c *Cursor) more() bool {
	if c.i >= len(c.b) {
		c.Fail()
		return false
	}
	if c.b[c.i] == cborEnd {
		c.i++
		return false
	}
	return true
}

// Object calls member for each member with the cursor before its value, which
// member must consume.
func (c *Cursor) Object(member func(name []byte)) {
	c.enter(cborMap)
	for c.more() {
		name := c.Text()
		if c.bad {
			return
		}
		member(name)
	}
}

// Array calls element for each element with the cursor before it.
func (c *Cursor) Array(element func()) {
	c.enter(cborArray)
	for c.more() {
		element()
	}
}

// head reads an item's first byte and its number.
func (c *Cursor) head() (major byte, n uint64) {
	if c.i >= len(c.b) {
		c.Fail()
		return 0, 0
	}
	first := c.b[c.i]
	c.i++
	if n = uint64(first & 31); n < 24 {
		return first &^ 31, n
	}
	size := 1 << (n - 24)
	if n > 27 || c.i+size > len(c.b) {
		c.Fail()
		return 0, 0
	}
	n = 0
	for _, b := range c.b[c.i : c.i+size] {
		n = n<<8 | uint64(b)
	}
	c.i += size
	return first &^ 31, n
}

// take returns the next n bytes.
func (c *Cursor) take(n uint64) []byte {
	if n > uint64(len(c.b)-c.i) {
		c.Fail()
		return nil
	}
	c.i += int(n)
	return c.b[c.i-int(n) : c.i : c.i]
}

// Text reads a string as UTF-8. It is part of the cursor's bytes unless it is encoded in UTF-16.
func (c *Cursor) Text() []byte {
	switch major, n := c.head(); major {
	case cborText:
		return c.take(n)
	case cborBytes:
		return appendUTF16(nil, c.take(n))
	}
	c.Fail()
	return nil
}

// Binary is the value of binary data, part of the cursor's bytes.
func (c *Cursor) Binary() []byte {
	c.i++ // the tag
	major, n := c.head()
	if major != cborBytes {
		c.Fail()
		return nil
	}
	return c.take(n)
}

// AtBinary reports whether the next item is binary data.
func (c *Cursor) AtBinary() bool { return c.peek() == cborBinary }

// Boolean reads true or false; anything else is false.
func (c *Cursor) Boolean() bool {
	is := c.peek() == cborTrue
	c.Skip()
	return is
}

// AsString returns text as a string that shares the cursor's bytes: they must
// not change as long as it is used.
func (c *Cursor) AsString() string {
	b := c.Text()
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// appendUTF16 appends little-endian UTF-16 as UTF-8. A surrogate without its
// other half becomes U+FFFD.
func appendUTF16(dst, b []byte) []byte {
	if dst == nil {
		dst = make([]byte, 0, len(b)+len(b)/2)
	}
	for ; len(b) >= 2; b = b[2:] {
		r := rune(binary.LittleEndian.Uint16(b))
		if utf16.IsSurrogate(r) {
			low := rune(-1)
			if len(b) >= 4 {
				low = rune(binary.LittleEndian.Uint16(b[2:]))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				b = b[2:]
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// Int32 reads a whole number that fits.
func (c *Cursor) Int32() int32 {
	major, n := c.head()
	if n > math.MaxInt32 || major > cborNegative {
		c.Fail()
		return 0
	}
	if major == cborNegative {
		return -1 - int32(n)
	}
	return int32(n)
}

// Float reads a number; null, which Chrome writes for NaN, is 0.
func (c *Cursor) Float() float64 {
	switch c.peek() {
	case cborDouble:
		c.i++
		if b := c.take(8); b != nil {
			return math.Float64frombits(binary.BigEndian.Uint64(b))
		}
		return 0
	case cborNull:
		c.i++
		return 0
	}
	return float64(c.Int32())
}

// Column appends an array of whole numbers, which are most of a snapshot.
func (c *Cursor) Column(dst []int32) []int32 {
	c.enter(cborArray)
	for c.i < len(c.b) {
		switch first := c.b[c.i]; {
		case first < 24:
			dst = append(dst, int32(first))
			c.i++
		case first == cborUnsigned|25 && c.i+2 < len(c.b):
			dst = append(dst, int32(c.b[c.i+1])<<8|int32(c.b[c.i+2]))
			c.i += 3
		case first == cborEnd:
			c.i++
			return dst
		default:
			dst = append(dst, c.Int32())
		}
	}
	c.Fail()
	return dst
}

// Rects appends an array of arrays of four.
func (c *Cursor) Rects(dst []float64) []float64 {
	c.enter(cborArray)
	for c.more() {
		n := len(dst)
		c.enter(cborArray)
		for c.more() {
			dst = append(dst, c.Float())
		}
		if len(dst) != n+4 {
			c.Fail()
		}
	}
	return dst
}

// Skip skips one item of any depth, and returns its bytes.
func (c *Cursor) Skip() []byte {
	from := c.i
	for depth := 0; ; {
		if header, size, ok := envelope(c.b[c.i:]); ok {
			c.i += header
			c.take(uint64(size))
		} else {
			switch first := c.peek(); first {
			case cborMap, cborArray:
				c.i++
				depth++
			case cborEnd:
				if depth--; depth < 0 {
					c.Fail()
				}
				c.i++
			case cborDouble:
				c.i++
				c.take(8)
			case cborFalse, cborTrue, cborNull, cborBinary:
				c.i++
				if first == cborBinary {
					continue // and the tagged item
				}
			default:
				if major, n := c.head(); major == cborBytes || major == cborText {
					c.take(n)
				} else if major > cborText {
					c.Fail()
				}
			}
		}
		if c.bad {
			return nil
		}
		if depth == 0 {
			return c.b[from:c.i:c.i]
		}
	}
}

// MaxNested bounds the depth of an answer that cdproto reads. Chrome itself goes no deeper than
// 300.
const MaxNested = 1000

// AppendJSON appends the next item as JSON.
func (c *Cursor) AppendJSON(dst []byte) []byte { return c.appendItem(dst, 0) }

func (c *Cursor) appendItem(dst []byte, depth int) []byte {
	if depth > MaxNested {
		c.Fail()
		return dst
	}
	first := c.peek()
	if header, _, ok := envelope(c.b[c.i:]); ok && c.i+header < len(c.b) {
		first = c.b[c.i+header]
	}
	sep := func() { // between elements
		if last := dst[len(dst)-1]; last != '{' && last != '[' {
			dst = append(dst, ',')
		}
	}
	switch first {
	case cborMap:
		dst = append(dst, '{')
		c.Object(func(name []byte) {
			sep()
			dst = append(appendQuoted(dst, name), ':')
			dst = c.appendItem(dst, depth+1)
		})
		return append(dst, '}')
	case cborArray:
		dst = append(dst, '[')
		c.Array(func() {
			sep()
			dst = c.appendItem(dst, depth+1)
		})
		return append(dst, ']')
	case cborFalse:
		c.i++
		return append(dst, "false"...)
	case cborTrue:
		c.i++
		return append(dst, "true"...)
	case cborNull:
		c.i++
		return append(dst, "null"...)
	case cborDouble:
		return appendNumber(dst, c.Float())
	case cborBinary:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, c.Binary())
		return append(dst, '"')
	}
	if first < cborBytes {
		return strconv.AppendInt(dst, int64(c.Int32()), 10)
	}
	return appendQuoted(dst, c.Text())
}

// appendNumber writes whole numbers without an exponent, as fields of cdproto
// that are integers need them.
func appendNumber(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return strconv.AppendInt(dst, int64(f), 10)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}

// appendQuoted writes a string of JSON (RFC 8259, section 7).
func appendQuoted(dst, s []byte) []byte {
	dst = append(dst, '"')
	for _, b := range s {
		switch {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b < ' ':
			dst = append(dst, '\\', 'u', '0', '0', "01"[b>>4], "0123456789abcdef"[b&15])
		default:
			dst = append(dst, b)
		}
	}
	return append(dst, '"')
}

// Unmarshal reads CBOR into a value of cdproto, which knows only JSON.
func Unmarshal(b []byte, v any) error {
	c := Cursor{b: b}
	text := c.AppendJSON(make([]byte, 0, 2*len(b)))
	if c.bad {
		return errCBOR
	}
	return jsonv2.Unmarshal(text, v, jsonv2.AllowInvalidUTF8(true))
}
