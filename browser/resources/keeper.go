package resources

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"mime"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"plat/browser/devtools"
	"plat/browser/tab"
	"plat/plat"
)

// Limits of a page's resources. On the real pages of BenchmarkResources the largest resource has
// 0.5 MB, and the largest page 2.8 MB in all; current pages have several times as much. Pages above
// the limits are meant to fill a disk.
const (
	MaxBytes      = 5 << 20         // bytes of one
	MaxTotal      = 30 << 20        // bytes of all
	resourceTime  = 5 * time.Second // for all of them
	resourcesSent = 8               // concurrent requests to Chrome
	maxFrames     = 32              // searched separately
)

// resourceScript defines takeStyles, which calls takeLooks, which looksScript defines.
//
//go:embed resource.js
var resourceScript string

//go:embed sheets.js
var sheetsScript string

//go:embed looks.js
var looksScript string

// errLimit is the cause of the end at the time limit.
var errLimit = errors.New("the limit for resources")

// Take collects the style sheets, fonts and images that Chrome still holds, the style rules
// inserted by scripts, the state of the page s (see [plat.PageState]), and the pictures of canvases, at
// most so many bytes in all. It never fails:
// unavailable resources are listed as omitted. It must be the last action on a page, because it
// removes the page's linked style sheets and network. It runs while time passes; see
// [tab.Tab.WhileTimePasses].
//
// It sends no requests to the network. Before Chrome returns any content, it reloads every style
// sheet in use (InspectorResourceContentLoader in Blink), past its cache where a sheet may not be
// cached, and loses the old text if that fails. So the sheets are disabled first: Chrome does not
// reload sheets that are not in use, and their text is available. The lane is stopped too, in case
// a sheet was overlooked.
func Take(ctx context.Context, t *tab.Tab, s *plat.Snapshot, want plat.ResourceSet, canvases []plat.Resource, most int64) []plat.Resource {
	t.Lane.Stop()
	ctx, cancel := context.WithTimeoutCause(ctx, resourceTime, errLimit)
	defer cancel()
	k := &keeper{tab: t, free: min(MaxTotal, most), seen: map[string]bool{}, worlds: map[cdp.FrameID]runtime.ExecutionContextID{}}
	tree, err := devtools.Call(ctx, t.Session, page.GetResourceTree, cdp.Empty{})
	if err != nil || tree.FrameTree == nil {
		return nil
	}
	refusals := t.Refusals(ctx)
	styles := k.styles(ctx, tree.FrameTree, refusals)
	after := len(styles.Styles)
	after += k.fonts(ctx, after)
	k.properties(ctx, after)
	types := []network.ResourceType{network.ResourceTypeStylesheet, network.ResourceTypeFont}
	if want == plat.AllResources {
		types = append(types, network.ResourceTypeImage)
	}
	k.list(tree.FrameTree, types, styles.Applied)
	k.fetch(ctx)
	k.addBoth(ctx, types)
	for _, r := range canvases {
		at, ok := k.add(plat.Resource{URL: r.URL, Type: r.Type, Left: r.Left})
		if ok && r.Left == "" {
			k.fill(&k.kept[at], r.Data, 0)
		}
	}
	for i := range k.kept {
		k.kept[i].Status = styles.Status[k.kept[i].URL]
	}
	styles.Refused = k.refused(refusals, styles.Documents)
	if state := stateOf(s, &styles, k.kept, want); !state.Empty() {
		r := state.Resource()
		if at, ok := k.add(plat.Resource{URL: r.URL, Type: r.Type}); ok {
			k.fill(&k.kept[at], r.Data, 0)
		}
	}
	return k.kept
}

// keeper gathers the resources of a page.
type keeper struct {
	tab    *tab.Tab
	free   int64           // bytes that may still be kept
	seen   map[string]bool // URLs in kept
	kept   []plat.Resource
	asked  []asked
	worlds map[cdp.FrameID]runtime.ExecutionContextID // isolated worlds of frames
	both   []both
}

// both are URLs of files that both the documents in a frame and their scripts have loaded.
type both struct {
	frame cdp.FrameID
	urls  []string
}

// asked is a resource whose content is requested.
type asked struct {
	at    int // in kept
	frame cdp.FrameID
	size  int64 // that it should have

	// fetched: a script has requested it, too, since the page has loaded it. Chrome has what the script got, perhaps a part
	// or nothing, and its cache what the page did.
	fetched bool
}

// add lists a resource, if it can be, and returns where.
func (k *keeper) add(r plat.Resource) (at int, ok bool) {
	if k.seen[r.URL] || len(r.URL) > plat.MaxResourceURL || len(k.kept) == plat.MaxResources {
		return 0, false
	}
	k.seen[r.URL] = true
	k.kept = append(k.kept, r)
	return len(k.kept) - 1, true
}

// reserve reserves so many bytes, and returns why they exceed the limits, "" if they do not.
func (k *keeper) reserve(size int64) plat.OmitReason {
	switch {
	case size > MaxBytes:
		return plat.OmitLarge
	case size > k.free:
		return plat.OmitFull
	}
	k.free -= size
	return ""
}

// fill gives a resource its content, for which size bytes were reserved.
func (k *keeper) fill(r *plat.Resource, data []byte, size int64) {
	k.free += size
	if data == nil { // nil would mean that it is stored already
		data = []byte{}
	}
	if r.Left = k.reserve(int64(len(data))); r.Left == "" {
		r.Data, r.Size, r.Hash = data, int64(len(data)), plat.HashOf(data)
	}
}

// takenStyles is the result of takeStyles in resource.js.
type takenStyles struct {
	Styles []struct {
		Path    []int32         `json:"path"`
		Adopted int             `json:"adopted"`
		Left    plat.OmitReason `json:"left"`
		Text    string          `json:"text"`
	} `json:"styles"`
	Status map[string]int `json:"status"` // HTTP, by URL

	Applied    []string          `json:"applied"` // URLs of style sheets that have rules
	Both       []string          `json:"both"`    // URLs of files that both the page and a script have loaded
	Media      []placedMedia     `json:"media"`   // as in plat.PageState, like the next eight
	Animations []plat.PlacedText `json:"animations"`
	Controls   []plat.Control    `json:"controls"`
	Opened     []plat.PlacedText `json:"opened"`
	Begun      []plat.PlacedText `json:"begun"`
	States     []plat.PlacedText `json:"states"`
	Defined    []string          `json:"defined"`
	Unstyled   [][]int32         `json:"unstyled"`
	Bases      []plat.PlacedText `json:"bases"` // that documents had before
	Modes      []plat.PlacedText `json:"modes"`
	Documents  []unloaded        `json:"documents"`

	Refused []plat.RefusedFiles `json:"-"`
}

// placedMedia is a media query for a style sheet.
type placedMedia struct {
	plat.PlacedText
	URL string `json:"url"` // of a file that the page got no answer for, unless it was redirected to another host
}

// styles collects the rules inserted by scripts, and disables all style sheets. It
// covers the page, its open shadow roots, and frames of its origin; in other frames
// it only disables the sheets.
func (k *keeper) styles(ctx context.Context, main *page.FrameResourceTree, refusals []tab.Refusal) (out takenStyles) {
	changed := "[]"
	if b, err := k.tab.Hook(ctx, "changedSheets()"); err == nil && indices.Match(b) {
		changed = string(b)
	}
	_, _ = k.tab.Hook(ctx, "markBegun('data-plat-begun')") // looks.js reads it
	names, err := k.tab.Hook(ctx, "states()")
	if err != nil {
		names = []byte("[]")
	}
	worlds := 0
	seen := map[cdp.FrameID]bool{}
	for f := range tab.Frames(main) {
		seen[f.Frame.ID] = f == main || seen[f.Frame.ParentID] && f.Frame.SecurityOrigin == main.Frame.SecurityOrigin
		if f != main && (seen[f.Frame.ID] || !has(f, network.ResourceTypeStylesheet)) {
			continue
		}
		if worlds++; worlds > maxFrames {
			break
		}
		of, refused := "[]", "[]" // the indices are those of the page's own document
		if f == main {
			of, refused = changed, urlsOf(refusals)
		}
		b, err := k.takeStyles(ctx, f.Frame.ID, of, refused, string(names))
		if err == nil && f == main && jsonv2.Unmarshal(b, &out, jsonv2.AllowInvalidUTF8(true)) != nil {
			out = takenStyles{} // it cannot be trusted
		}
		if err == nil && f != main {
			var framed struct {
				Both []string `json:"both"`
			}
			if jsonv2.Unmarshal(b, &framed, jsonv2.AllowInvalidUTF8(true)) == nil {
				k.both = append(k.both, both{f.Frame.ID, framed.Both})
			}
		}
	}
	k.both = append(k.both, both{main.Frame.ID, out.Both})
	for _, s := range out.Styles {
		place := plat.StylePlace{Path: s.Path, Adopted: s.Adopted}
		at, ok := k.add(plat.Resource{URL: place.URL(), Type: "text/css", Left: s.Left})
		if ok && s.Left == "" {
			k.fill(&k.kept[at], []byte(s.Text), 0)
		}
	}
	return out
}

// indices matches a list of indices as JSON.
var indices = regexp.MustCompile(`^\[[0-9, ]*\]$`)

// takeStyles runs resource.js in an isolated world of a frame; changed are the indices of its sheets that scripts have changed,
// refused the URLs that policies have refused, states the names of those of custom elements.
func (k *keeper) takeStyles(ctx context.Context, frame cdp.FrameID, changed, refused, states string) ([]byte, error) {
	world, err := k.tab.WorldOf(ctx, frame)
	if err != nil {
		return nil, err
	}
	k.worlds[frame] = world
	return k.tab.Evaluate(ctx, world, fmt.Sprintf("%s; %s; %s; takeStyles(%d, %d, %s, %s, %s)", resourceScript, sheetsScript, looksScript, MaxBytes, resourceTime.Milliseconds()/4, changed, refused, states))
}

// list lists the resources of some types, and selects those whose content is requested: loaded ones
// first, then type by type, small ones first, so that the limits omit as few as possible, and the
// same ones every time. Style sheets in use have that type, whatever their servers call them. Chrome
// gives no type of their own to drawings that other drawings refer to, and to files that a script has
// requested too: these are selected by their media type.
func (k *keeper) list(main *page.FrameResourceTree, types []network.ResourceType, applied []string) {
	type found struct {
		*page.FrameResource
		frame  cdp.FrameID
		failed int
		too    bool // requested by a script, too
	}
	var all []found
	for f := range tab.Frames(main) {
		for _, r := range f.Resources {
			own := slices.Contains(types, r.Type)
			if (own || slices.Contains(types, typeOf(r.MimeType))) && fetched(r.URL) {
				all = append(all, found{r, f.Frame.ID, 0, !own})
				if r.Failed || r.Canceled {
					all[len(all)-1].failed = 1
				}
			}
		}
		if r := shownAlone(f); r != nil && f != main && slices.Contains(types, network.ResourceTypeImage) {
			all = append(all, found{r, f.Frame.ID, 0, true})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(a.failed-b.failed, rankOf(types, a.Type)-rankOf(types, b.Type),
			cmp.Compare(a.ContentSize, b.ContentSize), strings.Compare(a.URL, b.URL))
	})
	for _, r := range all {
		kind := strings.ToLower(r.MimeType)
		if r.Type == network.ResourceTypeStylesheet && slices.Contains(applied, r.URL) {
			kind = "text/css"
		}
		at, ok := k.add(plat.Resource{URL: r.URL, Type: kind})
		if !ok {
			continue
		}
		size := int64(r.ContentSize)
		if r.failed > 0 {
			k.kept[at].Left = plat.OmitFailed
		} else if k.kept[at].Left = k.reserve(size); k.kept[at].Left == "" {
			k.asked = append(k.asked, asked{at, r.frame, size, r.too})
		}
	}
}

// shownAlone returns the image that is the document of a frame, around which Chrome has made a page; nil for others. A
// drawing is a document itself, and part of the snapshot.
func shownAlone(f *page.FrameResourceTree) *page.FrameResource {
	kind := strings.ToLower(f.Frame.MimeType)
	if typeOf(kind) != network.ResourceTypeImage || kind == "image/svg+xml" || !fetched(f.Frame.URL) {
		return nil
	}
	return &page.FrameResource{URL: f.Frame.URL, Type: network.ResourceTypeImage, MimeType: kind}
}

// typeOf returns the type of resource that a media type is of, empty for others.
func typeOf(media string) network.ResourceType {
	media = strings.ToLower(media)
	switch {
	case strings.HasPrefix(media, "image/"):
		return network.ResourceTypeImage
	case media == "text/css":
		return network.ResourceTypeStylesheet
	case strings.HasPrefix(media, "font/"), strings.HasPrefix(media, "application/font-"), strings.HasPrefix(media, "application/x-font-"), media == "application/vnd.ms-fontobject":
		return network.ResourceTypeFont
	}
	return ""
}

// rankOf returns the place of a type in the order in which contents are requested.
func rankOf(types []network.ResourceType, t network.ResourceType) int {
	if i := slices.Index(types, t); i >= 0 {
		return i
	}
	return len(types)
}

// fetch requests contents, a few at a time.
func (k *keeper) fetch(ctx context.Context) {
	for len(k.asked) > 0 {
		now := k.asked[:min(resourcesSent, len(k.asked))]
		k.asked = k.asked[len(now):]
		var sent [resourcesSent]devtools.Future
		for i, a := range now {
			if a.fetched && k.fromCache(ctx, &k.kept[a.at], a) {
				continue
			}
			sent[i] = k.tab.Session.Send(page.GetResourceContent.Method, page.GetResourceContentParams{FrameID: a.frame, URL: k.kept[a.at].URL})
		}
		for i, a := range now {
			r := &k.kept[a.at]
			if len(r.Data) > 0 {
				continue // from the cache
			}
			b, err := sent[i].Wait(ctx)
			var data []byte
			if err == nil {
				data, err = resourceContent(b)
			}
			switch {
			case err == nil && (len(data) > 0 || a.size == 0 && !a.fetched): // Chrome also returns nothing for sheets whose text it has dropped
				k.fill(r, data, a.size)
			case errors.Is(err, errLimit) || ctx.Err() != nil:
				r.Left = plat.OmitLate
			default:
				k.again(ctx, r, a)
			}
		}
	}
}

// again reads Chrome's cache for resources that Chrome has decoded and discarded, as it does with
// every font and some style sheets, and for empty ones, which it does not keep.
func (k *keeper) again(ctx context.Context, r *plat.Resource, a asked) {
	if !k.fromCache(ctx, r, a) {
		k.free += a.size
		r.Left = plat.OmitGone
	}
}

// fromCache fills a resource with what Chrome's cache has, and reports whether it has any.
func (k *keeper) fromCache(ctx context.Context, r *plat.Resource, a asked) bool {
	_, data := k.cached(ctx, a.frame, r.URL)
	if data != nil {
		k.fillCached(r, data, a.size)
	}
	return data != nil
}

// fillCached is fill with the bytes of a file in Chrome's cache. A style sheet there is in those of its server: see [sheetText].
func (k *keeper) fillCached(r *plat.Resource, data []byte, size int64) {
	if r.Type == "text/css" {
		data = sheetText(data)
	}
	k.fill(r, data, size)
}

// addBoth adds the files that a script has requested after the page had loaded them. Chrome lists them no longer, but its
// cache has the answer that the page got.
func (k *keeper) addBoth(ctx context.Context, types []network.ResourceType) {
	for _, b := range k.both {
		for _, u := range b.urls {
			if k.seen[u] || !fetched(u) || ctx.Err() != nil {
				continue
			}
			kind, data := k.cached(ctx, b.frame, u)
			if data == nil { // its name may say what it was
				named, _, _ := strings.Cut(u, "?")
				kind = mime.TypeByExtension(path.Ext(named))
			}
			kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
			if kind = strings.TrimSpace(kind); !slices.Contains(types, typeOf(kind)) {
				continue
			}
			at, ok := k.add(plat.Resource{URL: u, Type: kind})
			if !ok {
				continue
			}
			r := &k.kept[at]
			if data == nil {
				r.Left = plat.OmitGone
				continue
			}
			k.fillCached(r, data, 0)
		}
	}
}

// cached returns the media type and the content of a file in Chrome's cache, nil if it has none.
func (k *keeper) cached(ctx context.Context, frame cdp.FrameID, u string) (kind string, data []byte) {
	world, ok := k.worlds[frame]
	if !ok { // a frame of the page's origin
		world, ok = k.worlds[k.tab.MainFrame()]
	}
	if !ok {
		return "", nil
	}
	var file *struct {
		Type string `json:"type"`
		Data []byte `json:"data"`
	}
	b, err := k.tab.EvaluatePromise(ctx, world, fmt.Sprintf("fromCache(%q, %d)", u, MaxBytes))
	if err != nil || jsonv2.Unmarshal(b, &file) != nil || file == nil {
		return "", nil
	}
	if file.Data == nil {
		file.Data = []byte{}
	}
	return file.Type, file.Data
}

func has(f *page.FrameResourceTree, t network.ResourceType) bool {
	return slices.ContainsFunc(f.Resources, func(r *page.FrameResource) bool { return r.Type == t })
}

// fetched reports whether the content of a URL is fetched, unlike that of a data: URL.
func fetched(url string) bool {
	scheme, _, _ := strings.Cut(url, ":")
	return scheme == "http" || scheme == "https" || scheme == "blob"
}
