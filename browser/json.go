package browser

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// cursor reads JSON from front to back without building anything. After the
// first thing that is not as expected, bad is set and all that follows yields
// zero values, so that callers need to look only once. It is as strict as it
// must be to stay inside its bytes; it is no validator.
type cursor struct {
	b   []byte
	i   int
	bad bool
}

func (c *cursor) fail() { c.bad, c.i = true, len(c.b) }

// peek is the next byte that is not white space, 0 at the end.
func (c *cursor) peek() byte {
	for ; c.i < len(c.b); c.i++ {
		switch ch := c.b[c.i]; ch {
		case ' ', '\n', '\r', '\t':
		default:
			return ch
		}
	}
	return 0
}

func (c *cursor) expect(ch byte) {
	if c.peek() != ch {
		c.fail()
		return
	}
	c.i++
}

// more is asked before each element of an array or object whose opening bracket
// was read; first says that it is the first. At the end it takes the closing
// bracket.
func (c *cursor) more(end byte, first bool) bool {
	ch := c.peek()
	switch {
	case c.bad:
		return false
	case ch == end:
		c.i++
		return false
	case first:
		return true
	case ch == ',':
		c.i++
		return true
	}
	c.fail()
	return false
}

// object calls member for each member with the cursor before its value, which
// member must consume. Names are given as they are spelt, escapes included.
func (c *cursor) object(member func(name []byte)) {
	c.expect('{')
	for first := true; c.more('}', first); first = false {
		name := c.rawString()
		c.expect(':')
		if c.bad {
			return
		}
		member(name)
	}
}

// array calls element for each element with the cursor before it.
func (c *cursor) array(element func()) {
	c.expect('[')
	for first := true; c.more(']', first); first = false {
		element()
	}
}

// rawString is what stands between the quotes.
func (c *cursor) rawString() []byte {
	c.expect('"')
	from := c.i
	for c.i < len(c.b) {
		n := bytes.IndexByte(c.b[c.i:], '"')
		if n < 0 {
			break
		}
		c.i += n + 1
		// A quote is the end unless an odd number of backslashes precede it.
		slashes := 0
		for i := c.i - 2; i >= from && c.b[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 0 {
			return c.b[from : c.i-1]
		}
	}
	c.fail()
	return nil
}

// appendString appends the value of a string to dst.
func (c *cursor) appendString(dst []byte) []byte {
	return unescape(dst, c.rawString())
}

func unescape(dst, raw []byte) []byte {
	from := 0
	for i := 0; i < len(raw); i++ {
		n := bytes.IndexByte(raw[i:], '\\')
		if n < 0 {
			break
		}
		i += n
		dst = append(dst, raw[from:i]...)
		if i++; i == len(raw) {
			return dst
		}
		switch ch := raw[i]; ch {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r := hex4(raw[i+1:])
			i += 4
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if i+2 < len(raw) && raw[i+1] == '\\' && raw[i+2] == 'u' {
					low = hex4(raw[i+3:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
			i = min(i, len(raw)-1)
		default:
			dst = append(dst, ch)
		}
		from = i + 1
	}
	return append(dst, raw[from:]...)
}

// hex4 is the number that the first four bytes spell, or U+FFFD.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return utf8.RuneError
	}
	var r rune
	for _, ch := range b[:4] {
		switch {
		case '0' <= ch && ch <= '9':
			ch -= '0'
		case 'a' <= ch && ch <= 'f':
			ch -= 'a' - 10
		case 'A' <= ch && ch <= 'F':
			ch -= 'A' - 10
		default:
			return utf8.RuneError
		}
		r = r<<4 | rune(ch)
	}
	return r
}

// number is the next number's text.
func (c *cursor) number() []byte {
	c.peek()
	from := c.i
	for c.i < len(c.b) {
		switch ch := c.b[c.i]; {
		case '0' <= ch && ch <= '9', ch == '-', ch == '+', ch == '.', ch == 'e', ch == 'E':
			c.i++
			continue
		}
		break
	}
	if c.i == from {
		c.fail()
	}
	return c.b[from:c.i]
}

// int32 reads a whole number that fits.
func (c *cursor) int32() int32 {
	ch := c.peek()
	neg := ch == '-'
	if neg {
		c.i++
	}
	from, n := c.i, int64(0)
	for c.i < len(c.b) {
		d := c.b[c.i] - '0'
		if d > 9 {
			break
		}
		if n = n*10 + int64(d); n > math.MaxInt32 {
			c.fail()
			return 0
		}
		c.i++
	}
	if c.i == from {
		c.fail()
		return 0
	}
	if neg {
		n = -n
	}
	return int32(n)
}

// float reads a number; null, which Chrome writes for what is no number, is 0.
func (c *cursor) float() float64 {
	if c.peek() == 'n' {
		c.skip()
		return 0
	}
	// Most are whole or have few digits: exact in a float64 without strconv.
	from, neg := c.i, false
	if c.i < len(c.b) && c.b[c.i] == '-' {
		neg = true
		c.i++
	}
	n, digits, frac := uint64(0), 0, -1
	for ; c.i < len(c.b); c.i++ {
		if d := c.b[c.i] - '0'; d <= 9 {
			n = n*10 + uint64(d)
			digits++
			if frac >= 0 {
				frac++
			}
			continue
		}
		if c.b[c.i] != '.' || frac >= 0 {
			break
		}
		frac = 0
	}
	exact := digits > 0 && digits <= 15
	if c.i < len(c.b) && (c.b[c.i] == 'e' || c.b[c.i] == 'E') {
		exact = false
	}
	if exact {
		f := float64(n)
		if frac > 0 {
			f /= pow10[frac]
		}
		if neg {
			f = -f
		}
		return f
	}
	c.i = from
	f, err := strconv.ParseFloat(string(c.number()), 64)
	if err != nil && !math.IsInf(f, 0) {
		c.fail()
		return 0
	}
	return f
}

// pow10 are the powers of ten that a float64 holds exactly, as far as needed.
var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// skip passes over one value, however deep, and returns its text.
func (c *cursor) skip() []byte {
	ch := c.peek()
	from := c.i
	switch ch {
	case '"':
		c.rawString()
	case '{', '[':
		depth := 0
		for c.i < len(c.b) {
			switch c.b[c.i] {
			case '"':
				c.rawString()
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					c.i++
					return c.b[from:c.i]
				}
			}
			c.i++
		}
		c.fail()
	default:
		for c.i < len(c.b) {
			switch c.b[c.i] {
			case ',', '}', ']', ' ', '\n', '\r', '\t':
				if c.i == from {
					c.fail()
				}
				return c.b[from:min(c.i, len(c.b))]
			}
			c.i++
		}
		if c.i == from {
			c.fail()
		}
	}
	if c.bad {
		return nil
	}
	return c.b[from:c.i]
}

// message is one DevTools message, its parts still JSON.
type message struct {
	id      int64
	method  []byte
	session []byte
	params  []byte
	result  []byte
	failure []byte
}

func parseMessage(b []byte) (message, bool) {
	var m message
	c := cursor{b: b}
	c.object(func(name []byte) {
		switch string(name) {
		case "id":
			m.id, _ = strconv.ParseInt(string(c.number()), 10, 64)
		case "method":
			m.method = c.rawString()
		case "sessionId":
			m.session = c.rawString()
		case "params":
			m.params = c.skip()
		case "result":
			m.result = c.skip()
		case "error":
			m.failure = c.skip()
		default:
			c.skip()
		}
	})
	return m, !c.bad && (m.id != 0 || m.method != nil)
}
