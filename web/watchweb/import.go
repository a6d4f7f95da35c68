package watchweb

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/storage"
	"plat/watch/follow"
	"plat/watch/subscribe"
	"plat/web/api"
	"plat/web/layout"
)

// imported is the result of an import.
type imported struct {
	Format    string     `json:"format"`
	Added     int        `json:"added"`
	Known     int        `json:"known"` // subscriptions that were there already
	Check     bool       `json:"check"` // nothing was stored
	Omissions []omission `json:"omissions"`
	More      int        `json:"more"` // omissions that are not listed
}

type omission struct {
	Where  string `json:"where"`
	What   string `json:"what,omitempty"`
	Reason string `json:"reason"`
}

// Limits of imports.
const (
	atOnce        = 200   // subscriptions whose pages are enlisted at once
	shownOmission = 1_000 // omissions that the answer lists
	maxImports    = 4     // at a time: each takes a core, up to 100 MB of memory and 32 MB of disk
)

// omit adds an omission, or counts it.
func (i *imported) omit(o omission) {
	if len(i.Omissions) == shownOmission {
		i.More++
		return
	}
	i.Omissions = append(i.Omissions, o)
}

// apiImport subscribes to the pages in a file of a different program. Existing subscriptions stay
// unchanged, so a file may be sent again. It ends with its client, or after importTime.
func (s *Server) apiImport(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	group, tag, check := p.Text("group", maxText), strings.TrimSpace(p.Text("tag", maxText)), p.Flag("check")
	seed := queue.Seed{Every: p.Text("every", maxText), Budget: p.Text("budget", maxText)}
	if p.Err != nil {
		return p.Err
	}
	job, err := (queue.Seed{URL: "http://a/", Every: seed.Every, Budget: seed.Budget}).Job(nil)
	if err != nil {
		return api.BadRequest("%s", err)
	}
	job.Scope = "" // of no host
	select {
	case s.imports <- struct{}{}:
		defer func() { <-s.imports }()
	default:
		w.Header().Set("Retry-After", "60")
		return &api.Mistake{Code: http.StatusServiceUnavailable, Detail: fmt.Sprintf("%d imports are under way already; send it again in a minute", maxImports)}
	}
	file, err := readImport(w, r)
	if err != nil {
		return err
	}
	done := imported{Format: file.Format, Check: check, Omissions: []omission{}, More: file.More}
	for _, o := range file.Omissions {
		done.omit(omission(o))
	}
	fresh, err := s.fresh(r.Context(), file, &done, func(sub *plat.Subscription) {
		if group != "" {
			sub.Group = group
		}
		if tag != "" {
			sub.Tags = follow.Names(append(sub.Tags, tag))
		}
	})
	if err != nil {
		return err
	}
	if done.Added = len(fresh); !check {
		for some := range slices.Chunk(fresh, atOnce) {
			if err := follow.Subscribe(r.Context(), s.raw, job, time.Now(), some...); err != nil {
				return s.kept(err, "plat watch import")
			}
		}
	}
	return api.WriteJSON(w, r, done)
}

// body notes why a request's body could not be read.
type body struct {
	io.Reader
	failed error
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed = err
	}
	return n, err
}

// readImport reads the file that a request sends.
func readImport(w http.ResponseWriter, r *http.Request) (*subscribe.Result, error) {
	in := &body{Reader: http.MaxBytesReader(w, r.Body, subscribe.MaxBytes)}
	file, err := subscribe.Read(r.Context(), in)
	_, large := errors.AsType[*http.MaxBytesError](in.failed)
	switch {
	case large:
		return nil, &api.Mistake{Code: http.StatusRequestEntityTooLarge, Detail: fmt.Sprintf("send at most %d MB; divide the file", subscribe.MaxBytes>>20)}
	case in.failed != nil:
		return nil, api.BadRequest("the body ends too early")
	case errors.Is(err, subscribe.ErrUnknown):
		return nil, api.BadRequest("%s", err)
	}
	return file, err
}

// fresh returns the new subscriptions of a file, with an ID and the fields that fill sets. It
// counts those that exist already.
func (s *Server) fresh(ctx context.Context, file *subscribe.Result, done *imported, fill func(*plat.Subscription)) ([]*plat.Subscription, error) {
	known := map[[sha256.Size]byte]bool{}
	for sub, err := range s.Store.Subscriptions(ctx, storage.Which{}) {
		if err != nil {
			return nil, err
		}
		known[subscribe.Identity(&sub.Subscription)] = true
	}
	var fresh []*plat.Subscription
	for i := range file.Subscriptions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sub := &file.Subscriptions[i]
		if known[subscribe.Identity(sub)] {
			done.Known++
			continue
		}
		sub.ID = plat.NewID()
		fill(sub)
		if err := errors.Join(follow.Check(sub), storage.CheckSubscription(sub)); err != nil {
			done.omit(omission{Where: layout.Line(sub.URL, 300), Reason: layout.Line(err.Error(), 500)})
			continue
		}
		sub.Made = time.Now().UTC()
		fresh = append(fresh, sub)
	}
	return fresh, nil
}
