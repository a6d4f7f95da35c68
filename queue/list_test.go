package queue

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"plat/plat"
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

func TestLinesEndInLFCROrBoth(t *testing.T) {
	for _, tc := range []struct{ list, want string }{
		{"http://a.test/\rhttp://b.test/\r", "1 http://a.test/ 15|2 http://b.test/ 30 open"},
		{"http://a.test/\r\nhttp://b.test/\r\n", "1 http://a.test/ 16|2 http://b.test/ 32"},
		{"http://a.test/\r\rhttp://b.test/\n\rhttp://c.test/", "1 http://a.test/ 15|3 http://b.test/ 31|5 http://c.test/ 46 open"},
		{strings.Repeat("#", 64<<10-1) + "\r\nhttp://a.test/\n", "2 http://a.test/ 65552"},
		{strings.Repeat("#", 64<<10-1) + "\rhttp://a.test/\n", "2 http://a.test/ 65551"},
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(tc.list), "in bytes": iotest.OneByteReader(strings.NewReader(tc.list)), "its error with it": iotest.DataErrReader(strings.NewReader(tc.list))} {
			var got []string
			err := EachSeed(r, func(l Line) error {
				text := fmt.Sprint(l.N, " ", l.Text, " ", l.End)
				if l.Open {
					text += " open"
				}
				got = append(got, text)
				return l.Err
			})
			if err != nil || strings.Join(got, "|") != tc.want {
				t.Errorf("%.40q, %s: %q, %v; want %q", tc.list, name, got, err, tc.want)
			}
		}
	}
	lost := errors.New("lost")
	n := 0
	err := EachSeed(io.MultiReader(strings.NewReader("http://a.test/\r"), iotest.ErrReader(lost)), func(l Line) error { n++; return l.Err })
	if err != lost || n != 1 {
		t.Errorf("a list that breaks off after a CR: %d lines, %v", n, err)
	}
}

func TestLinesThatAreNotUTF8AreRefusedAlone(t *testing.T) {
	for text, refused := range map[string]bool{
		"http://a.test/\xe9":                      true,
		"{\"url\": \"http://a.test/\xe9\"}":       true,
		`{"url": "http://a.test/\ud83d"}`:         true,
		`{"url": "http://a.test/\uDE00\uD83D"}`:   true,
		`{"url": "http://a.test/\ud83d\ude00"}`:   false,
		`{"url": "http://a.test/\\ud83d"}`:        false,
		`{"url": "http://a.test/é"}`:              false,
		"http://a.test/é # caf\xe9":               false,
		"http://a.test/%E9":                       false,
		`{"url": "http://a.test/\\\ud83d\ude00"}`: false,
	} {
		var got []Line
		err := EachSeed(strings.NewReader("http://before.test/\n"+text+"\nhttp://after.test/\n"), func(l Line) error { got = append(got, l); return nil })
		if err != nil || len(got) != 3 || got[0].Err != nil || got[2].Err != nil || errors.Is(got[1].Err, plat.ErrBadURL) != refused {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if strings.Contains(text, "#") {
			continue // a comment of a list
		}
		if _, err := ParseSeed(text, Seed{}, nil); (err != nil) != refused {
			t.Errorf("ParseSeed(%q): %v", text, err)
		}
	}
}

func TestSeedsOfTheWrongTypeAreSaidInWords(t *testing.T) {
	_, err := ParseSeed(`{"url": "http://a.test/", "priority": "high"}`, Seed{}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), `not a seed: "priority" is a text; write a number; write {`) {
		t.Errorf("%v", err)
	}
}
