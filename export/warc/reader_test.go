package warc

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// text is a record as a program may write it.
func text(version, uri, block, end string) string {
	return strings.ReplaceAll(fmt.Sprintf("WARC/%s\nWARC-Type: response\nWARC-Target-URI: %s\nWARC-Date: 2024-01-02T03:04:05Z\nContent-Length: %d\n\n", version, uri, len(block)), "\n", end) + block
}

func zipped(parts ...string) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		z := gzip.NewWriter(&b)
		io.WriteString(z, p)
		z.Close()
	}
	return b.Bytes()
}

// readAll returns "uri block" of each record, and "!" for each damaged place. It opens each record by its place too.
func readAll(t *testing.T, data []byte) (all []string) {
	t.Helper()
	file, size := bytes.NewReader(data), int64(len(data))
	r := NewReader(file, size)
	for {
		rec, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return all
		case errors.Is(err, ErrDamaged):
			all = append(all, "!")
			continue
		case err != nil:
			t.Fatal(err)
		}
		again, err := Open(file, size, rec.Place)
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(again.Block)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatal(err)
		}
		if again.URI() != rec.URI() || again.Length != rec.Length {
			t.Errorf("%+v is opened as %+v", rec, again)
		}
		all = append(all, rec.URI()+" "+string(block))
	}
}

func TestReadersTakeWhatProgramsWrite(t *testing.T) {
	const crlf = "\r\n"
	one, two := text("1.0", "http://a.test/", "one", crlf)+crlf+crlf, text("1.1", "<http://b.test/>", "two\r\n\r\n", crlf)+crlf+crlf
	damaged := zipped(two)
	damaged[len(damaged)/2] ^= 0xff
	both := []string{"http://a.test/ one", "http://b.test/ two\r\n\r\n"}
	for name, tc := range map[string]struct {
		data []byte
		want []string
	}{
		"each in a gzip member":        {zipped(one, two), both},
		"all in one gzip member":       {zipped(one + two), both},
		"not compressed":               {[]byte(one + two), both},
		"lines without return":         {[]byte(text("0.18", "http://a.test/", "one", "\n") + "\n\n" + text("1.0", "http://b.test/", "two\r\n\r\n", "\n")), both},
		"no blank lines at the end":    {zipped(strings.TrimRight(one, crlf), two), both},
		"blank lines before":           {zipped(crlf+crlf+one, two), both},
		"empty member between":         {zipped(one, "", two), both},
		"garbage before a record":      {append(append(zipped(one), "garbage"...), zipped(two)...), []string{both[0], "!", both[1]}},
		"garbage between plain":        {[]byte(one + "garbage" + crlf + two), []string{both[0], "!", both[1]}},
		"a damaged member in between":  {append(append(zipped(one), damaged...), zipped(two)...), nil},
		"the file ends within a block": {[]byte(one + two[:len(two)-8]), []string{both[0], "http://b.test/ two", "!"}},
		"the file ends within a head":  {[]byte(one + two[:40]), []string{both[0], "!"}},
		"a length that is no number":   {[]byte(strings.Replace(one, "Length: 3", "Length: x", 1) + two), []string{"!", both[1]}},
		"a folded line":                {[]byte(strings.Replace(one, "WARC-Date", "X-Note: long\r\n  line\r\nWARC-Date", 1)), both[:1]},
		"nothing":                      {nil, nil},
	} {
		got := readAll(t, tc.data)
		if tc.want == nil && len(tc.data) > 0 {
			if len(got) < 3 || got[0] != both[0] || got[len(got)-1] != both[1] {
				t.Errorf("%s: %q", name, got)
			}
			continue
		}
		if strings.Join(got, "|") != strings.Join(tc.want, "|") {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestReadersReadWhatWritersWrite(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	records := []*Record{
		{Type: Info, ID: NewID(), ContentType: "application/warc-fields", Block: []byte("software: plat\r\n")},
		{Type: Resource, ID: NewID(), URI: "http://a.test/", ContentType: "text/html", Block: []byte("<p>words")},
	}
	for _, r := range records {
		if _, err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	r := NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	for _, want := range records {
		got, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(got.Block)
		if at, ok := got.Date(); err != nil || !ok || !at.Equal(want.Date.UTC()) || got.Type != want.Type || got.URI() != want.URI || !bytes.Equal(block, want.Block) || got.Get("content-type") != want.ContentType {
			t.Errorf("%+v is read as %+v, %q", want, got, block)
		}
	}
	if text, err := io.ReadAll(Uncompressed(bytes.NewReader(b.Bytes()), int64(b.Len()))); err != nil || bytes.Count(text, []byte("WARC/1.1\r\n")) != 2 {
		t.Errorf("%q, %v", text, err)
	}
}

// A reader ends, whatever it reads, and holds no more than a head.
func FuzzReader(f *testing.F) {
	f.Add([]byte(text("1.0", "http://a.test/", "one", "\r\n")))
	f.Add(zipped(text("1.0", "http://a.test/", "one", "\r\n"), text("1.1", "http://b.test/", "two", "\n")))
	f.Add([]byte("WARC/1.0\nContent-Length: 9223372036854775807\n\nx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, size := bytes.NewReader(data), int64(len(data))
		r := NewReader(file, size)
		last := int64(-1)
		for i := 0; ; i++ {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			if i > len(data)+1 {
				t.Fatalf("%d records in %d bytes", i, len(data))
			}
			if err != nil {
				continue
			}
			if at := rec.Offset + rec.Within; rec.Within == 0 && at <= last {
				t.Fatalf("a record at %d after one at %d", at, last)
			}
			last = rec.Offset
			if _, err := Open(file, size, rec.Place); err != nil {
				t.Fatalf("%+v cannot be opened: %v", rec.Place, err)
			}
		}
	})
}
