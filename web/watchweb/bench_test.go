package watchweb_test

import (
	"fmt"
	"net/url"
	"os"
	"runtime"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite/sqlitetest"
	"plat/web"
)

// BenchmarkPages requests pages and feeds of an archive with 10,000 subscriptions, each with 10
// items and visited once; with PLAT_LONG=1 each has 100 items, so there are a million. first-ms
// is the time with an empty cache, sys-MB the memory of the process.
//
//	go test ./web/watchweb -run '^$' -bench Pages -benchtime 20x
//	PLAT_LONG=1 go test ./web/watchweb -run '^$' -bench Pages -benchtime 20x -timeout 30m
//
// Judge it by the page of all subscriptions: it has to come within 300 ms.
func BenchmarkPages(b *testing.B) {
	store := sqlitetest.Open(b)
	const many = 10_000
	each, apart := 10, time.Hour
	if os.Getenv("PLAT_LONG") != "" {
		each, apart = 100, 24*time.Hour
	}
	var jobs []plat.Job
	for i := range many {
		id := fmt.Sprintf("s%05d", i)
		u := fmt.Sprintf("https://h%d.test/news", i)
		jobs = append(jobs, plat.Job{URL: u, Due: day0, Plan: plat.Plan{Schedule: plat.Schedule{Every: time.Hour}}})
		var found []plat.Item
		for n := range each {
			it := item(id, n)
			it.Seen = day0.Add(time.Duration(n)*apart + time.Duration(i)*300*time.Millisecond)
			found = append(found, it)
		}
		subscribe(b, store, plat.Subscription{ID: id, URL: u, Title: fmt.Sprintf("Site %d", i*7919%many), Group: fmt.Sprint("group ", i%20), Tags: []string{fmt.Sprint("tag ", i%50)}}, found...)
	}
	if _, err := store.Enlist(b.Context(), jobs, storage.Seed); err != nil {
		b.Fatal(err)
	}
	at := url.QueryEscape(day0.Add(26 * time.Hour).Format(time.RFC3339))
	for _, x := range []struct{ name, target string }{
		{"list", "/watch"}, {"list-search", "/watch?q=site+77"}, {"list-last", "/watch?from=9900&sort=latest"}, {"list-broken", "/watch?state=broken"}, {"list-next", "/watch?sort=next"},
		{"items", "/watch/items"}, {"items-unread", "/watch/items?unread=true"}, {"items-tag", "/watch/items?tag=tag+7"}, {"one", "/watch/s00042"},
		{"digest", "/watch/digest?period=daily&at=" + at}, {"digest-tag", "/watch/digest?period=daily&tag=tag+7&at=" + at},
		{"feed", "/watch/feed.atom"}, {"feed-tag", "/watch/feed.atom?tag=tag+7"}, {"feed-one", "/watch/feed.atom?id=s00042"}, {"opml", "/watch/opml"},
		{"api", "/api/v1/watch?limit=100"}, {"api-items", "/api/v1/watch/items?limit=100"},
	} {
		b.Run("page="+x.name, func(b *testing.B) {
			s := web.New(web.Options{Store: store})
			begun := time.Now()
			ask := func() {
				if w := ask(s, "GET", x.target, "", "Accept", "text/html"); w.Code != 200 {
					b.Fatalf("%s = %d %.200s", x.target, w.Code, w.Body)
				}
			}
			ask()
			first := time.Since(begun)
			for b.Loop() {
				ask()
			}
			b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys)/(1<<20), "sys-MB")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/op")
		})
	}
}
