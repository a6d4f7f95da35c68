package mongo

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
)

// A failover meets any one write of subscriptions, messages and focused crawls: each call answers as if it had not.
func TestFailoverWithinFollowing(t *testing.T) {
	t.Parallel()
	for i, how := range []failure{refuses, applied, appliedHalf, cutAfter} {
		t.Run(how.String(), func(t *testing.T) {
			t.Parallel()
			rs := newReplicaSet(t)
			rs.election = time.Millisecond
			s := openAt(t, rs.uri("&retryWrites=false"), Options{})
			step := fixtures.OneIn(3)
			k := 1 + i%step
			for met := true; met; k += step {
				n := 0
				rs.mu.Lock()
				rs.fail = func(string, string) failure {
					if n++; n == k {
						return how
					}
					return works
				}
				rs.mu.Unlock()
				followAll(t, s, strings.ReplaceAll(fmt.Sprintf("%s-%d-", how, k), " ", "-"))
				if rs.mu.Lock(); t.Failed() {
					t.Logf("write %d has failed", k)
					met = false
				}
				met = met && n >= k
				rs.mu.Unlock()
			}
			if k < 20 && !t.Failed() {
				t.Errorf("only %d writes were seen", k)
			}
			if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
				t.Errorf("Verify = %+v, %v", r, err)
			}
		})
	}
}

// followAll lets a subscription, its messages and a crawl live from beginning to end, and checks each answer. Their names
// begin with id.
func followAll(t *testing.T, s *Store, id string) {
	t.Helper()
	ctx, at := t.Context(), time.Now().Add(-time.Hour).UTC().Truncate(time.Millisecond)
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	channel, sub, page := id+"mail", id+"s", "https://a.test/"+id
	must("PutChannel", s.PutChannel(ctx, &plat.Channel{Name: channel, URL: "https://b.test/"}))
	must("Subscribe", s.Subscribe(ctx, &plat.Subscription{ID: sub, URL: page, Made: at}))
	var e storage.Examination
	e.ID = sub
	e.Following.Pages = []plat.FollowedPage{{URL: page, Depth: 1, Examined: 1, Memory: []byte("it was seen")}}
	for i := range 3 {
		n := fmt.Sprint(id, i)
		e.Items = append(e.Items, plat.Item{ID: n, Subscription: sub, Kind: plat.ItemNew, Title: n, Page: page, Version: 1, Seen: at})
		e.Messages = append(e.Messages, plat.Message{ID: n, Channel: channel, Subscription: sub, Items: []string{n}, Made: at, Due: at})
	}
	must("Examined", s.Examined(ctx, &e))
	must("Read", s.Read(ctx, sub, at.Add(-time.Second)))
	if got, err := s.Subscription(ctx, sub); err != nil || got.Items != 3 || got.Unread != 3 || len(got.Pages) != 1 || string(got.Pages[0].Memory) != "it was seen" {
		t.Errorf("the subscription is %+v, %v", got, err)
	}
	for i := range 3 {
		got, err := s.Take(ctx, time.Now(), time.Hour, 9)
		if err != nil {
			t.Errorf("Take: %v", err)
		}
		// A claim whose answer was lost is known as one's own.
		if got = slices.DeleteFunc(got, func(m plat.Message) bool { return m.Channel != channel }); len(got) == 0 {
			got, err = s.Take(ctx, time.Now(), time.Hour, 9) // the write was not applied
		}
		if len(got) != 1 || got[0].ID != e.Messages[i].ID {
			t.Errorf("Take = %+v, %v, want message %d", got, err, i)
			continue
		}
		if i == 0 {
			got[0].Attempts, got[0].Error, got[0].Due = 1, "no answer", at
			must("Failed", s.Failed(ctx, &got[0]))
			if got, err = s.Take(ctx, time.Now(), time.Hour, 9); len(got) == 0 {
				got, err = s.Take(ctx, time.Now(), time.Hour, 9)
			}
			if len(got) != 1 || got[0].Attempts != 1 {
				t.Errorf("Take = %+v, %v after a failed attempt", got, err)
				continue
			}
		}
		must("Sent", s.Sent(ctx, got[0].ID, time.Now()))
	}
	must("Subscribe to another page", s.Subscribe(ctx, &plat.Subscription{ID: sub, URL: page + "other", Made: at}))
	if n := count(t, s.memories); n != 0 {
		t.Errorf("%d memories are left", n)
	}
	must("Unsubscribe", s.Unsubscribe(ctx, sub))
	must("RemoveChannel", s.RemoveChannel(ctx, channel))
	if err := s.RemoveChannel(ctx, channel); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("RemoveChannel of a removed one: %v", err)
	}
	for _, c := range []string{"subscriptions", "items", "messages", "memories", "channels"} {
		if n := count(t, s.db.Collection(c)); n != 0 {
			t.Errorf("%d documents of %s are left", n, c)
		}
	}
	followCrawl(t, s, id, at)
}

func followCrawl(t *testing.T, s *Store, id string, at time.Time) {
	t.Helper()
	ctx := t.Context()
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	c := &plat.Crawl{ID: id + "c", Topic: "gales", Seeds: []string{"https://a.test/"}, Order: "best", State: plat.CrawlPaused, Made: at,
		Revisit: plat.Schedule{Policy: "blocks", Every: time.Hour}}
	must("PutCrawl", s.PutCrawl(ctx, c))
	c.State = plat.CrawlRuns
	must("PutCrawl again", s.PutCrawl(ctx, c))
	if got, err := s.Crawl(ctx, c.ID); err != nil || got.Revision != c.Revision || got.State != plat.CrawlRuns {
		t.Errorf("the crawl is %+v, %v", got, err)
	}
	var pages []plat.CrawlPage
	var urls []string
	for n := range 4 {
		urls = append(urls, fmt.Sprint("https://a.test/", n+1))
		pages = append(pages, plat.CrawlPage{Crawl: c.ID, N: n + 1, URL: urls[n], Score: 0.5, Asked: at})
	}
	stored, err := s.Ask(ctx, pages)
	if slices.Sort(stored); err != nil || !slices.Equal(stored, urls) {
		t.Errorf("Ask = %q, %v", stored, err)
	}
	if again, err := s.Ask(ctx, pages); err != nil || len(again) > 0 {
		t.Errorf("Ask for the same pages = %q, %v", again, err)
	}
	p := pages[1]
	p.Visited, p.Outcome, p.Reading = at, plat.OutcomeNew, []byte("read")
	must("Answer", s.Answer(ctx, &p))
	if got, err := s.AskedFor(ctx, c.ID, p.URL); err != nil || string(got.Reading) != "read" {
		t.Errorf("the answer is %+v, %v", got, err)
	}
	must("PutReport", s.PutReport(ctx, c.ID, []byte(`"well"`)))
	must("RemoveCrawl", s.RemoveCrawl(ctx, c.ID))
	for _, c := range []string{"crawls", "crawl_pages", "crawl_reports"} {
		if n := count(t, s.db.Collection(c)); n != 0 {
			t.Errorf("%d documents of %s are left", n, c)
		}
	}
}
