package storagetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// Bench measures a store on a page of about forty blocks, of which one to three change in each
// version. open is as for Test. Judge a change by
//
//	go test ./storage/sqlite -run '^$' -bench . -count 6 | tee new.txt
//	benchstat old.txt new.txt
//
// Reads use an archive of 100 versions, so that chains have realistic lengths.
func Bench(b *testing.B, open func(testing.TB) storage.Store) {
	b.Run("Commit", func(b *testing.B) {
		s := open(b)
		p := NewPage("https://a.test/", 11)
		commit(b, s, p.Next())
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			c := p.Next()
			b.StartTimer()
			if _, err := s.Commit(b.Context(), c); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Record", func(b *testing.B) {
		s := open(b)
		v := plat.Visit{URL: "https://a.test/", Time: day, Outcome: plat.OutcomeUnchanged, Status: 200, Duration: time.Second, Bytes: 20_000}
		b.ReportAllocs()
		for b.Loop() {
			v.Time = v.Time.Add(time.Hour)
			if err := s.Record(b.Context(), v, 20_000); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("RecordJob", func(b *testing.B) { // as in a crawl: each visit settles a job and leaves a new one
		s := open(b)
		const urls = 1000
		jobs := make([]plat.Job, urls)
		for i := range jobs {
			jobs[i] = plat.Job{URL: fmt.Sprintf("https://www.host-%d.test/articles/2026/%d.html", i%50, i), Due: day, Priority: 0.5}
		}
		if _, err := s.Enlist(b.Context(), jobs, storage.Join); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			due := day.Add(time.Duration(n/urls) * time.Hour)
			v := plat.Visit{URL: jobs[n%urls].URL, Time: due.Add(time.Second), Outcome: plat.OutcomeUnchanged, Status: 200, Bytes: 20_000, Settles: due, Next: due.Add(time.Hour)}
			if err := s.Record(b.Context(), v, 20_000); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("SetMain", func(b *testing.B) {
		s := open(b)
		pages := []plat.Job{{URL: "https://a.test/0", Due: day}, {URL: "https://a.test/1", Due: day}}
		if _, err := s.Enlist(b.Context(), pages, storage.Join); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			if err := s.SetMain(b.Context(), fmt.Sprintf("https://a.test/%d", n%2), day, "https://a.test/other"); err != nil {
				b.Fatal(err)
			}
		}
	})
	for name, known := range map[string]bool{"new": false, "known": true} {
		b.Run("Enlist1000/"+name, func(b *testing.B) { // as in a crawl: from several hosts, a hundred from each page
			s := open(b)
			jobs := make([]plat.Job, 1000)
			b.ReportAllocs()
			for round := 0; b.Loop(); round++ {
				if round == 0 || !known {
					for i := range jobs {
						jobs[i] = plat.Job{URL: fmt.Sprintf("https://www.host-%d.test/articles/2026/%d-%d.html", i/100, i*7919%1000, round),
							Due: day.Add(time.Duration(i) * time.Second), Priority: 0.5, Plan: plat.Plan{Depth: 2, Scope: "site"}}
					}
				}
				if _, err := s.Enlist(b.Context(), jobs, storage.Join); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	s := open(b)
	const versions = 100
	var all []*storage.Commit
	for i := range 3 {
		all = append(all, history(b, s, fmt.Sprintf("https://a.test/%d", i), uint64(30+i), versions)...)
	}
	url := all[0].Version.URL
	b.Run("Version", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Version(b.Context(), url, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Page", func(b *testing.B) { // a version with its layout and all its contents
		b.ReportAllocs()
		for b.Loop() {
			v, err := s.Version(b.Context(), url, 0)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.Layout(b.Context(), v.Layout); err != nil {
				b.Fatal(err)
			}
			if _, err := s.Contents(b.Context(), leafHashes(v)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Block", func(b *testing.B) {
		// Read every content of the history in turn, then only the slowest.
		seen := map[plat.Hash]bool{}
		var hashes []plat.Hash
		for _, c := range all[:versions] {
			for _, h := range leafHashes(c.Version) {
				if !seen[h] {
					seen[h] = true
					hashes = append(hashes, h)
				}
			}
		}
		read := func(h plat.Hash) time.Duration {
			at := time.Now()
			if _, err := s.Contents(b.Context(), []plat.Hash{h}); err != nil {
				b.Fatal(err)
			}
			return time.Since(at)
		}
		slowest, most := plat.Hash{}, time.Duration(0)
		for _, h := range hashes {
			if d := min(read(h), read(h), read(h)); d > most {
				slowest, most = h, d
			}
		}
		b.Run("any", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				read(hashes[i%len(hashes)])
			}
		})
		b.Run("slowest", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				read(slowest)
			}
		})
	})
	for name, q := range map[string]storage.BlockQuery{
		"head":  {Host: "a.test", Labels: []plat.Label{plat.LabelMain}, Head: true},
		"topic": {Topic: "版本 download"},
		"week":  {Host: "a.test", Since: all[versions-1].Version.Taken.AddDate(0, 0, -2)},
	} {
		b.Run("Find/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range s.Find(b.Context(), q) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchSubscriptions measures lists of subscriptions and items, and the search for
// subscriptions that are behind. Each subscription has the given number of items. Judge a
// change by
//
//	go test ./storage/sqlite -run '^$' -bench Subscriptions -count 6
func BenchSubscriptions(b *testing.B, open func(testing.TB) storage.Store, subscriptions, items int) {
	f := followerOf(b, open(b))
	hosts := make([]plat.Job, subscriptions)
	for i := range hosts {
		hosts[i] = plat.Job{URL: fmt.Sprintf("https://host-%d.test/news/", i), Due: day}
	}
	if _, err := f.Enlist(b.Context(), hosts, storage.Join); err != nil {
		b.Fatal(err)
	}
	for i := range subscriptions {
		s := &plat.Subscription{ID: fmt.Sprintf("s%06d", i), URL: hosts[i].URL, Title: "News of a host", Tags: []string{"all", fmt.Sprint("of-", i%100)}, Group: fmt.Sprint("folder-", i%10), Made: day}
		subscribe(b, f, s)
		e := &storage.Examination{ID: s.ID, Following: plat.Following{Pages: []plat.FollowedPage{pageAt(s.URL, 1, 1, strings.Repeat("memory ", 500))}, Since: day}}
		for k := range items {
			it := itemOf(s.ID, fmt.Sprintf("%s-%x", s.ID, plat.HashOf([]byte{byte(k), byte(k >> 8)}).Short()), (k*7919+i*104729)%1_000_000)
			it.Excerpt = strings.Repeat("Words of an excerpt. ", 10)
			e.Items = append(e.Items, it)
		}
		examined(b, f, e)
	}
	if err := f.Read(b.Context(), "s000000", after(9999)); err != nil {
		b.Fatal(err)
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if got := collect(b, f.Subscriptions(b.Context(), storage.Which{})); len(got) != subscriptions || got[1].Items != items || got[1].Unread != items {
				b.Fatalf("%d subscriptions, %+v", len(got), got[1])
			}
		}
	})
	b.Run("behind", func(b *testing.B) {
		for b.Loop() {
			if got := collect(b, f.Behind(b.Context(), 100)); len(got) != 0 {
				b.Fatal(got)
			}
		}
	})
	place := storage.ItemPlace{Seen: day.Add(500_000 * time.Minute), ID: "x"}
	for name, q := range map[string]storage.ItemQuery{
		"all": {}, "one": {Of: storage.Which{IDs: []string{"s000007"}}}, "tag of all": {Of: storage.Which{Tag: "all"}}, "tag of one in 100": {Of: storage.Which{Tag: "of-7"}}, "group of one in 10": {Of: storage.Which{Group: "folder-3"}},
		"from the middle": {After: place}, "tag of all from the middle": {Of: storage.Which{Tag: "all"}, After: place}, "group, long ago": {Of: storage.Which{Group: "folder-3"}, Until: day.Add(time.Hour)},
	} {
		b.Run("items/"+name, func(b *testing.B) {
			for b.Loop() {
				if got := collect(b, f.Items(b.Context(), q)); len(got) == 0 || len(got) > 100 {
					b.Fatalf("%d items", len(got))
				}
			}
		})
	}
	b.Run("examined", func(b *testing.B) { // a new version with one new item
		for n := 2; b.Loop(); n++ {
			id := fmt.Sprintf("s%06d", n%subscriptions)
			b.StopTimer()
			e := examination(b, f, id, []plat.FollowedPage{pageAt(hosts[n%subscriptions].URL, 1, n, "memory")}, itemOf(id, fmt.Sprint("new-", n), n))
			b.StartTimer()
			examined(b, f, e)
		}
	})
}
