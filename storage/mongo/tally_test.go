package mongo

import (
	"fmt"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// illustrated returns the first version of a page with a picture and resources.
func illustrated() *storage.Commit {
	c := storagetest.NewPage("https://a.test/", 3).Next()
	a := attachedTo("first")
	c.Picture, c.Resources = a.Picture, a.Resources
	c.Version.Picture, c.Version.Resources = plat.HashOf(a.Picture.Data), plat.ManifestOf(a.Resources).Sum()
	return c
}

func attachedTo(name string) *storage.Attachment {
	a := &storage.Attachment{Picture: &plat.Picture{Type: "image/png", Data: []byte("a picture of " + name)}}
	for i := range 3 {
		data := fmt.Appendf(nil, "resource %d of %s", i, name)
		a.Resources = append(a.Resources, plat.Resource{URL: fmt.Sprintf("https://a.test/%d.css", i), Status: 200, Type: "text/css", Size: int64(len(data)), Hash: plat.HashOf(data), Data: data})
	}
	return a
}

// Any one write of a commit, or of an attachment, is interrupted: what is stored is counted once, as without an interruption.
func TestWhatAnInterruptedCommitStoresIsCounted(t *testing.T) {
	t.Parallel()
	step := int64(fixtures.OneIn(12))
	for _, inline := range []int{maxInline, 100} {
		for i, how := range []failure{cutBefore, cutAfter, cutHalf, refuses, applied} {
			first := map[string]storage.Written{}
			for k, met := int64(0), true; met; k += step {
				rs := newReplicaSet(t)
				rs.election = time.Millisecond
				s := openAt(t, rs.uri("&retryWrites=false"), Options{})
				s.inline = inline
				got := map[string]storage.Written{}
				err := rs.failAt(k, how, &met, func() error {
					w, err := s.Commit(t.Context(), illustrated())
					if err != nil {
						return err
					}
					got["commit"] = w
					bare := storagetest.NewPage("https://b.test/", 4).Next()
					if _, err = s.Commit(t.Context(), bare); err != nil {
						return err
					}
					got["attach"], err = s.Attach(t.Context(), "https://b.test/", 1, attachedTo("second"))
					return err
				})
				if err != nil {
					t.Fatalf("%s at write %d: %v", how, k, err)
				}
				if k == 0 { // the writes without a failure
					first, met, k = got, true, -int64(i)%step
				}
				for name, want := range first {
					if w := got[name]; w.Blocks != want.Blocks || w.Pictures != want.Pictures || w.Resources != want.Resources || w.Bytes != want.Bytes || w.Pictures == 0 || w.Resources == 0 {
						t.Errorf("limit %d, %s at write %d: %s has written %+v, want %+v", inline, how, k, name, w, want)
					}
				}
				st, err := s.State(t.Context(), "https://a.test/")
				if err != nil || st.StoredBytes != first["commit"].Bytes || st.PictureBytes != first["commit"].Pictures || st.ResourceBytes != first["commit"].Resources {
					t.Errorf("limit %d, %s at write %d: the state is %+v, %v, want %+v", inline, how, k, st, err, first["commit"])
				}
			}
		}
	}
}
