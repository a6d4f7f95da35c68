package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"plat"
	"plat/history"
	"plat/warc"
	"plat/web"
)

// writeWACZ writes one file with everything.
func (e *export) writeWACZ(ctx context.Context) error {
	p := &warc.WACZ{About: aboutFile, Title: "Versions by plat", Software: "plat/" + buildOf().Version, Now: e.begun, FileSize: e.partSize}
	defer p.Close()
	return e.toFile(e.file, func(w io.Writer) error {
		p.Begin(w)
		err := e.parts(ctx, func(x part) error {
			if x.state != nil {
				return p.Own("urls.jsonl", history.StateOf(x.state))
			}
			if x.page != nil {
				if err := p.Page(*x.page); err != nil {
					return err
				}
			}
			return p.Write(x.record)
		})
		if err != nil {
			return err
		}
		return p.End()
	})
}

// errStopped says that nobody takes more parts.
var errStopped = errors.New("stopped")

// writeWARC writes files one after the other, each about as large as the standard
// recommends. If it fails, none of them stays.
func (e *export) writeWARC(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			for _, f := range e.counts.Files {
				os.Remove(f)
			}
		}
	}()
	records := iter.Seq2[*warc.Record, error](func(yield func(*warc.Record, error) bool) {
		err := e.parts(ctx, func(x part) error {
			if x.record != nil && !yield(x.record, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	})
	next, stop := iter.Pull2(records)
	defer stop()
	r, err, more := next()
	for more {
		if err != nil {
			return err
		}
		path := partName(e.file, len(e.counts.Files))
		failed := e.toFile(path, func(out io.Writer) error {
			w := warc.NewWriter(out)
			info := aboutFile()
			info.Filename = filepath.Base(path)
			if _, err := w.Write(info); err != nil {
				return err
			}
			for ; more && w.Size() < e.partSize; r, err, more = next() {
				if err != nil {
					return err
				}
				if _, err := w.Write(r); err != nil {
					return err
				}
			}
			return nil
		})
		if failed != nil {
			return failed
		}
	}
	return nil
}

// partName is what the file number n of several is called.
func partName(path string, n int) string {
	if n == 0 {
		return path
	}
	dir, name := filepath.Split(path)
	name, end, _ := strings.Cut(name, ".")
	if end != "" {
		end = "." + end
	}
	return fmt.Sprintf("%s%s-%05d%s", dir, name, n, end)
}

// document is a version in JSON: what show --json prints, and the header it came with.
type document struct {
	history.VersionInfo
	Headers [][2]string    `json:"headers"`
	Tree    []history.Node `json:"tree"`
}

// documentOf describes a version whose manifest is m, with the texts of its leaves
// if asked; then their contents have to be loaded.
func documentOf(v *plat.Version, m plat.Manifest, texts bool) document {
	d := document{history.VersionOf(v), v.Capture.Header, history.TreeOf(v, texts)}
	if d.Headers == nil {
		d.Headers = [][2]string{}
	}
	if len(m) > 0 {
		n, size := m.Kept()
		d.Resources = &history.ResourcesInfo{Manifest: v.Resources.String(), Kept: n, Bytes: size, LeftOut: len(m) - n}
	}
	return d
}

// writeLines writes an object for each version.
func (e *export) writeLines(ctx context.Context) error {
	return e.toFile(e.file, func(w io.Writer) error {
		lines := json.NewEncoder(w)
		lines.SetEscapeHTML(false)
		for c, err := range e.urls(ctx, e.store) {
			if err != nil {
				return err
			}
			before := e.counts.Versions
			for v, err := range e.versions(ctx, e.store, c) {
				if err != nil {
					return err
				}
				m, err := manifest(ctx, e.store, v)
				if err == nil {
					err = history.LoadAll(ctx, e.store, v.Blocks)
				}
				if err != nil {
					return about(fmt.Sprintf("%s@%d", v.URL, v.N), err)
				}
				if err := lines.Encode(documentOf(v, m, true)); err != nil {
					return err
				}
				if e.counts.Versions == before && !c.again {
					e.counts.URLs++
				}
				e.advanced()
			}
		}
		if e.counts.Versions == 0 {
			return errNothing
		}
		return nil
	})
}

// writeReport writes the history of the one URL that is asked for.
func (e *export) writeReport(ctx context.Context) error {
	for c, err := range e.urls(ctx, e.store) {
		if err != nil {
			return err
		}
		e.counts.URLs, e.counts.Versions = 1, c.state.Head
		return e.toFile(e.file, func(w io.Writer) error {
			return about(c.state.URL, web.Report(ctx, w, e.store, c.state.URL, buildOf().Version))
		})
	}
	return errNothing
}

// toFile writes a file, or if path is empty to standard output, and counts it.
func (e *export) toFile(path string, write func(io.Writer) error) error {
	if path == "" {
		return write(rawScreen{e.out})
	}
	n := &counter{}
	err := writeFile(path, func(w io.Writer) error {
		n.Writer = w
		return write(n)
	})
	if err == nil {
		e.counts.Files = append(e.counts.Files, path)
		e.counts.Bytes += n.bytes
	}
	return err
}

// rawScreen writes to standard output.
type rawScreen struct{ *screen }

func (s rawScreen) Write(b []byte) (int, error) {
	s.raw(b)
	return len(b), s.failed()
}

// counter counts what is written.
type counter struct {
	io.Writer
	bytes int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.bytes += int64(n)
	return n, err
}
