package queue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// If two processes took the same entries, their pages would be visited twice.
func oneTakesTheInbox(t *testing.T, url string) {
	q := open(t, url, nil)
	other := open(t, url, func(o *Options) { o.Prefix = q.o.Prefix })
	ok(t, q.rdb.LPush(t.Context(), q.inbox(), "1", "2", "3").Err())
	get := func(q *Queue, want int) []InboxEntry {
		t.Helper()
		got, err := q.Inbox(t.Context(), 2)
		if err != nil || len(got) != want {
			t.Fatalf("%v, %v; want %d", got, err, want)
		}
		return got
	}
	first := get(q, 2)
	get(other, 0)
	get(q, 2) // it was interrupted, and begins again
	ok(t, q.Taken(t.Context(), first))
	rest := get(other, 1)
	get(q, 0)
	ok(t, other.Taken(t.Context(), rest))
	get(q, 0)
	if n, err := q.rdb.Exists(t.Context(), q.taker()).Result(); err != nil || n != 0 {
		t.Errorf("an empty inbox still has a taker: %d, %v", n, err)
	}
}

func inboxIsTaken(t *testing.T, url string) {
	q := open(t, url, nil)
	for _, e := range []string{"1", "2", "3", "3"} {
		ok(t, q.rdb.LPush(t.Context(), q.inbox(), e).Err())
	}
	got, err := q.Inbox(t.Context(), 3)
	if err != nil || !slices.Equal(got, []InboxEntry{{"1", 1}, {"2", 1}, {"3", 1}}) {
		t.Fatalf("%v, %v", got, err)
	}
	ok(t, q.Taken(t.Context(), got[:2]))
	ok(t, q.Taken(t.Context(), got[:2])) // a different process took the same
	got, err = q.Inbox(t.Context(), 3)
	if err != nil || !slices.Equal(got, []InboxEntry{{"3", 1}, {"3", 1}}) {
		t.Errorf("%v, %v", got, err)
	}
	ok(t, q.Taken(t.Context(), got))

	// Of an entry too long for a seed only the beginning is read, and of many large
	// ones only some.
	huge := "\x00\xff" + strings.Repeat("x", 5<<20)
	for _, e := range []string{huge, huge + "y", huge} {
		ok(t, q.rdb.LPush(t.Context(), q.inbox(), e).Err())
	}
	for _, size := range []int{len(huge), len(huge) + 1, len(huge)} {
		got, err := q.Inbox(t.Context(), 3)
		if err != nil || len(got) != 1 || got[0].Bytes != size || got[0].Text != huge[:maxSeed] {
			t.Fatalf("%d entries, %v", len(got), err)
		}
		if _, err := got[0].Job(nil); err == nil || !strings.Contains(err.Error(), fmt.Sprint(size, " bytes")) {
			t.Errorf("%v", err)
		}
		ok(t, q.Taken(t.Context(), got))
	}
	if got, err := q.Inbox(t.Context(), 3); err != nil || len(got) != 0 {
		t.Errorf("%d entries remain, %v", len(got), err)
	}
	ok(t, q.Reject(t.Context(), strings.Repeat("x", 1e6), errors.New("nonsense")))
	list, err := q.Rejections(t.Context(), 10)
	if err != nil || len(list) != 1 || list[0].Reason != "nonsense" || len(list[0].Entry) > maxEntry+10 || list[0].Time.IsZero() {
		t.Errorf("%v, %v", list, err)
	}
}
