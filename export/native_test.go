package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"plat/plat"
	"plat/segment/markup"
	"plat/storage/history"
	"plat/storage/sqlite"
)

func TestAVersionIsReadAsItWasWritten(t *testing.T) {
	s, err := sqlite.Open(filepath.Join(t.TempDir(), "a.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const url = "http://a.test/"
	grow(t, s, url, 3, 5)
	for n := 1; n <= 3; n++ {
		v, err := s.Version(t.Context(), url, n)
		if err != nil {
			t.Fatal(err)
		}
		page, err := history.Page(t.Context(), s, v)
		if err != nil {
			t.Fatal(err)
		}
		layout, err := s.Layout(t.Context(), v.Layout)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(newVersionRecord(v, layout.Slots, nil, page))
		if err != nil {
			t.Fatal(err)
		}
		r, err := ReadVersion(data)
		if err != nil {
			t.Fatal(err)
		}
		got, l, m, err := r.Version(page)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := markup.Restore(&l, got.Blocks); err != nil || !bytes.Equal(again, page) || len(m) > 0 {
			t.Errorf("version %d: restored as %q, %v", n, again, err)
		}
		if was, is := asJSON(t, v), asJSON(t, got); was != is {
			t.Errorf("version %d:\n%s\nread:\n%s", n, was, is)
		}
		for _, bad := range [][]byte{nil, page[1:], append(bytes.Clone(page), ' ')} {
			if _, _, _, err := r.Version(bad); !errors.Is(err, plat.ErrCorrupt) {
				t.Errorf("version %d of a different page: %v", n, err)
			}
		}
		r.Contents[0]++
		if _, _, _, err := r.Version(page); !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("version %d with a longer block: %v", n, err)
		}
	}
	if _, err := ReadVersion([]byte(`{"format": 2}`)); err == nil {
		t.Error("a record of a later format is read")
	}
}

func asJSON(t *testing.T, v *plat.Version) string {
	t.Helper()
	b, err := json.Marshal(documentOf(v, nil, true))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A record from elsewhere neither crashes nor gives a version whose page is a different one.
func FuzzVersionRecord(f *testing.F) {
	f.Add([]byte(`{"format":1,"url":"http://a.test/","version":1,"tree":"AAAA","slots":[0],"contents":[1]}`), []byte("<p>words"))
	f.Add([]byte(`{"format":1,"slots":[-1,5],"contents":[-1],"tree":""}`), []byte(""))
	f.Fuzz(func(t *testing.T, data, page []byte) {
		r, err := ReadVersion(data)
		if err != nil {
			return
		}
		r.Page = plat.HashOf(page)
		v, l, _, err := r.Version(page)
		if err != nil {
			return
		}
		if again, err := markup.Restore(&l, v.Blocks); err != nil || !bytes.Equal(again, page) {
			t.Fatalf("restored as %q, %v", again, err)
		}
	})
}
