package tree

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"

	"plat/plat"
	"plat/storage/wire"
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
		rec.Hash(v.Layout)
	}
	if put(headDuration, c.Duration != p.Duration) {
		rec.Int(int64(c.Duration/time.Millisecond) - int64(p.Duration/time.Millisecond))
	}
	if put(headPageBytes, c.PageBytes != p.PageBytes) {
		rec.Int(c.PageBytes - p.PageBytes)
	}
	if put(headWireBytes, c.WireBytes != p.WireBytes) {
		rec.Int(c.WireBytes - p.WireBytes)
	}
	if put(headChanges, len(v.Changes) > 0) {
		rec.changes(v.Changes)
	}
	if put(headHeader, !slices.Equal(c.Header, p.Header)) {
		rec.header(c.Header, p.Header)
	}
	if put(headLineages, v.Lineages != prev.Lineages) {
		rec.Int(int64(v.Lineages) - int64(prev.Lineages))
	}
	if put(headTitle, c.Title != p.Title) {
		rec.TextAs(c.Title, p.Title)
	}
	if put(headMeta, !maps.Equal(v.Meta, prev.Meta)) {
		rec.meta(v.Meta)
	}
	if put(headPicture, v.Picture != prev.Picture) {
		rec.Hash(v.Picture)
	}
	if put(headCoverage, math.Float64bits(v.Coverage) != math.Float64bits(prev.Coverage)) {
		rec.B = binary.LittleEndian.AppendUint64(rec.B, math.Float64bits(v.Coverage))
	}
	if put(headStatus, c.Status != p.Status) {
		rec.Int(int64(c.Status))
	}
	if put(headLevel, v.Level != prev.Level) {
		rec.Int(int64(v.Level))
	}
	if put(headAdjust, !slices.EqualFunc(v.Adjust, prev.Adjust, sameAdjust)) {
		rec.adjust(v.Adjust)
	}
	if put(headProfile, v.Profile != prev.Profile) {
		rec.Text(v.Profile)
	}
	if put(headFinalURL, c.FinalURL != finalURL(v, prev)) {
		rec.TextAs(c.FinalURL, v.URL)
	}
	if put(headContentType, c.ContentType != p.ContentType) {
		rec.Text(c.ContentType)
	}
	if put(headLanguage, c.Language != p.Language) {
		rec.Text(c.Language)
	}
	if put(headBrowser, c.Browser != p.Browser) {
		rec.TextAs(c.Browser, p.Browser)
	}
	if put(headViewport, c.Width != p.Width || c.Height != p.Height) {
		rec.Int(int64(c.Width))
		rec.Int(int64(c.Height))
	}
	if put(headResources, v.Resources != prev.Resources) {
		rec.Hash(v.Resources)
	}
	if put(headSettled, c.Settled != p.Settled) {
		rec.Text(string(c.Settled))
	}
	if put(headSteps, c.Steps != p.Steps) {
		rec.Hash(c.Steps)
	}
	if put(headCoarse, c.Coarse != p.Coarse) {
		rec.Int(c.Coarse)
	}
	if put(headItself, len(v.SelfChanges) > 0) {
		rec.selfChanges(v.SelfChanges)
	}
	if put(headArticle, !v.Article.Equal(prev.Article)) {
		rec.article(v.Article, c.Title)
	}
	w.Uint(mask)
	w.B = append(w.B, rec.B...)
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
	mask := r.Uint()
	has := func(field uint64) bool { return mask&field != 0 }
	url, n, final := v.URL, v.N, finalURL(v, prev)
	*v = *prev
	v.URL, v.N, v.Taken, v.Blocks, v.Changes, v.SelfChanges = url, n, time.Time{}, nil, nil, nil
	v.Capture.FinalURL = final
	c := &v.Capture
	if has(headLayout) {
		v.Layout = r.Hash()
	}
	if has(headDuration) {
		c.Duration += r.Duration()
	}
	if has(headPageBytes) {
		c.PageBytes += r.Int()
	}
	if has(headWireBytes) {
		c.WireBytes += r.Int()
	}
	if has(headChanges) {
		v.Changes = r.changes()
	}
	if has(headHeader) {
		c.Header = r.header(c.Header)
	}
	if has(headLineages) {
		v.Lineages = r.Int32(int64(v.Lineages))
	}
	if has(headTitle) {
		c.Title = r.TextAs(c.Title)
	}
	if has(headMeta) {
		v.Meta = r.meta()
	}
	if has(headPicture) {
		v.Picture = r.Hash()
	}
	if has(headCoverage) {
		if b := r.Bytes(8); len(b) == 8 {
			v.Coverage = math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	}
	if has(headStatus) {
		c.Status = int(r.Int())
	}
	if has(headLevel) {
		v.Level = int(r.Int())
	}
	if has(headAdjust) {
		v.Adjust = r.adjust()
	}
	if has(headProfile) {
		v.Profile = r.Text()
	}
	if has(headFinalURL) {
		c.FinalURL = r.TextAs(url)
	}
	if has(headContentType) {
		c.ContentType = r.Text()
	}
	if has(headLanguage) {
		c.Language = r.Text()
	}
	if has(headBrowser) {
		c.Browser = r.TextAs(c.Browser)
	}
	if has(headViewport) {
		c.Width, c.Height = int(r.Int()), int(r.Int())
	}
	if has(headUnsettled) {
		if c.Settled == "" {
			c.Settled = plat.SettledLimit
		} else {
			c.Settled = ""
		}
	}
	if has(headResources) {
		v.Resources = r.Hash()
	}
	if has(headSettled) {
		c.Settled = plat.Settled(r.Text())
	}
	if has(headSteps) {
		c.Steps = r.Hash()
	}
	if has(headCoarse) {
		c.Coarse = r.Int()
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
	w.Uint(uint64(len(m)))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		w.kind(k)
		w.Int(int64(m[k]))
	}
}

func (w *writer) kind(k plat.Kind) { wire.PutName(&w.Writer, kinds[:], k) }

func (r *reader) kind() plat.Kind { return wire.NameOf(&r.Reader, kinds[:], "kind of change") }

func (r *reader) changes() map[plat.Kind]int {
	n := r.Count()
	m := make(map[plat.Kind]int, n)
	for range n {
		k := r.kind()
		m[k] = int(r.Int())
	}
	return m
}

// header writes the pairs, names and values each as a difference to the previous
// version's pair of the same index.
func (w *writer) header(h, prev [][2]string) {
	w.Uint(uint64(len(h)))
	for i, kv := range h {
		var ref [2]string
		if i < len(prev) {
			ref = prev[i]
		}
		switch {
		case kv == ref:
			w.Uint(0)
		case kv[0] == ref[0]:
			w.Uint(1)
			w.TextAs(kv[1], ref[1])
		default:
			w.Uint(2)
			w.Text(kv[0])
			w.Text(kv[1])
		}
	}
}

func (r *reader) header(prev [][2]string) [][2]string {
	n := r.Count()
	if n == 0 {
		return nil
	}
	h := make([][2]string, n)
	for i := range h {
		var ref [2]string
		if i < len(prev) {
			ref = prev[i]
		}
		switch r.Uint() {
		case 0:
			h[i] = ref
		case 1:
			h[i] = [2]string{ref[0], r.TextAs(ref[1])}
		case 2:
			h[i] = [2]string{r.Text(), r.Text()}
		default:
			r.Fail("unknown kind of header")
		}
	}
	return h
}

func (w *writer) meta(m map[string]string) {
	w.Uint(uint64(len(m)))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		w.Text(k)
		w.Text(m[k])
	}
}

func (r *reader) meta() map[string]string {
	n := r.Count()
	if n == 0 {
		return nil
	}
	m := make(map[string]string, n)
	for range n {
		k := r.Text()
		m[k] = r.Text()
	}
	return m
}

func sameAdjust(a, b plat.Adjust) bool { return a.Split == b.Split && slices.Equal(a.Path, b.Path) }

func (w *writer) adjust(a []plat.Adjust) {
	w.Uint(uint64(len(a)))
	for _, x := range a {
		split := uint64(0)
		if x.Split {
			split = 1
		}
		w.Uint(uint64(len(x.Path))<<1 | split)
		for _, p := range x.Path {
			w.Int(int64(p))
		}
	}
}

func (r *reader) adjust() []plat.Adjust {
	n := r.Count()
	if n == 0 {
		return nil
	}
	a := make([]plat.Adjust, n)
	for i := range a {
		k := r.Uint()
		if k>>1 > uint64(len(r.B)) {
			r.Fail("truncated list")
			return nil
		}
		a[i].Split = k&1 == 1
		if k>>1 > 0 {
			a[i].Path = make([]int32, k>>1)
		}
		for j := range a[i].Path {
			a[i].Path[j] = r.Int32(0)
		}
	}
	return a
}
