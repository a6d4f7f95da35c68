package sqlite

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"

	"plat/plat"
)

// head writes the fields of v that differ from the previous version. It is long because it has
// a line for each field, in the order of the format.
func (w *writer) head(v, prev *plat.Version) {
	var rec writer
	var mask uint64
	put := func(field uint64, differs bool) bool {
		if differs {
			mask |= field
		}
		return differs
	}
	c, p := &v.Capture, &prev.Capture
	if put(headLayout, v.Layout != prev.Layout) {
		rec.hash(v.Layout)
	}
	if put(headDuration, c.Duration != p.Duration) {
		rec.int(int64(c.Duration/time.Millisecond) - int64(p.Duration/time.Millisecond))
	}
	if put(headPageBytes, c.PageBytes != p.PageBytes) {
		rec.int(c.PageBytes - p.PageBytes)
	}
	if put(headWireBytes, c.WireBytes != p.WireBytes) {
		rec.int(c.WireBytes - p.WireBytes)
	}
	if put(headChanges, len(v.Changes) > 0) {
		rec.changes(v.Changes)
	}
	if put(headHeader, !slices.Equal(c.Header, p.Header)) {
		rec.header(c.Header, p.Header)
	}
	if put(headLineages, v.Lineages != prev.Lineages) {
		rec.int(int64(v.Lineages) - int64(prev.Lineages))
	}
	if put(headTitle, c.Title != p.Title) {
		rec.textAs(c.Title, p.Title)
	}
	if put(headMeta, !maps.Equal(v.Meta, prev.Meta)) {
		rec.meta(v.Meta)
	}
	if put(headPicture, v.Picture != prev.Picture) {
		rec.hash(v.Picture)
	}
	if put(headCoverage, math.Float64bits(v.Coverage) != math.Float64bits(prev.Coverage)) {
		rec.b = binary.LittleEndian.AppendUint64(rec.b, math.Float64bits(v.Coverage))
	}
	if put(headStatus, c.Status != p.Status) {
		rec.int(int64(c.Status))
	}
	if put(headLevel, v.Level != prev.Level) {
		rec.int(int64(v.Level))
	}
	if put(headAdjust, !slices.EqualFunc(v.Adjust, prev.Adjust, sameAdjust)) {
		rec.adjust(v.Adjust)
	}
	if put(headProfile, v.Profile != prev.Profile) {
		rec.text(v.Profile)
	}
	if put(headFinalURL, c.FinalURL != finalURL(v, prev)) {
		rec.textAs(c.FinalURL, v.URL)
	}
	if put(headContentType, c.ContentType != p.ContentType) {
		rec.text(c.ContentType)
	}
	if put(headLanguage, c.Language != p.Language) {
		rec.text(c.Language)
	}
	if put(headBrowser, c.Browser != p.Browser) {
		rec.textAs(c.Browser, p.Browser)
	}
	if put(headViewport, c.Width != p.Width || c.Height != p.Height) {
		rec.int(int64(c.Width))
		rec.int(int64(c.Height))
	}
	if put(headResources, v.Resources != prev.Resources) {
		rec.hash(v.Resources)
	}
	if put(headSettled, c.Settled != p.Settled) {
		rec.text(string(c.Settled))
	}
	if put(headSteps, c.Steps != p.Steps) {
		rec.hash(c.Steps)
	}
	if put(headCoarse, c.Coarse != p.Coarse) {
		rec.int(c.Coarse)
	}
	if put(headItself, len(v.SelfChanges) > 0) {
		rec.selfChanges(v.SelfChanges)
	}
	if put(headArticle, !v.Article.Equal(prev.Article)) {
		rec.article(v.Article, c.Title)
	}
	w.uint(mask)
	w.b = append(w.b, rec.b...)
}

// finalURL returns the predicted FinalURL of v.
func finalURL(v, prev *plat.Version) string {
	if prev.N == 0 {
		return v.URL
	}
	return prev.Capture.FinalURL
}

// head reads the output of the writer's head, and is as long.
func (r *reader) head(v, prev *plat.Version) {
	mask := r.uint()
	has := func(field uint64) bool { return mask&field != 0 }
	url, n, final := v.URL, v.N, finalURL(v, prev)
	*v = *prev
	v.URL, v.N, v.Taken, v.Blocks, v.Changes, v.SelfChanges = url, n, time.Time{}, nil, nil, nil
	v.Capture.FinalURL = final
	c := &v.Capture
	if has(headLayout) {
		v.Layout = r.hash()
	}
	if has(headDuration) {
		c.Duration += r.duration()
	}
	if has(headPageBytes) {
		c.PageBytes += r.int()
	}
	if has(headWireBytes) {
		c.WireBytes += r.int()
	}
	if has(headChanges) {
		v.Changes = r.changes()
	}
	if has(headHeader) {
		c.Header = r.header(c.Header)
	}
	if has(headLineages) {
		v.Lineages = r.int32(int64(v.Lineages))
	}
	if has(headTitle) {
		c.Title = r.textAs(c.Title)
	}
	if has(headMeta) {
		v.Meta = r.meta()
	}
	if has(headPicture) {
		v.Picture = r.hash()
	}
	if has(headCoverage) {
		if b := r.bytes(8); len(b) == 8 {
			v.Coverage = math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	}
	if has(headStatus) {
		c.Status = int(r.int())
	}
	if has(headLevel) {
		v.Level = int(r.int())
	}
	if has(headAdjust) {
		v.Adjust = r.adjust()
	}
	if has(headProfile) {
		v.Profile = r.text()
	}
	if has(headFinalURL) {
		c.FinalURL = r.textAs(url)
	}
	if has(headContentType) {
		c.ContentType = r.text()
	}
	if has(headLanguage) {
		c.Language = r.text()
	}
	if has(headBrowser) {
		c.Browser = r.textAs(c.Browser)
	}
	if has(headViewport) {
		c.Width, c.Height = int(r.int()), int(r.int())
	}
	if has(headUnsettled) {
		if c.Settled == "" {
			c.Settled = plat.SettledLimit
		} else {
			c.Settled = ""
		}
	}
	if has(headResources) {
		v.Resources = r.hash()
	}
	if has(headSettled) {
		c.Settled = plat.Settled(r.text())
	}
	if has(headSteps) {
		c.Steps = r.hash()
	}
	if has(headCoarse) {
		c.Coarse = r.int()
	}
	if has(headItself) {
		v.SelfChanges = r.selfChanges()
	}
	if has(headArticle) {
		v.Article = r.article(c.Title)
	} else {
		v.Article = v.Article.Clone()
	}
	// Do not share a map that callers may modify with the previous version.
	v.Meta = maps.Clone(v.Meta)
}

// kinds of changes, written as [putName] does.
var kinds = [...]plat.Kind{plat.Same, plat.Added, plat.Removed, plat.Moved, plat.Content, plat.Format, plat.Volatile, plat.Advertisement, plat.Invisible, plat.Link, plat.Image}

func (w *writer) changes(m map[plat.Kind]int) {
	w.uint(uint64(len(m)))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		w.kind(k)
		w.int(int64(m[k]))
	}
}

func (w *writer) kind(k plat.Kind) { putName(w, kinds[:], k) }

func (r *reader) kind() plat.Kind { return nameOf(r, kinds[:], "kind of change") }

func (r *reader) changes() map[plat.Kind]int {
	n := r.count()
	m := make(map[plat.Kind]int, n)
	for range n {
		k := r.kind()
		m[k] = int(r.int())
	}
	return m
}

// header writes the pairs, names and values each as a difference to the previous
// version's pair of the same index.
func (w *writer) header(h, prev [][2]string) {
	w.uint(uint64(len(h)))
	for i, kv := range h {
		var ref [2]string
		if i < len(prev) {
			ref = prev[i]
		}
		switch {
		case kv == ref:
			w.uint(0)
		case kv[0] == ref[0]:
			w.uint(1)
			w.textAs(kv[1], ref[1])
		default:
			w.uint(2)
			w.text(kv[0])
			w.text(kv[1])
		}
	}
}

func (r *reader) header(prev [][2]string) [][2]string {
	n := r.count()
	if n == 0 {
		return nil
	}
	h := make([][2]string, n)
	for i := range h {
		var ref [2]string
		if i < len(prev) {
			ref = prev[i]
		}
		switch r.uint() {
		case 0:
			h[i] = ref
		case 1:
			h[i] = [2]string{ref[0], r.textAs(ref[1])}
		case 2:
			h[i] = [2]string{r.text(), r.text()}
		default:
			r.fail("unknown kind of header")
		}
	}
	return h
}

func (w *writer) meta(m map[string]string) {
	w.uint(uint64(len(m)))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		w.text(k)
		w.text(m[k])
	}
}

func (r *reader) meta() map[string]string {
	n := r.count()
	if n == 0 {
		return nil
	}
	m := make(map[string]string, n)
	for range n {
		k := r.text()
		m[k] = r.text()
	}
	return m
}

func sameAdjust(a, b plat.Adjust) bool { return a.Split == b.Split && slices.Equal(a.Path, b.Path) }

func (w *writer) adjust(a []plat.Adjust) {
	w.uint(uint64(len(a)))
	for _, x := range a {
		split := uint64(0)
		if x.Split {
			split = 1
		}
		w.uint(uint64(len(x.Path))<<1 | split)
		for _, p := range x.Path {
			w.int(int64(p))
		}
	}
}

func (r *reader) adjust() []plat.Adjust {
	n := r.count()
	if n == 0 {
		return nil
	}
	a := make([]plat.Adjust, n)
	for i := range a {
		k := r.uint()
		if k>>1 > uint64(len(r.b)) {
			r.fail("truncated list")
			return nil
		}
		a[i].Split = k&1 == 1
		if k>>1 > 0 {
			a[i].Path = make([]int32, k>>1)
		}
		for j := range a[i].Path {
			a[i].Path[j] = r.int32(0)
		}
	}
	return a
}
