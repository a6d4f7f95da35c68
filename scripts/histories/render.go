package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"plat/browser"
	"plat/browser/egress"
	"plat/browser/snapshotfile"
	"plat/plat"
)

// renderer renders with Chrome, or reuses stored renderings.
type renderer struct {
	dir  string
	once sync.Once
	pool *browser.Pool
	err  error

	guard *egress.Guard
	mu    sync.Mutex
	keep  map[string]*plat.Snapshot // the pages that are archived, by key
}

func (r *renderer) Render(ctx context.Context, url string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	v := ctx.Value(visitKey{}).(*recorded)
	v.looks++
	key := v.key
	if v.looks > 1 {
		key += fmt.Sprint("-", v.looks)
	}
	s, err := r.load(key)
	if err != nil {
		return nil, err
	}
	if s == nil {
		if s, err = r.browse(ctx, url, evidence); err != nil {
			return nil, err
		}
		if err := r.save(key, s); err != nil {
			return nil, err
		}
	}
	if v.looks == v.first {
		v.later = v.at.Sub(s.Taken)
		r.mu.Lock()
		r.keep[v.key] = s
		r.mu.Unlock()
	}
	s.Taken = s.Taken.Add(v.later)
	return s, nil
}

// browse renders with Chrome.
func (r *renderer) browse(ctx context.Context, url string, evidence func(*plat.Snapshot) plat.Attachments) (s *plat.Snapshot, err error) {
	r.once.Do(r.start)
	if r.err != nil {
		return nil, r.err
	}
	for tries := 0; ; tries++ {
		s, err = r.pool.Render(ctx, browser.Request{URL: url, Decide: evidence})
		var failed *plat.VisitError
		if err == nil || tries == 2 || !errors.As(err, &failed) || !failed.Retry {
			return s, err
		}
	}
}

func (r *renderer) take(key string) *plat.Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.keep[key]
	delete(r.keep, key)
	return s
}

func (r *renderer) file(key string) string { return filepath.Join(r.dir, key+".snap") }

func (r *renderer) load(key string) (*plat.Snapshot, error) {
	if r.dir == "" {
		return nil, nil
	}
	b, err := os.ReadFile(r.file(key))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return snapshotfile.Read(bytes.NewReader(b))
}

func (r *renderer) save(key string, s *plat.Snapshot) error {
	if r.dir == "" {
		return nil
	}
	var b bytes.Buffer
	if err := snapshotfile.Write(&b, s); err != nil {
		return err
	}
	return os.WriteFile(r.file(key), b.Bytes(), 0o644)
}

func (r *renderer) start() {
	r.guard, r.err = egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: local{}})
	if r.err == nil {
		r.pool, r.err = browser.New(context.Background(), browser.Options{Guard: r.guard, Chrome: *chrome, Tabs: min(*tabs, 2*runtime.NumCPU())})
	}
}

func (r *renderer) close() {
	if r.pool != nil {
		r.pool.Close()
	}
	if r.guard != nil {
		r.guard.Close()
	}
}

// local resolves only the names of the served sites.
type local struct{}

func (local) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if !slices.Contains([]string{"localhost"}, host) && !strings.HasSuffix(host, ".localhost") {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}
