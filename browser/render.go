package browser

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/domsnapshot"
	"github.com/chromedp/cdproto/network"

	"plat/browser/act"
	"plat/browser/capture"
	"plat/browser/devtools"
	"plat/browser/resources"
	"plat/browser/settle"
	"plat/browser/tab"
	"plat/plat"
	"plat/plat/weburl"
)

// visit is one rendering.
type visit struct {
	*settle.Page
	c        *chrome
	o        *Options
	request  Request
	turn     *turn
	url      *url.URL
	begun    time.Time
	coarse   int64      // number of nodes before the page was made coarse; 0: it was not
	acts     *act.Actor // nil: no steps
	file     *file      // that is kept; nil: it is a page
	heldOnce bool       // navigateHeld was called

	canvases []capture.Canvas      // of the capture
	xml      []capture.Instruction // of the capture
	blobs    blobNames             // of the snapshot
}

// visitable refuses URLs that are not for a browser to see.
func visitable(raw string) (*url.URL, error) {
	u, err := url.Parse(weburl.ForRequest(raw)) // browsers visit addresses that package url rejects
	if err != nil {
		return nil, fmt.Errorf("%w: %q is not a URL", plat.ErrBadURL, plat.WithoutLogin(raw))
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%w: %q uses %q; plat visits only http and https", plat.ErrBadURL, plat.WithoutLogin(raw), u.Scheme)
	}
	if u.Hostname() == "" {
		return nil, fmt.Errorf("%w: %q has no host", plat.ErrBadURL, plat.WithoutLogin(raw))
	}
	return u, nil
}

// run is the whole rendering, top to bottom.
func (v *visit) run(ctx context.Context) (*plat.Snapshot, error) {
	if err := v.StartClock(ctx, v.request.Clock); err != nil {
		return nil, err
	}
	if seed := v.request.Seed; seed != 0 {
		if err := v.Freeze(ctx, seed); err != nil {
			return nil, err
		}
	}
	if err := v.begin(ctx); err != nil {
		return nil, err
	}
	if plan := v.o.Steps.For(v.url); !plan.Empty() {
		v.acts = act.New(v.Page, v.request.URL, plan, v.o.acting())
		if err := v.acts.Enter(ctx); err != nil {
			return nil, err
		}
	}
	if err := v.navigate(ctx); err != nil {
		if s := v.head(); errors.Is(err, settle.ErrDownload) || errors.Is(err, settle.ErrUnsupported) {
			return s, err
		}
		return nil, err
	}
	if err := v.Load(ctx); err != nil {
		return nil, err
	}
	if err := v.recognize(ctx); err != nil {
		return nil, err
	}
	if err := v.Settle(ctx); err != nil {
		return nil, err
	}
	if v.acts != nil {
		if err := v.acts.Run(ctx); err != nil {
			return nil, err
		}
	}
	if err := v.Whole(); err != nil {
		return nil, err
	}
	if err := v.checkSize(ctx); err != nil {
		return nil, err
	}
	start := time.Now()
	s, err := v.capture(ctx)
	if err != nil {
		return nil, err
	}
	v.Timing.Capture = time.Since(start)
	v.fill(s)
	if err := v.amend(ctx, s); err != nil {
		return nil, err
	}
	v.listLoads(ctx, s)
	if v.acts != nil {
		v.acts.Redact(s)
	}
	if v.request.inspect != nil {
		if err := v.request.inspect(ctx, v, s); err != nil {
			return nil, err
		}
	}
	want := plat.Attachments{Picture: v.request.Picture, Resources: v.request.Resources}
	if v.request.Decide != nil {
		// Decide uses only the CPU: the browser serves other pages meanwhile.
		v.turn.give()
		if want = v.request.Decide(s); want != (plat.Attachments{}) {
			if err := v.turn.take(ctx); err != nil {
				return nil, err
			}
		}
	}
	if err := v.attach(ctx, s, want); err != nil {
		return nil, err
	}
	s.Timing.Total = time.Since(v.begun)
	return s, nil
}

// begin opens the network for the page, and tells the tab which page it gets.
func (v *visit) begin(ctx context.Context) error {
	d := v.request.Document
	if r := v.request.Recording; r != nil {
		v.Lane.ResetRecorded(v.o.MaxBytes, r)
		return v.Begin(ctx, v.url, nil)
	}
	if d == nil {
		v.Lane.Reset(v.o.MaxBytes)
		return v.Begin(ctx, v.url, nil)
	}
	if d.Offline {
		v.Lane.ResetOffline()
	} else {
		v.Lane.Reset(v.o.MaxBytes)
	}
	return v.Begin(ctx, v.url, &tab.Document{Type: d.Type, Body: d.HTML})
}

// amend replaces the names of blobs, which differ at each visit, the encoding of plain files, and the notice of
// Chrome's XML viewer, adds the text of instructions, and makes all texts survive as markup.
func (v *visit) amend(ctx context.Context, s *plat.Snapshot) error {
	if err := v.instructions(ctx, s); err != nil {
		return err
	}
	if err := v.namespaces(ctx, s); err != nil {
		return err
	}
	if err := checkText(s); err != nil {
		return err
	}
	v.blobs = blobNames{}
	v.blobs.page(s)
	recode(s)
	dropNotice(s)
	endsOfMarkup(s)
	return nil
}

// attach adds the wanted attachments to a snapshot. Resources come last, since fetching them
// changes the page.
func (v *visit) attach(ctx context.Context, s *plat.Snapshot, want plat.Attachments) error {
	var canvases []plat.Resource
	if want.Resources == plat.AllResources {
		canvases = resources.Canvases(ctx, v.Tab, s, v.canvases)
	}
	if want.Picture {
		var err error
		if s.Picture, err = v.picture(ctx, s); err != nil {
			return err
		}
	}
	if want.Resources != plat.NoResources {
		err := v.WhileTimePasses(ctx, func(ctx context.Context) error {
			s.Resources = resources.Take(ctx, v.Tab, s, want.Resources, canvases, v.o.MaxBytes)
			return nil
		})
		if err != nil {
			return err
		}
		v.blobs.resources(s.Resources)
	}
	if v.file != nil {
		s.Resources = append(s.Resources, v.file.resource)
	}
	if len(s.Resources) > 0 {
		if v.acts != nil {
			v.acts.RedactResources(s)
		}
	}
	return nil
}

// capture captures the snapshot. If the capture shows only the flat tree, the true tree is fetched
// too, and both again if the page has changed in between. If it changes a second time, if Chrome
// cannot serialise the tree (when it is very deep), or if the tree is deeper than the limit, the
// flat tree is used.
func (v *visit) capture(ctx context.Context) (*plat.Snapshot, error) {
	arranged := newArrangement()
	for try := 0; ; try++ {
		c, err := v.captureArranged(ctx, arranged)
		if err != nil {
			return nil, err
		}
		if err := v.findBroken(ctx, c); err != nil {
			return nil, err
		}
		if err := v.findHeld(ctx, c); err != nil {
			return nil, err
		}
		c.Canvases, c.Instructions = &v.canvases, &v.xml
		if !c.Flattened() {
			return c.Snapshot(), nil
		}
		tree, err := v.trueTree(ctx)
		var refused *devtools.ProtocolError
		switch {
		case errors.As(err, &refused), errors.Is(err, capture.ErrTooDeep):
			return c.Snapshot(), nil
		case err != nil:
			return nil, err
		}
		if s, same, byID, known := c.Merge(tree); same {
			return s, v.whole(ctx, s, tree, byID, known)
		}
		if try > 0 {
			return c.Snapshot(), nil
		}
	}
}

// captureArranged takes captures until the page is arranged.
func (v *visit) captureArranged(ctx context.Context, a *arrangement) (*capture.Capture, error) {
	for {
		b, err := v.Session.SendFor(v.o.RenderTimeout, domsnapshot.CaptureSnapshot.Method, domsnapshot.CaptureSnapshotParams{
			ComputedStyles:    capture.Styles,
			IncludePaintOrder: new(true),
		}).Wait(ctx)
		if err != nil {
			return nil, err
		}
		c, err := capture.Parse(b)
		if err != nil {
			return nil, err
		}
		again, err := v.arrange(ctx, c, a)
		if err != nil {
			return nil, err
		}
		if !again {
			c.DropBoxes(a.hidden)
			return c, nil
		}
	}
}

// head returns a snapshot of the response's facts, without nodes.
func (v *visit) head() *plat.Snapshot {
	s := &plat.Snapshot{}
	v.fill(s)
	s.Timing.Total = time.Since(v.begun)
	return s
}

// fill adds the fields that are not in the capture.
func (v *visit) fill(s *plat.Snapshot) {
	s.URL = v.request.URL
	s.Taken = v.begun.UTC()
	s.Browser = v.Browser.Product
	s.Viewport = plat.Rect{W: float32(v.o.Width), H: float32(v.o.Height)}
	s.Width, s.Height = max(s.Width, s.Viewport.W), max(s.Height, s.Viewport.H)
	s.Settled = v.Settled()
	s.Coarse = v.coarse
	s.Timing = v.Timing

	traffic := v.Lane.Stats()
	s.Bytes, s.Blocked = traffic.BytesIn, traffic.Refusals

	v.View(func(t *tab.State) {
		s.Requests = max(traffic.Requests, t.Requests)
		s.Redirects = slices.Clone(t.Hops)
		s.ContentType = t.MIME
		if s.FinalURL == "" {
			s.FinalURL = t.URL
		}
		s.Status = t.Status()
		if r := t.Response; r != nil {
			s.Response, _, _ = strings.Cut(r.URL, "#")
			s.Header = headers(r.Headers)
			if s.ContentType == "" {
				s.ContentType = r.MimeType
			}
			if s.FinalURL == "" || s.FinalURL == "about:blank" {
				s.FinalURL = r.URL
			}
		}
	})
	if v.file != nil {
		s.ContentType, s.Header = v.file.resource.Type, v.file.held.Header
	}
	if t, _, err := mime.ParseMediaType(s.ContentType); err == nil {
		s.ContentType = t
	}
	if lang := documentLanguage(s.Nodes); lang != "" {
		s.Language = lang
	}
}

// headers returns the headers in a fixed order. A value of several lines becomes several headers.
func headers(h network.Headers) [][2]string {
	var all [][2]string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for line := range strings.SplitSeq(fmt.Sprint(h[name]), "\n") {
			all = append(all, [2]string{name, line})
		}
	}
	return all
}

// documentLanguage is the lang attribute of the document element.
func documentLanguage(nodes []plat.Node) string {
	for i := int32(1); i < int32(len(nodes)); i = nodes[i].End {
		if nodes[i].Kind == plat.ElementNode {
			lang, _ := nodes[i].Attr("lang")
			return strings.TrimSpace(lang)
		}
	}
	return ""
}
