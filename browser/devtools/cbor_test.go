package devtools

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

// written writes JSON as Chrome would write it.
func written(t testing.TB, text string) []byte {
	t.Helper()
	b, err := AppendCBOR(nil, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// JSON written as CBOR is read back as the same JSON.
func FuzzCBOR(f *testing.F) {
	for _, s := range []string{
		`{"a\"\\\n\u0001":[1,23,24,255,256,65535,65536,2147483647,-1,-24,-25,-2147483648]}`,
		`[0.5,-1e300,2147483648,9007199254740993,true,false,null,"",{},[],[[]],{"":{}}]`,
		`"ä😀` + strings.Repeat("x", 300) + `"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := AppendCBOR(nil, text)
		if err != nil {
			return
		}
		c := Cursor{b: b}
		if skipped := c.Skip(); !bytes.Equal(skipped, b) || c.bad {
			t.Errorf("skipped %x of %x", skipped, b)
		}
		c = Cursor{b: b}
		back := c.AppendJSON(nil)
		if c.bad {
			if nested := bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{")); nested <= MaxNested {
				t.Fatalf("%s cannot be read back from %x", text, b)
			}
			return
		}
		var want, got any
		if err := json.Unmarshal(text, &want); err != nil {
			return // a number beyond a double
		}
		if err := json.Unmarshal(back, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s came back as %s: %v", text, back, err)
		}
	})
}

// For any bytes, reading ends, stays inside them, and yields JSON or an error.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{`{"id":1,"result":{"a":[1,"x",null,0.5]}}`, `[[],[{}]]`} {
		f.Add(written(f, s))
	}
	f.Add([]byte("\xbf\x61a\x9f\x01\xff\x61b\x44\x3d\xd8\x00\xde\xff"))               // no envelopes, UTF-16
	f.Add([]byte("\xd8\x5a\x00\x00\x00\x05\xbf\x61a\xf6\xff"))                        // an envelope of an early Chrome
	f.Add([]byte("\xd8\x18\x5a\xff\xff\xff\xff\xbf\xff"))                             // longer than there is
	f.Add([]byte("\x9f\xd6\x43\x01\x02\x03\xfb\x7f\xf8\x00\x00\x00\x00\x00\x00\xff")) // binary, no number
	f.Fuzz(func(t *testing.T, b []byte) {
		c := Cursor{b: b}
		if text := c.AppendJSON(nil); !c.bad && !json.Valid(text) {
			t.Errorf("%x gave %q", b, text)
		}
		skipped := (&Cursor{b: b}).Skip()
		if len(skipped) > len(b) {
			t.Errorf("skipped %d bytes of %d", len(skipped), len(b))
		}
		(&Cursor{b: b}).Text()
		(&Cursor{b: b}).Int32()
		(&Cursor{b: b}).Float()
		(&Cursor{b: b}).Column(nil)
		parseMessage(b)
	})
}

func TestCBORIsReadAsChromeWritesIt(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"UTF-16", "\x46\x3d\xd8\x00\xde\xe4\x00", `"😀ä"`},
		{"half a surrogate", "\x44\x3d\xd8\x41\x00", `"\uFFFDA"`},
		{"binary", "\xd6\x43\x01\x02\x03", `"AQID"`},
		{"an early envelope", "\xd8\x5a\x00\x00\x00\x05\xbf\x61a\xf6\xff", `{"a":null}`},
		{"a whole double", "\xfb\x42\x78\xbc\xfe\x56\x80\x00\x00", `1700000000000`},
		{"no number", "\xfb\x7f\xf8\x00\x00\x00\x00\x00\x00", `null`},
	} {
		cur := Cursor{b: []byte(c.in)}
		got := cur.AppendJSON(nil)
		want := strings.ReplaceAll(c.want, `\uFFFD`, "\uFFFD")
		if string(got) != want || cur.bad || cur.i != len(c.in) {
			t.Errorf("%s: read %s from %x, want %s", c.name, got, c.in, want)
		}
	}
	if f := (&Cursor{b: []byte("\xfb\x7f\xf0\x00\x00\x00\x00\x00\x00")}).Float(); !math.IsInf(f, 1) {
		t.Errorf("read %v, want infinity", f)
	}
}
