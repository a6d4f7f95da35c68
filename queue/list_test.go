package queue

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"plat"
)

func TestEachSeed(t *testing.T) {
	list := "\uFEFF# a list\n\n http://a.test/#top\r\n{\"url\": \"http://b.test/ # no comment\"}\nhttp://c.test/\t# why\n"
	var got []string
	end := int64(0)
	err := EachSeed(strings.NewReader(list), func(l Line) error {
		got, end = append(got, fmt.Sprint(l.N, " ", l.Text)), l.End
		return l.Err
	})
	if want := "3 http://a.test/#top|4 {\"url\": \"http://b.test/ # no comment\"}|5 http://c.test/"; err != nil || strings.Join(got, "|") != want {
		t.Errorf("the lines are %q, %v", got, err)
	}
	if end != int64(len(list)) {
		t.Errorf("the last line ends after %d bytes, the list after %d", end, len(list))
	}
	enough := errors.New("enough")
	if err := EachSeed(strings.NewReader("a\nb\n"), func(Line) error { return enough }); err != enough {
		t.Errorf("an error of yield returns %v", err)
	}
}

// A line of any length is refused alone, and not held in memory.
func TestEachSeedRefusesLongLinesAlone(t *testing.T) {
	for _, n := range []int{maxSeed - 1, maxSeed, maxSeed + 2, 100 << 10, 10 << 20} {
		list := "http://a.test/\n" + strings.Repeat("x", n) + "\r\nhttp://b.test/"
		var got []Line
		if err := EachSeed(strings.NewReader(list), func(l Line) error { got = append(got, l); return nil }); err != nil {
			t.Fatal(err)
		}
		if len(got) != 3 || got[0].Text != "http://a.test/" || got[2].Text != "http://b.test/" || got[2].N != 3 || got[2].End != int64(len(list)) {
			t.Errorf("%d bytes: %d lines", n, len(got))
		} else if long := n > maxSeed; long != errors.Is(got[1].Err, plat.ErrBadURL) || len(got[1].Text) > maxSeed+2 {
			t.Errorf("%d bytes: error %v, and %d bytes are held", n, got[1].Err, len(got[1].Text))
		}
	}
	n := 0
	err := EachSeed(io.MultiReader(strings.NewReader("http://a.test/\n"), &zeros{}), func(l Line) error {
		if n++; len(l.Text) > maxSeed+2 {
			t.Errorf("%d bytes are held", len(l.Text))
		}
		return nil
	})
	if !errors.Is(err, io.ErrUnexpectedEOF) || n != 1 {
		t.Errorf("a line that breaks off: %d lines, %v", n, err)
	}
}

// zeros yields a hundred megabytes and fails.
type zeros struct{ n int }

func (z *zeros) Read(b []byte) (int, error) {
	if z.n += len(b); z.n > 100<<20 {
		return 0, io.ErrUnexpectedEOF
	}
	clear(b)
	return len(b), nil
}
