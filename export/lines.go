package export

import (
	"context"
	"io"

	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage/history"
)

// Document is a version as JSON: the JSON of the command show, plus the
// response header.
type Document struct {
	history.VersionInfo
	Headers [][2]string    `json:"headers"`
	Tree    []history.Node `json:"tree"`
}

// documentOf describes a version with manifest m. With texts it includes the
// texts of its leaves, whose contents must be loaded.
func documentOf(v *plat.Version, m plat.Manifest, texts bool) Document {
	d := Document{history.VersionOf(v), v.Capture.Header, history.TreeOf(v, texts)}
	if d.Headers == nil {
		d.Headers = [][2]string{}
	}
	if len(m) > 0 {
		n, size := m.Kept()
		d.Resources = &history.ResourcesInfo{Manifest: v.Resources.String(), Kept: n, Bytes: size, LeftOut: len(m) - n}
	}
	return d
}

// writeLines writes an object for each version, without control characters for terminals,
// because it may go to standard output.
func (r *run) writeLines(ctx context.Context) error {
	return r.toFile(r.File, func(w io.Writer) error {
		for c, err := range r.urls(ctx, r.Store) {
			if err != nil {
				return err
			}
			before := r.sum.Versions
			for v, err := range r.versions(ctx, r.Store, c) {
				if err != nil {
					return err
				}
				m, err := manifest(ctx, r.Store, v)
				if err == nil {
					err = history.LoadAll(ctx, r.Store, v.Blocks)
				}
				if err != nil {
					return about(v.URL, v.N, err)
				}
				line, err := excerpt.JSONLine(documentOf(v, m, true))
				if err == nil {
					_, err = io.WriteString(w, line+"\n")
				}
				if err != nil {
					return err
				}
				if r.sum.Versions == before && !c.again {
					r.sum.URLs++
				}
				r.advanced()
			}
		}
		if r.sum.Versions == 0 {
			return ErrNothing
		}
		return nil
	})
}
