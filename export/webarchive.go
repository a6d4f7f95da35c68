package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"plat/export/warc"
	"plat/storage/history"
)

// writeWACZ writes the whole export into one file.
func (r *run) writeWACZ(ctx context.Context) error {
	p := &warc.WACZ{About: r.aboutFile, Title: "Versions by plat", Software: "plat/" + r.Version, Now: r.Begun, FileSize: r.PartSize}
	defer p.Close()
	return r.toFile(r.File, func(w io.Writer) error {
		p.Begin(w)
		err := r.parts(ctx, func(x part) error {
			if x.state != nil {
				return p.Extra("urls.jsonl", history.StateOf(x.state))
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
		return p.Finish()
	})
}

// errStopped means that the consumer of parts has stopped.
var errStopped = errors.New("stopped")

// writeWARC writes one or several files, each of about the size that the standard recommends.
// If it fails, it removes all of them.
func (r *run) writeWARC(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			for _, f := range r.sum.Files {
				os.Remove(f)
			}
		}
	}()
	records := iter.Seq2[*warc.Record, error](func(yield func(*warc.Record, error) bool) {
		err := r.parts(ctx, func(x part) error {
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
	x, err, more := next()
	for more {
		if err != nil {
			return err
		}
		path := partName(r.File, len(r.sum.Files))
		failed := r.toFile(path, func(out io.Writer) error {
			w := warc.NewWriter(out)
			info := r.aboutFile()
			info.Filename = filepath.Base(path)
			if _, err := w.Write(info); err != nil {
				return err
			}
			for ; more && w.Size() < r.PartSize; x, err, more = next() {
				if err != nil {
					return err
				}
				if _, err := w.Write(x); err != nil {
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

// partName returns the name of file n of several.
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
