package replay

import (
	"context"
	"encoding/base64"
	"errors"
	"maps"
	"slices"
	"strings"

	"plat/plat"
	"plat/plat/weburl"
)

// store is the part of an archive that rewriting needs: contents of resources.
type store interface {
	Resource(ctx context.Context, h plat.Hash) ([]byte, error)
}

// View configures the display of versions by a server, for browsers with scripts off.
type View struct {
	Assets *Assets                 // resources archived with the version
	Link   func(url string) string // target of a link to a page; url is absolute, http or https
	Banner string                  // HTML for the start of the body, well-formed as XML
	State  *plat.PageState         // see [State]; nil: nothing is known of it
	Origin string                  // of the server, "http://host:port"; empty: all frames are laid out in standards mode

	// Marks become the attribute data-plat of elements. Unless they are empty, MarkStyle, which
	// is HTML, is put at the beginning of the head.
	Marks     Marks
	MarkStyle string
}

// Page rewrites html, the result of [plat/history.Page] for v. Errors are those
// of the store.
func (o View) Page(ctx context.Context, s store, v *plat.Version, html []byte) (Document, error) {
	return (&rewriter{View: o}).version(ctx, s, v, html)
}

// Document is the document of a page or of a frame.
type Document struct {
	URL  string
	Type string // media type: of HTML, or of XML whose style sheets name its elements
	Body []byte

	// Replaces reports whether a page has elements in place of some with other names: an <iframe> in place of an <object>.
	Replaces bool
}

// htmlType is the media type of a rewritten page.
const htmlType = "text/html; charset=utf-8"

// Playable returns the page of v for web archive players: html, the result of
// [plat/history.Page], with rules inserted by scripts and canvas contents inlined, references as
// they were where players find the same file by them, others absolute or, if they are not in the manifest m,
// empty, and without active content. Documents of frames with a URL of their own are returned
// beside it: players find them as they find the page, and browsers lay each out in its own mode. The others stand inside
// the page. The state is that of [State]. Errors come from the store.
func Playable(ctx context.Context, s store, v *plat.Version, m plat.Manifest, state *plat.PageState, html []byte) (page Document, frames []Document, err error) {
	itself := func(url string) string { return url }
	w := &rewriter{View: View{Assets: &Assets{manifest: m}, State: state, Link: itself}, apart: map[string][]byte{v.URL: nil}}
	page, err = w.version(ctx, s, v, html)
	return page, w.frames, err
}

// maxTakenIn bounds the bytes of blob: resources inside an exported page.
const maxTakenIn = 8 << 20

// takeIn reads the resources under blob: URLs, which players cannot look up: they stand inside the page. Those of style sheets
// are last, because these refer to the others, and are written twice, because they import each other.
func (a *Assets) takeIn(ctx context.Context, s store) error {
	a.inline, a.left = map[string]string{}, new(4*maxTakenIn)
	free := int64(maxTakenIn)
	sheets := map[string]string{}
	for i := range a.manifest {
		r := &a.manifest[i]
		if !strings.HasPrefix(r.URL, "blob:") || r.Left != "" || r.Size > free {
			continue
		}
		free -= r.Size
		data, err := s.Resource(ctx, r.Hash)
		if err != nil {
			return err
		}
		kind, alone := Alone(r.Type, data)
		if r.Type == typeCSS {
			sheets[r.URL] = string(alone)
			continue
		}
		a.inline[r.URL] = dataURL(strings.ReplaceAll(kind, " ", ""), alone)
	}
	urls := slices.Sorted(maps.Keys(sheets))
	for range 2 {
		for _, u := range urls {
			if data := dataURL("text/css;charset=utf-8", []byte(a.Sheet(sheets[u], u))); len(data) <= maxTakenIn {
				a.inline[u] = data
			}
		}
	}
	return nil
}

// dataURL returns a data: URL (RFC 2397) of a media type.
func dataURL(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// placedStyle are the rules of a place.
type placedStyle struct {
	place plat.StylePlace
	css   string
}

// version rewrites the page of a version.
func (w *rewriter) version(ctx context.Context, s store, v *plat.Version, html []byte) (Document, error) {
	page := Document{URL: v.URL, Type: htmlType}
	m := w.Assets.manifest
	w.applyState()
	w.Assets = w.Assets.With(w.State)
	if w.Assets.prefix == "" {
		if err := w.Assets.takeIn(ctx, s); err != nil {
			return page, err
		}
	}
	w.sprites.from(ctx, s, m)
	w.canvases = map[string]string{}
	var styles []placedStyle
	for i := range m {
		if place, ok := plat.ParseCanvasPlace(m[i].URL); ok && m[i].Left == "" {
			url := w.Assets.Path(m[i].URL)
			if w.Assets.prefix == "" { // players cannot find it under that URL
				data, err := s.Resource(ctx, m[i].Hash)
				if err != nil {
					return page, err
				}
				url = dataURL("image/png", data)
			}
			w.canvases[pathKey(place.Path)] = url
		}
		if place, ok := plat.ParseStylePlace(m[i].URL); ok && m[i].Left == "" {
			css, err := s.Resource(ctx, m[i].Hash)
			if err != nil {
				return page, err
			}
			styles = append(styles, placedStyle{place, string(css)})
		}
	}
	slices.SortStableFunc(styles, func(a, b placedStyle) int { return a.place.Adopted - b.place.Adopted }) // the list is sorted by text
	for _, s := range styles {
		w.addStyle(s.place, s.css)
	}
	w.at, w.final = weburl.NewBase(v.URL), v.Capture.FinalURL
	switch body, err := w.xml(ctx, s, v, html); {
	case err == nil:
		page.Type, page.Body = xmlType, body
		return page, nil
	case !errors.Is(err, errNoXML):
		return page, err
	}
	page.Body = w.page(html, v.Base())
	page.Replaces = w.replaces
	switch {
	case SafeType(v.Capture.ContentType) == typeSVG && drawnAlone(page.Body):
		page.Body = append([]byte(drawingAlone), page.Body...)
	case isXML(v) && isOtherXML(page.Body):
		page.Body = append([]byte("<!DOCTYPE html>"+xmlAlone), page.Body...)
	}
	return page, w.sprites.err
}
