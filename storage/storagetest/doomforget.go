package storagetest

import (
	"context"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

func readyToForget(t testing.TB, s storage.Store) string {
	readyToCommit(t, s)
	_, last := Doomed()
	commit(t, s, last)
	f := followerOf(t, s)
	subscribe(t, f, subscriptionTo("one", last.Version.URL))
	i := itemOf("one", "i1", 1)
	i.Page = last.Version.URL
	if err := f.Examined(t.Context(), &storage.Examination{ID: "one", Items: []plat.Item{i},
		Following: plat.Following{Pages: []plat.FollowedPage{pageAt(last.Version.URL, 1, 4, "secret")}}}); err != nil {
		t.Fatal(err)
	}
	index(t, s)
	return ""
}

func forgetDoomed(cut storage.Cut) func(context.Context, storage.Store) error {
	return func(ctx context.Context, s storage.Store) error {
		_, last := Doomed()
		_, err := s.Forget(ctx, last.Version.URL, cut, false)
		return err
	}
}

// afterForget repeats the interrupted call, every second time after GC.
func afterForget(cut storage.Cut) func(testing.TB, storage.Store, string) {
	rounds := 0
	return func(t testing.TB, s storage.Store, _ string) {
		t.Helper()
		clean(t, s)
		if rounds++; rounds%2 == 0 {
			if _, err := s.GC(t.Context(), time.Now().Add(2*storage.CommitTime)); err != nil {
				t.Fatal(err)
			}
		}
		before, last := Doomed()
		all := append(before, last)
		forget(t, s, last.Version.URL, cut)
		n := 2
		if cut.Whole() {
			n = 4
		}
		collectGarbage(t, s)
		stands(t, s, last.Version.URL, all[n:], all[:n])
		lost(t, s, all[:n], all[n:])
		if got := collect(t, followerOf(t, s).Items(t.Context(), storage.ItemQuery{})); len(got) > 0 {
			t.Errorf("the items %+v are left", got)
		}
	}
}
