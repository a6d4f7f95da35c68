package main

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"

	"plat/browser"
	"plat/browser/egress"
	"plat/fixtures"
	"plat/plat"
	"plat/segment"
)

// subject is plat, configured like the command archive.
type subject struct {
	guard *egress.Guard
	pool  *browser.Pool
}

func newSubject(ctx context.Context, chrome string, tabs int) (*subject, error) {
	guard, err := egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: fixtures.NoNames{}})
	if err != nil {
		return nil, err
	}
	pool, err := browser.New(ctx, browser.Options{Guard: guard, Chrome: chrome, Tabs: tabs, Width: width, Height: height})
	if err != nil {
		guard.Close()
		return nil, err
	}
	return &subject{guard, pool}, nil
}

func (s *subject) close() {
	s.pool.Close()
	s.guard.Close()
}

// cut segments a page.
func (s *subject) cut(ctx context.Context, url string) (*segment.Cut, error) {
	ctx, done := context.WithTimeout(ctx, pageTimeout)
	defer done()
	url, err := plat.Canonical(url, nil)
	if err != nil {
		return nil, err
	}
	snap, err := s.pool.Render(ctx, browser.Request{URL: url})
	if err != nil {
		return nil, err
	}
	return segment.Segment(snap, segment.Params{})
}

// look returns the text of all leaf blocks of a page.
func (s *subject) look(ctx context.Context, url string) (string, error) {
	cut, err := s.cut(ctx, url)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for i := range cut.Blocks {
		if b := &cut.Blocks[i]; b.Leaf() {
			text.WriteString(b.Text)
			text.WriteByte('\n')
		}
	}
	return text.String(), nil
}

// serve serves a folder on loopback, without following links that leave it.
func serve(dir string) (base string, stop func(), err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		root.Close()
		return "", nil, err
	}
	srv := &http.Server{Handler: fixtures.Files(root)}
	go srv.Serve(l)
	return "http://" + l.Addr().String(), func() { srv.Close(); root.Close() }, nil
}
