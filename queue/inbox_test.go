package queue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
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
	if n, err := q.rdb.Exists(t.Context(), q.lanes()[1].taker()).Result(); err != nil || n != 0 {
		t.Errorf("an empty inbox still has a taker: %d, %v", n, err)
	}
}

// The express lane goes before the inbox, and one process takes from it. After a crash of that
// process its entries are still there, in their order.
func expressLaneGoesFirst(t *testing.T, url string) {
	q := open(t, url, nil)
	other := open(t, url, func(o *Options) { o.Prefix = q.o.Prefix })
	first := q.inbox() + ":first"
	ok(t, q.rdb.LPush(t.Context(), q.inbox(), "http://slow.test/").Err())
	ok(t, q.rdb.LPush(t.Context(), first, "http://a.test/", `{"url":"http://b.test/","priority":0.1}`, "nonsense").Err())
	if s, err := q.Stats(t.Context()); err != nil || s.Inbox != 4 {
		t.Errorf("%d entries, %v", s.Inbox, err)
	}
	texts := func(q *Queue, n int, want ...string) []InboxEntry {
		t.Helper()
		all, err := q.Inbox(t.Context(), n)
		ok(t, err)
		var got []string
		for _, e := range all {
			got = append(got, e.Text)
			if e.First == (e.Text == "http://slow.test/") {
				t.Errorf("%+v", e)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
		return all
	}
	one := texts(q, 1, "http://a.test/")
	ok(t, other.Taken(t.Context(), texts(other, 9, "http://slow.test/"))) // not those of q
	ok(t, q.Taken(t.Context(), one))
	texts(q, 9, `{"url":"http://b.test/","priority":0.1}`, "nonsense")
	texts(other, 9)
	// q crashes, and its reservation ends.
	if d, err := q.rdb.PTTL(t.Context(), q.lanes()[0].taker()).Result(); err != nil || d <= 0 || d > 10*time.Second {
		t.Errorf("reserved for %v, %v", d, err)
	}
	ok(t, q.rdb.Del(t.Context(), q.lanes()[0].taker()).Err())
	rest := texts(other, 9, `{"url":"http://b.test/","priority":0.1}`, "nonsense")
	if j, err := rest[0].Job(nil); err != nil || j.URL != "http://b.test/" || j.Priority != 1 {
		t.Errorf("%+v, %v", j, err)
	}
	if _, err := rest[1].Job(nil); err == nil {
		t.Error("nonsense is a URL")
	}
	ok(t, other.Taken(t.Context(), rest))
	texts(q, 9)
}

func inboxIsTaken(t *testing.T, url string) {
	q := open(t, url, nil)
	for _, e := range []string{"1", "2", "3", "3"} {
		ok(t, q.rdb.LPush(t.Context(), q.inbox(), e).Err())
	}
	got, err := q.Inbox(t.Context(), 3)
	if err != nil || !slices.Equal(got, []InboxEntry{{Text: "1", Bytes: 1}, {Text: "2", Bytes: 1}, {Text: "3", Bytes: 1}}) {
		t.Fatalf("%v, %v", got, err)
	}
	ok(t, q.Taken(t.Context(), got[:2]))
	ok(t, q.Taken(t.Context(), got[:2])) // a different process took the same
	got, err = q.Inbox(t.Context(), 3)
	if err != nil || !slices.Equal(got, []InboxEntry{{Text: "3", Bytes: 1}, {Text: "3", Bytes: 1}}) {
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
