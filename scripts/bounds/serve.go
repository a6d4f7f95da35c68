package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/watch/follow"
	"plat/web"
)

// otherSubscriptions is the number of concurrent subscriptions.
const otherSubscriptions = 20

// page is that of the n-th other subscription.
func page(n int) string { return fmt.Sprintf("https://other.test/%d", n) }

// serve serves an archive with some subscriptions, and examines them. Two addresses of its own change their pages and
// say how many subscriptions but that of the request have not heard of it.
func serve(ctx context.Context, dir string) error {
	store, err := sqlite.Open(filepath.Join(dir, "a.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	for n := range otherSubscriptions {
		// Their IDs are after those of the request, which is examined first, more often than not.
		s := &plat.Subscription{ID: fmt.Sprintf("zzzz%d", n), URL: page(n), Match: []string{"story"}, Made: time.Now().Add(-time.Hour)}
		if err := store.Subscribe(ctx, s); err != nil {
			return err
		}
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	f := &follow.Follower{Store: store, Log: log}
	var running sync.WaitGroup
	running.Go(func() { f.Run(ctx) })
	defer running.Wait()
	mux := http.NewServeMux()
	mux.Handle("/", web.New(web.Options{Store: store}))
	mux.HandleFunc("POST /change", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Query().Get("n"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := publish(r.Context(), store, "https://slow.test/", n, 40); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		for i := range otherSubscriptions {
			if err := publish(r.Context(), store, page(i), n, 3); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
	})
	mux.HandleFunc("GET /behind", func(w http.ResponseWriter, r *http.Request) {
		behind := 0
		for s, err := range store.Behind(r.Context(), 0) {
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			if strings.HasPrefix(s.ID, "zzzz") {
				behind++
			}
		}
		fmt.Fprint(w, behind)
	})
	l, err := listen()
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return web.Serve(mux).Serve(l)
}

// publish stores the next version of a page: a list of so many stories, all of them new at each change.
func publish(ctx context.Context, store *sqlite.Store, url string, change, stories int) error {
	var b strings.Builder
	b.WriteString("<main>")
	for i := range stories {
		fmt.Fprintf(&b, `<article><h2><a href="/%d-%d.html">A story %d of change %d</a></h2><p>%s</p></article>`, change, i, i, change, strings.Repeat("All about it. ", 140))
	}
	b.WriteString("</main>")
	content := []byte(b.String())
	layout := plat.Layout{HTML: []byte("<html><head></head><body></body></html>"), Slots: []int32{int32(len("<html><head></head><body>"))}}
	v := &plat.Version{
		URL: url, N: change + 1, Taken: time.Now().UTC(), Layout: layout.Sum(), Lineages: 2, Capture: plat.Capture{FinalURL: url, Status: 200},
		Blocks: []plat.Block{
			{Parent: -1, Slot: -1, Run: 1, Lineage: 1},
			{Run: 1, Path: []int32{0}, Level: 1, Tag: "main", Lineage: 2, Label: plat.LabelMain, Content: content, Hash: plat.HashOf(content)},
		},
	}
	_, err := store.Commit(ctx, &storage.Commit{Version: v, Layout: layout, Visit: plat.Visit{URL: url, Time: v.Taken, Outcome: plat.OutcomeChanged, Version: v.N, Status: 200}})
	return err
}
