package fileview

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// maxMended limits the bytes that are read to mend a feed: each broken entry is found from the beginning.
const maxMended = 32 << 20

// mended returns a feed that is no XML without the entries that are broken, and with the ends that it lacks: parsers
// refuse the whole of a feed for one of them, or for a connection that was cut.
func mended(data []byte) []byte {
	for read := 0; read < maxMended; {
		open, at := broken(data)
		if at < 0 {
			return data
		}
		read += at
		from := max(bytes.LastIndex(data[:at], []byte("<item")), bytes.LastIndex(data[:at], []byte("<entry")))
		if from < 0 {
			return data
		}
		if length := entryLength(data[from:]); length > 0 {
			data = append(bytes.Clone(data[:from]), data[from+length:]...)
			continue
		}
		// The rest is lost.
		var b bytes.Buffer
		b.Write(data[:from])
		if i := slices.IndexFunc(open, func(name string) bool { return name == "item" || name == "entry" }); i >= 0 {
			open = open[:i]
		}
		for _, name := range slices.Backward(open) {
			b.WriteString("</" + name + ">")
		}
		return b.Bytes()
	}
	return data
}

// entryLength returns the length of the entry at the beginning of a text; 0: it does not end.
func entryLength(data []byte) (length int) {
	for _, end := range []string{"</item>", "</entry>"} {
		if i := bytes.Index(data, []byte(end)); i >= 0 && (length == 0 || i+len(end) < length) {
			length = i + len(end)
		}
	}
	return length
}

// broken returns the place where a text stops to be XML, and the elements that are open there; -1: it is XML to its end.
func broken(data []byte) (open []string, at int) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	for {
		t, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF) && len(open) == 0:
			return nil, -1
		case err != nil:
			return open, int(d.InputOffset())
		}
		switch t := t.(type) {
		case xml.StartElement:
			open = append(open, name(t.Name))
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != name(t.Name) {
				return open, int(d.InputOffset())
			}
			open = open[:len(open)-1]
		}
	}
}

func name(n xml.Name) string { return strings.TrimPrefix(n.Space+":"+n.Local, ":") }
