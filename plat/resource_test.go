package plat

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"
)

func someResources() []Resource {
	css, gif := []byte("p{color:red}"), []byte("GIF89a")
	return []Resource{
		{URL: "https://a.test/z.css", Type: "text/css", Status: 200, Size: int64(len(css)), Hash: HashOf(css), Data: css},
		{URL: "plat:style/0.0.3", Type: "text/css", Size: int64(len(css)), Hash: HashOf(css), Data: css},
		{URL: "https://a.test/a.gif", Type: "image/gif", Status: 404, Size: int64(len(gif)), Hash: HashOf(gif), Data: gif},
		{URL: "https://cdn.test/huge.png", Type: "image/png", Left: OmitLarge},
	}
}

func TestTheOrderOfResourcesDoesNotMatter(t *testing.T) {
	all := someResources()
	m := ManifestOf(all)
	slices.Reverse(all)
	if again := ManifestOf(all); m.Sum() != again.Sum() || m.Sum().IsZero() {
		t.Errorf("sums %s and %s", m.Sum().Short(), again.Sum().Short())
	}
	if all[0].Data != nil || all[1].Data == nil {
		t.Error("ManifestOf modified its input")
	}
	if r, ok := m.Find("https://cdn.test/huge.png"); !ok || r.Left != OmitLarge {
		t.Errorf("Find: %+v, %t", r, ok)
	}
	if r, ok := m.Find("https://cdn.test/"); ok {
		t.Errorf("Find of an unknown URL: %+v", r)
	}
	if n, size := m.Kept(); n != 3 || size != 30 {
		t.Errorf("%d resources of %d bytes are stored, want 3 of 30", n, size)
	}
	if !ManifestOf(nil).Sum().IsZero() {
		t.Error("an empty manifest has a hash")
	}
}

// FuzzManifest checks the round trip in both directions.
func FuzzManifest(f *testing.F) {
	f.Add(ManifestOf(someResources()).Marshal())
	f.Add([]byte{})
	f.Add([]byte{1, 'a', 0, 0, 0x80, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := UnmarshalManifest(b)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("error = %v, want ErrCorrupt", err)
			}
			return
		}
		if !bytes.Equal(m.Marshal(), b) {
			t.Fatalf("%x decodes to %+v, which encodes to %x", b, m, m.Marshal())
		}
		if again := ManifestOf(m); !reflect.DeepEqual(again, m) && len(m) > 0 {
			t.Fatalf("%+v is not sorted", m)
		}
	})
}

func TestManifestRoundTrip(t *testing.T) {
	m := ManifestOf(someResources())
	got, err := UnmarshalManifest(m.Marshal())
	if err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("read %+v, %v; want %+v", got, err, m)
	}
	twice := append(slices.Clone(m[:1]), m[0])
	if _, err := UnmarshalManifest(twice.Marshal()); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a URL twice: error = %v, want ErrCorrupt", err)
	}
}

func TestStylePlaceURLs(t *testing.T) {
	for url, want := range map[string]StylePlace{
		"plat:style/0.0.3":       {Path: []int32{0, 0, 3}},
		"plat:style/0.1.^0.12":   {Path: []int32{0, 1, ^0, 12}},
		"plat:adopted/2/":        {Adopted: 2},
		"plat:adopted/1/0.1.^0":  {Path: []int32{0, 1, ^0}, Adopted: 1},
		"plat:style/2147483647":  {Path: []int32{1<<31 - 1}},
		"plat:style/^2147483647": {Path: []int32{-1 << 31}},
	} {
		if got := want.URL(); got != url {
			t.Errorf("%+v is %q, want %q", want, got, url)
		}
		if got, ok := ParseStylePlace(url); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %+v, %t; want %+v", url, got, ok, want)
		}
	}
	for _, url := range []string{"", "https://a.test/", "plat:style", "plat:style/0.", "plat:style/-1", "plat:style/01", "plat:adopted/0/0", "plat:adopted/x/0", "plat:adopted/1", "plat:adopted/2147483648/0", "plat:adopted/-1/0", "plat:style/99999999999"} {
		if p, ok := ParseStylePlace(url); ok {
			t.Errorf("%q is read as %+v", url, p)
		}
	}
}

func TestCanvasPlaceURLs(t *testing.T) {
	for url, want := range map[string]CanvasPlace{
		"plat:canvas/0.1.3":     {Path: []int32{0, 1, 3}},
		"plat:canvas/0.1.^0.12": {Path: []int32{0, 1, ^0, 12}},
	} {
		if got := want.URL(); got != url {
			t.Errorf("%+v is %q, want %q", want, got, url)
		}
		if got, ok := ParseCanvasPlace(url); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %+v, %t; want %+v", url, got, ok, want)
		}
		if p, ok := ParseStylePlace(url); ok {
			t.Errorf("%q parses as a StylePlace, %+v", url, p)
		}
	}
	for _, url := range []string{"", "https://a.test/", "plat:canvas", "plat:canvas/", "plat:canvas/0.", "plat:canvas/-1", "plat:canvas/01", "plat:style/0.1.3"} {
		if p, ok := ParseCanvasPlace(url); ok {
			t.Errorf("%q is read as %+v", url, p)
		}
	}
}
