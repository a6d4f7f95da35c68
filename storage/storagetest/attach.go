package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// attachment returns a picture and resources; noise makes them different from others.
func attachment(noise string) *storage.Attachment {
	return &storage.Attachment{Picture: &plat.Picture{Type: "image/png", Data: []byte("a picture of " + noise)}, Resources: someResources([]byte(noise))}
}

// with changes a commit so that its version has what a adds.
func with(c *storage.Commit, a *storage.Attachment) {
	if a.Picture != nil {
		c.Picture, c.Version.Picture = a.Picture, plat.HashOf(a.Picture.Data)
	}
	if len(a.Resources) > 0 {
		SetResources(c, a.Resources...)
	}
}

// attach attaches to the version of a commit, and changes the commit accordingly.
func attach(t testing.TB, s storage.Store, c *storage.Commit, a *storage.Attachment) storage.Written {
	t.Helper()
	w, err := s.Attach(t.Context(), c.Version.URL, c.Version.N, a)
	if err != nil {
		t.Fatalf("Attach to version %d: %v", c.Version.N, err)
	}
	with(c, a)
	return w
}

// samePicture checks that a version shows its picture.
func samePicture(t testing.TB, s storage.Store, c *storage.Commit) {
	t.Helper()
	if c.Picture == nil {
		return
	}
	if p, err := s.Picture(t.Context(), c.Version.Picture); err != nil || string(p.Data) != string(c.Picture.Data) || p.Type != c.Picture.Type {
		t.Errorf("the picture of version %d is %+v, %v", c.Version.N, p, err)
	}
}

// allTheSame checks all versions of a URL, however they are read.
func allTheSame(t testing.TB, s storage.Store, all []*storage.Commit) {
	t.Helper()
	url := all[0].Version.URL
	for _, c := range all {
		sameCommit(t, s, c, nil)
		samePicture(t, s, c)
	}
	last := all[len(all)-1].Version
	st, err := s.State(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := s.Last(t.Context(), &st); err != nil || v.Picture != last.Picture || v.Resources != last.Resources {
		t.Errorf("Last = %+v, %v", v, err)
	}
	i := 0
	for v, err := range s.Trees(t.Context(), url, 1, last.N) {
		if err != nil {
			t.Fatal(err)
		}
		sameVersion(t, v, all[i].Version)
		i++
	}
	for _, v := range collect(t, s.Versions(t.Context(), url)) {
		if want := all[v.N-1].Version; v.Picture != want.Picture || v.Resources != want.Resources {
			t.Errorf("Versions yields version %d with picture %s and resources %s", v.N, v.Picture.Short(), v.Resources.Short())
		}
	}
}

// sumsAgree checks the statistics of the only host against the state of its only URL. After a crash, GC counts them.
func sumsAgree(t testing.TB, s storage.Store, url string) {
	t.Helper()
	st, err := s.State(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := s.Stats(t.Context())
	if err != nil || len(stats) != 1 || stats[0].PictureBytes != st.PictureBytes || stats[0].ResourceBytes != st.ResourceBytes || stats[0].Versions != st.Changes {
		t.Errorf("Stats = %+v, %v; the state is %+v", stats, err, st)
	}
}

func testAttach(t *testing.T, open func(testing.TB) storage.Store, size int) {
	const url = "https://a.test/"
	t.Run("a version gets a picture and resources once", func(t *testing.T) {
		s := open(t)
		all := history(t, s, url, 3, 3)
		was, err := s.State(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		w := attach(t, s, all[2], attachment("first"))
		if w.Pictures == 0 || w.Resources == 0 || w.Bytes != 0 || w.Blocks != 0 {
			t.Errorf("Attach wrote %+v", w)
		}
		allTheSame(t, s, all)
		is, err := s.State(t.Context(), url)
		if was.PictureBytes, was.ResourceBytes = w.Pictures, w.Resources; err != nil || is != was {
			t.Errorf("State = %+v, %v; want %+v", is, err, was)
		}
		for _, again := range []string{"first", "second"} {
			if w, err := s.Attach(t.Context(), url, 3, attachment(again)); err != nil || w != (storage.Written{}) {
				t.Errorf("Attach to a version that has both = %+v, %v", w, err)
			}
		}
		allTheSame(t, s, all)
		sumsAgree(t, s, url)
		if r := clean(t, s); r.Pictures != 1 || r.Manifests != 1 || r.Unreferenced != 0 {
			t.Errorf("Verify counts %+v", r)
		}
		if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		allTheSame(t, s, all)
		if err := s.Reindex(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		allTheSame(t, s, all)
		clean(t, s)
	})

	t.Run("what a version has stays", func(t *testing.T) {
		s := open(t)
		p := NewPage(url, 4)
		var all []*storage.Commit
		one, two := attachment("one"), attachment("two")
		for _, has := range []*storage.Attachment{{Picture: one.Picture}, {Resources: one.Resources}} {
			c := p.Next()
			with(c, has)
			commit(t, s, c)
			if _, err := s.Attach(t.Context(), url, c.Version.N, two); err != nil {
				t.Fatal(err)
			}
			lacks := &storage.Attachment{Picture: two.Picture}
			if has.Picture != nil {
				lacks = &storage.Attachment{Resources: two.Resources}
			}
			with(c, lacks)
			all = append(all, c)
			allTheSame(t, s, all)
		}
		if w, err := s.Attach(t.Context(), url, 2, &storage.Attachment{}); err != nil || w != (storage.Written{}) {
			t.Errorf("Attach of nothing = %+v, %v", w, err)
		}
		if r := clean(t, s); r.Pictures != 2 || r.Manifests != 2 || r.Unreferenced != 0 {
			t.Errorf("Verify counts %+v", r)
		}
	})

	t.Run("versions follow with and without", func(t *testing.T) {
		s := open(t)
		p := NewPage(url, 5)
		var all []*storage.Commit
		for n := range min(size, 40) { // more than a chain
			c := p.Next()
			if n%5 == 4 {
				with(c, attachment("of version 4"))
			}
			commit(t, s, c)
			all = append(all, c)
			if n%5 < 2 || n == 32 {
				x := attachment(fmt.Sprint("of version ", 4*(n%2)))
				switch n % 4 {
				case 1:
					x.Picture = nil
				case 2:
					x.Resources = nil
				}
				attach(t, s, c, x)
			}
		}
		allTheSame(t, s, all)
		sumsAgree(t, s, url)
		clean(t, s)
		if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		allTheSame(t, s, all)
		if r := clean(t, s); r.Unreferenced != 0 {
			t.Errorf("after GC %d are unreferenced", r.Unreferenced)
		}
	})

	t.Run("only the last version gets one", func(t *testing.T) {
		s := open(t)
		a := attachment("late")
		all := history(t, s, url, 6, 3)
		refused := func(url string, n int) {
			t.Helper()
			if _, err := s.Attach(t.Context(), url, n, a); !errors.Is(err, plat.ErrConflict) {
				t.Errorf("Attach to version %d of %s = %v, want plat.ErrConflict", n, url, err)
			}
		}
		for _, n := range []int{0, 1, 2, 4} {
			refused(url, n)
		}
		refused("https://unknown.test/", 0)
		refused("https://unknown.test/", 1)
		allTheSame(t, s, all)
		if r := clean(t, s); r.URLs != 1 {
			t.Errorf("%d URLs are known", r.URLs)
		}
		forget(t, s, url, storage.Cut{})
		refused(url, 0)
		refused(url, 3)
		clean(t, s)
	})

	t.Run("contradictions are rejected", func(t *testing.T) {
		s := open(t)
		all := history(t, s, url, 7, 1)
		double := attachment("a")
		double.Resources = append(double.Resources, double.Resources[0])
		other := attachment("b")
		other.Resources[0].Size++
		missing := attachment("c")
		missing.Resources[3].Data = nil
		for _, a := range []*storage.Attachment{double, other, missing} {
			if _, err := s.Attach(t.Context(), url, 1, a); err == nil || a == missing && !errors.Is(err, plat.ErrNotFound) {
				t.Errorf("Attach = %v", err)
			}
		}
		allTheSame(t, s, all)
		clean(t, s)
	})

	t.Run("a version has its attachment after older ones were forgotten, and can get one then", func(t *testing.T) {
		for _, cut := range []storage.Cut{{KeepLast: 1}, {KeepLast: 2}} {
			s := open(t)
			all := history(t, s, url, 8, 5)
			attach(t, s, all[4], &storage.Attachment{Picture: attachment("x").Picture})
			forget(t, s, url, cut)
			attach(t, s, all[4], &storage.Attachment{Resources: attachment("x").Resources})
			collectGarbage(t, s)
			stands(t, s, url, all[5-cut.KeepLast:], all[:5-cut.KeepLast])
			samePicture(t, s, all[4])
			clean(t, s)
			sumsAgree(t, s, url)
		}
	})

	t.Run("many at once, while versions follow", func(t *testing.T) {
		s := open(t)
		p := NewPage(url, 9)
		commit(t, s, p.Next())
		var all []*storage.Commit
		for range min(size/3, 20) {
			all = append(all, p.Next())
		}
		var wg sync.WaitGroup
		done := make(chan struct{})
		for k := range 3 {
			wg.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-done:
						return
					default:
					}
					st, err := s.State(t.Context(), url)
					if err == nil {
						_, err = s.Attach(t.Context(), url, st.Head, attachment(fmt.Sprint(k, i%3)))
					}
					if err != nil && !errors.Is(err, plat.ErrConflict) {
						t.Errorf("Attach: %v", err)
						return
					}
				}
			})
		}
		for i, c := range all {
			for n := 0; i%2 == 1 && n < 10_000; n++ { // until the version before has one
				if v, err := s.Version(t.Context(), url, 0); err != nil || !v.Picture.IsZero() {
					break
				}
				time.Sleep(time.Millisecond)
			}
			if _, err := s.Commit(t.Context(), c); err != nil {
				t.Errorf("Commit: %v", err)
				break
			}
		}
		close(done)
		wg.Wait()
		clean(t, s)
		got := collect(t, s.Trees(t.Context(), url, 2, len(all)+1))
		attached := 0
		for i, v := range got {
			if !v.Picture.IsZero() {
				attached++
				if _, err := s.Picture(t.Context(), v.Picture); err != nil {
					t.Error(err)
				}
			}
			all[i].Version.Picture, all[i].Version.Resources = v.Picture, v.Resources
			sameVersion(t, v, all[i].Version)
		}
		if len(got) != len(all) || attached < len(all)/2 {
			t.Errorf("%d of %d versions, %d with a picture", len(got), len(all), attached)
		}
		sumsAgree(t, s, url)
	})
}

// attachDoomed attaches to the third version of Doomed.
func attachDoomed(ctx context.Context, s storage.Store) error {
	before, _ := Doomed()
	_, err := s.Attach(ctx, before[2].Version.URL, 3, attachment("doomed"))
	return err
}

// afterAttach checks a store in which attachDoomed was interrupted. then continues from there.
func afterAttach(then func(testing.TB, storage.Store)) func(testing.TB, storage.Store, string) {
	return func(t testing.TB, s storage.Store, _ string) {
		t.Helper()
		before, last := Doomed()
		url := last.Version.URL
		clean(t, s)
		then(t, s)
		clean(t, s)
		if st, err := s.State(t.Context(), url); err != nil {
			t.Fatal(err)
		} else if st.Head == 3 {
			commit(t, s, last)
		}
		all := append(before, last)
		v, err := s.Version(t.Context(), url, 3)
		if err != nil {
			t.Fatal(err)
		}
		if !v.Picture.IsZero() || !v.Resources.IsZero() { // both or none
			with(all[2], attachment("doomed"))
		}
		allTheSame(t, s, all)
		for _, before := range []time.Duration{-time.Hour, time.Hour} {
			if _, err := s.GC(t.Context(), time.Now().Add(before)); err != nil {
				t.Fatal(err)
			}
			allTheSame(t, s, all)
			sumsAgree(t, s, url)
		}
		if r := clean(t, s); r.Unreferenced != 0 {
			t.Errorf("after GC %d are unreferenced", r.Unreferenced)
		}
	}
}

// thenAttach repeats the interrupted call.
func thenAttach(t testing.TB, s storage.Store) {
	t.Helper()
	if err := attachDoomed(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	before, _ := Doomed()
	with(before[2], attachment("doomed"))
	allTheSame(t, s, before)
}

// thenCollect lets GC complete what the interrupted call has left.
func thenCollect(t testing.TB, s storage.Store) {
	t.Helper()
	if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if r := clean(t, s); r.Unreferenced != 0 {
		t.Errorf("after GC %d are unreferenced", r.Unreferenced)
	}
	sumsAgree(t, s, "https://doomed.test/")
}

// thenFollow commits the next version first, and then lets Index complete the attachment.
func thenFollow(t testing.TB, s storage.Store) {
	t.Helper()
	_, last := Doomed()
	commit(t, s, last)
	clean(t, s)
	index(t, s)
	clean(t, s)
}
