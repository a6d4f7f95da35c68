package snapshotfile_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"plat/docs"
	"plat/plat"
)

// TestTheFormatSaysWhatIsWritten unpacks a small snapshot and holds its parts against
// the examples of docs/format.md.
func TestTheFormatSaysWhatIsWritten(t *testing.T) {
	s := &plat.Snapshot{
		URL: "https://a.test/", FinalURL: "https://a.test/", Status: 200, ContentType: "text/html", Taken: time.UnixMilli(1_790_000_000_000).UTC(), Width: 1366, Height: 768,
		Styles: []plat.Style{{Display: "block", Opacity: 1, FontSize: 16, FontWeight: 400}},
		Nodes: []plat.Node{
			{Kind: plat.DocumentNode, Parent: -1, End: 3},
			{Kind: plat.ElementNode, Parent: 0, End: 3, Name: "p", HasBox: true, Paint: 1, Box: plat.Rect{X: 8, Y: 16, W: 1350, H: 20.5}, Attrs: []plat.Attr{{Name: "id", Value: "p"}}},
			{Kind: plat.TextNode, Parent: 1, End: 3, HasBox: true, Paint: 2, Value: "Storm", Box: plat.Rect{X: 8, Y: 16, W: 40.1, H: 20}},
		},
		Lines: []plat.Line{{Node: 2, Len: 5, Box: plat.Rect{X: 8, Y: 16, W: 40, H: 20}}},
	}
	z, err := gzip.NewReader(bytes.NewReader(write(t, s)))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	rest, ok := bytes.CutPrefix(all, []byte("plat snapshot 1\n"))
	n, size := binary.Uvarint(rest)
	if !ok || size <= 0 || n > uint64(len(rest)-size) {
		t.Fatalf("the file is %q", all)
	}
	header, body := rest[size:size+int(n)], rest[size+int(n):]
	for name, got := range map[string][]byte{"snapshot-header": header, "snapshot-body": body} {
		if want, err := docs.Example(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is\n%s\n% x\nthe document has\n%s\n% x, %v", name, got, got, want, want, err)
		}
	}
}

func TestTheFormatNamesEveryFieldOfASnapshot(t *testing.T) {
	section := docs.Section("## Snapshot files")
	for _, of := range []any{plat.Snapshot{}, plat.Style{}, plat.Generated{}, plat.Redirect{}, plat.Timing{}} {
		for f := range reflect.TypeOf(of).Fields() {
			if f.Tag.Get("json") != "-" && !strings.Contains(section, "`"+f.Name+"`") {
				t.Errorf("the section on snapshot files does not say what %T.%s is", of, f.Name)
			}
		}
	}
}
