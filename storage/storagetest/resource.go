package storagetest

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// Resource returns a resource of a URL.
func Resource(url, mediaType string, data []byte) plat.Resource {
	return plat.Resource{URL: url, Type: mediaType, Status: 200, Size: int64(len(data)), Hash: plat.HashOf(data), Data: data}
}

// SetResources sets a commit's resources.
func SetResources(c *storage.Commit, all ...plat.Resource) {
	c.Resources, c.Version.Resources = all, plat.ManifestOf(all).Sum()
}

// someResources returns resources of all kinds; noise is the content of the image.
func someResources(noise []byte) []plat.Resource {
	css := []byte(strings.Repeat("p { color: red; }\n", 50))
	return []plat.Resource{
		Resource("https://a.test/style.css", "text/css", css),
		Resource("https://a.test/copy.css", "text/css", css),
		Resource("https://a.test/empty.css", "text/css", []byte{}),
		Resource("https://cdn.test/image.png", "image/png", noise),
		Resource(plat.StylePlace{Path: []int32{0, 0, 3}}.URL(), "text/css", []byte("b { color: blue; }\n")),
		Resource(plat.CanvasPlace{Path: []int32{0, 1, ^0, 2}}.URL(), "image/png", noise),
		{URL: plat.CanvasPlace{Path: []int32{0, 1, 4}}.URL(), Type: "image/png", Left: plat.OmitTainted},
		{URL: "https://cdn.test/huge.png", Type: "image/png", Left: plat.OmitLarge},
		{URL: "https://cdn.test/\xff\x00.png", Left: plat.OmitFailed},
	}
}

// noise returns incompressible bytes.
func noise(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 9))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// sameResources reads the resources of a version and compares them with the committed
// ones.
func sameResources(t testing.TB, s storage.Store, c *storage.Commit) {
	t.Helper()
	if len(c.Resources) == 0 {
		return
	}
	m, err := s.Manifest(t.Context(), c.Version.Resources)
	if want := plat.ManifestOf(c.Resources); err != nil || !reflect.DeepEqual(m, want) {
		t.Fatalf("Manifest of version %d of %s = %+v, %v; want %+v", c.Version.N, c.Version.URL, m, err, want)
	}
	for i := range m {
		if m[i].Left != "" {
			continue
		}
		b, err := s.Resource(t.Context(), m[i].Hash)
		if err != nil || b == nil || plat.HashOf(b) != m[i].Hash || int64(len(b)) != m[i].Size {
			t.Fatalf("Resource %s of version %d of %s: %d bytes, %v", m[i].URL, c.Version.N, c.Version.URL, len(b), err)
		}
	}
}

func testResources(t *testing.T, open func(testing.TB) storage.Store, _ int) {
	t.Run("resources are returned, and omitted ones are listed", func(t *testing.T) {
		s := open(t)
		p := NewPage("https://a.test/", 1)
		c := p.Next()
		SetResources(c, someResources(noise(1, 5000))...)
		commit(t, s, c)
		sameCommit(t, s, c, nil)
		for range 2 { // callers may modify the result
			b, err := s.Resource(t.Context(), c.Resources[3].Hash)
			if err != nil || !bytes.Equal(b, c.Resources[3].Data) {
				t.Fatalf("Resource: %d bytes, %v", len(b), err)
			}
			clear(b)
		}
		for v, err := range s.Versions(t.Context(), p.URL) {
			if err != nil || v.Resources != c.Version.Resources {
				t.Errorf("Versions yields the manifest %s, %v", v.Resources.Short(), err)
			}
		}
		if r := clean(t, s); r.Manifests != 1 || r.Resources != 4 || r.Unreferenced != 0 {
			t.Errorf("Verify counts %d manifests, %d resources, %d unreferenced; want 1, 4, 0", r.Manifests, r.Resources, r.Unreferenced)
		}
		next := p.Next() // without resources
		commit(t, s, next)
		sameCommit(t, s, next, nil)
	})

	t.Run("a missing manifest or resource is ErrNotFound", func(t *testing.T) {
		s := open(t)
		c := NewPage("https://a.test/", 1).Next()
		SetResources(c, someResources([]byte("noise"))...)
		commit(t, s, c)
		for _, h := range []plat.Hash{{}, plat.HashOf([]byte("none")), c.Version.Layout, c.Resources[0].Hash} {
			if _, err := s.Manifest(t.Context(), h); !errors.Is(err, plat.ErrNotFound) {
				t.Errorf("Manifest(%s) error = %v, want plat.ErrNotFound", h.Short(), err)
			}
		}
		for _, h := range []plat.Hash{{}, plat.HashOf([]byte("none")), c.Version.Resources} {
			if _, err := s.Resource(t.Context(), h); !errors.Is(err, plat.ErrNotFound) {
				t.Errorf("Resource(%s) error = %v, want plat.ErrNotFound", h.Short(), err)
			}
		}
	})

	t.Run("resources are stored once for all versions and sites", func(t *testing.T) {
		const size = 200_000
		s := open(t)
		a, b := NewPage("https://a.test/", 1), NewPage("https://b.test/", 2)
		first := a.Next()
		SetResources(first, someResources(noise(1, size))...)
		w := commit(t, s, first)
		if w.Resources < size || w.Bytes > size {
			t.Errorf("the first version wrote %+v, with a resource of %d", w, size)
		}
		if st, err := s.State(t.Context(), "https://a.test/"); err != nil || st.ResourceBytes != w.Resources || st.StoredBytes != w.Bytes || st.PictureBytes != 0 {
			t.Errorf("the state counts %+v; the commit wrote %+v, %v", st, w, err)
		}
		all := []*storage.Commit{first}
		for i, c := range []*storage.Commit{a.Next(), b.Next(), a.Next()} {
			SetResources(c, someResources(noise(1, size))...)
			if i == 2 { // without Data, because nothing is new
				for k := range c.Resources {
					c.Resources[k].Data = nil
				}
			}
			if w := commit(t, s, c); w.Bytes+w.Resources > size/2 {
				t.Errorf("version %d of %s wrote %+v, although its resources are stored", c.Version.N, c.Version.URL, w)
			}
			all = append(all, c)
		}
		for _, c := range all {
			sameCommit(t, s, c, nil)
		}
		if r := clean(t, s); r.Manifests != 1 || r.Resources != 4 {
			t.Errorf("Verify counts %d manifests and %d resources, want 1 and 4", r.Manifests, r.Resources)
		}
	})

	t.Run("a resource that is neither given nor stored is rejected", func(t *testing.T) {
		s := open(t)
		c := NewPage("https://a.test/", 1).Next()
		SetResources(c, someResources([]byte("noise"))...)
		c.Resources[3].Data = nil
		if _, err := s.Commit(t.Context(), c); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("error = %v, want plat.ErrNotFound", err)
		}
		if _, err := s.Version(t.Context(), c.Version.URL, 0); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Version after that: error = %v, want plat.ErrNotFound", err)
		}
		clean(t, s)
	})

	t.Run("contradictory resources are rejected", func(t *testing.T) {
		s := open(t)
		for name, spoil := range map[string]func(c *storage.Commit){
			"no manifest":       func(c *storage.Commit) { c.Version.Resources = plat.Hash{} },
			"no resources":      func(c *storage.Commit) { c.Resources = nil },
			"another manifest":  func(c *storage.Commit) { c.Version.Resources[0] ^= 1 },
			"a URL twice":       func(c *storage.Commit) { SetResources(c, append(c.Resources, c.Resources[0])...) },
			"another size":      func(c *storage.Commit) { c.Resources[0].Size++; SetResources(c, c.Resources...) },
			"a negative size":   func(c *storage.Commit) { c.Resources[0].Size = -1; SetResources(c, c.Resources...) },
			"other data":        func(c *storage.Commit) { c.Resources[0].Data = c.Resources[3].Data; SetResources(c, c.Resources...) },
			"no hash":           func(c *storage.Commit) { c.Resources[0].Hash = plat.Hash{}; SetResources(c, c.Resources...) },
			"omitted with data": func(c *storage.Commit) { c.Resources[0].Left = plat.OmitFull; SetResources(c, c.Resources...) },
			"a negative status": func(c *storage.Commit) { c.Resources[0].Status = -1; SetResources(c, c.Resources...) },
			"over the limit": func(c *storage.Commit) {
				c.Resources[0].Data, c.Resources[0].Size = nil, storage.MaxResource+1
				SetResources(c, c.Resources...)
			},
			"a URL over the limit": func(c *storage.Commit) {
				SetResources(c, Resource("https://a.test/"+strings.Repeat("x", plat.MaxResourceURL), "", nil))
			},
			"too many": func(c *storage.Commit) {
				all := make([]plat.Resource, plat.MaxResources+1)
				for i := range all {
					all[i] = plat.Resource{URL: "https://a.test/" + strings.Repeat("x", i%1000) + string(rune('a'+i/1000)), Left: plat.OmitGone}
				}
				SetResources(c, all...)
			},
		} {
			c := NewPage("https://a.test/", 1).Next()
			SetResources(c, someResources([]byte("noise"))...)
			spoil(c)
			if _, err := s.Commit(t.Context(), c); err == nil {
				t.Errorf("%s: the commit was accepted", name)
			}
		}
		if _, err := s.State(t.Context(), "https://a.test/"); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("State after rejected commits: error = %v, want plat.ErrNotFound", err)
		}
	})

	t.Run("a resource larger than a document of MongoDB is returned", func(t *testing.T) {
		s := open(t)
		c := NewPage("https://a.test/", 1).Next()
		SetResources(c, Resource("https://a.test/big.png", "image/png", noise(3, 20<<20)))
		commit(t, s, c)
		sameCommit(t, s, c, nil)
	})

	t.Run("GC keeps referenced resources and removes the rest", func(t *testing.T) {
		s := open(t)
		p := NewPage("https://a.test/", 1)
		c := p.Next()
		SetResources(c, someResources([]byte("kept"))...)
		commit(t, s, c)
		lost := NewPage("https://a.test/", 77).Next() // a different version 1
		SetResources(lost, someResources([]byte("lost"))...)
		if _, err := s.Commit(t.Context(), lost); !errors.Is(err, plat.ErrConflict) {
			t.Fatalf("a second version 1: error = %v, want plat.ErrConflict", err)
		}
		for _, before := range []time.Time{time.Now().Add(-time.Hour), time.Now().Add(time.Hour)} {
			if _, err := s.GC(t.Context(), before); err != nil {
				t.Fatal(err)
			}
			sameCommit(t, s, c, nil)
		}
		if r := clean(t, s); r.Manifests != 1 || r.Resources != 4 || r.Unreferenced != 0 {
			t.Errorf("after GC: %d manifests, %d resources, %d unreferenced; want 1, 4, 0", r.Manifests, r.Resources, r.Unreferenced)
		}
		if _, err := s.Resource(t.Context(), lost.Resources[3].Hash); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("an unreferenced resource: error = %v, want plat.ErrNotFound", err)
		}
	})

	t.Run("Commit does not modify its resources", func(t *testing.T) {
		s := open(t)
		c := NewPage("https://a.test/", 1).Next()
		all := someResources([]byte("noise"))
		slices.Reverse(all)
		SetResources(c, slices.Clone(all)...)
		commit(t, s, c)
		if !reflect.DeepEqual(c.Resources, all) {
			t.Error("the resources changed")
		}
	})
}
