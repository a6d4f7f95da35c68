package browser

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domsnapshot"

	"plat/browser/capture"
	"plat/browser/devtools"
	"plat/plat"
)

// answers are Chrome's own for a page of a thousand paragraphs and shadow roots.
func answers(b *testing.B) (captured, tree []byte) {
	var page strings.Builder
	page.WriteString("<!doctype html><title>long</title>")
	for i := range 1000 {
		fmt.Fprintf(&page, `<div class="item c%d" id="i%d"><h3>Heading %d</h3><p style="color:rgb(%d,0,0)">Some <b>bold</b> and <a href="/page/%d?x=1&amp;y=2">linked</a> text, “quoted”.</p></div>`, i%7, i, i, i%200, i)
	}
	page.WriteString("<template>t</template>")
	srv := serve(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page.String())
	}))
	_, err := pool(b).Render(b.Context(), Request{URL: srv.URL, inspect: func(ctx context.Context, v *visit, _ *plat.Snapshot) (err error) {
		captured, err = v.Session.Send(domsnapshot.CaptureSnapshot.Method, domsnapshot.CaptureSnapshotParams{ComputedStyles: capture.Styles, IncludePaintOrder: new(true)}).Wait(ctx)
		if err != nil {
			return err
		}
		tree, err = v.Session.Send(dom.GetDocument.Method, dom.GetDocumentParams{Depth: new(int64(-1)), Pierce: new(true)}).Wait(ctx)
		return err
	}})
	if err != nil {
		b.Fatal(err)
	}
	return captured, tree
}

// BenchmarkDecode turns Chrome's answers for a page of some 10,000 nodes into
// snapshots. Judge a change by
//
//	go test ./browser -run '^$' -bench Decode -count 6 | tee new.txt
func BenchmarkDecode(b *testing.B) {
	captured, dom := answers(b)
	b.Run("capture", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(captured)))
		for b.Loop() {
			c, err := capture.Parse(captured)
			if err != nil {
				b.Fatal(err)
			}
			c.Snapshot()
		}
	})
	b.Run("merge", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(captured) + len(dom)))
		for b.Loop() {
			c, err := capture.Parse(captured)
			if err != nil {
				b.Fatal(err)
			}
			t := &capture.Tree{}
			if _, err := t.Add(dom); err != nil {
				b.Fatal(err)
			}
			c.Merge(t)
		}
	})
	b.Run("cdproto", func(b *testing.B) { // chromedp's way with JSON, for comparison
		text := devtools.NewCursor(captured).AppendJSON(nil)
		b.ReportAllocs()
		b.SetBytes(int64(len(captured)))
		for b.Loop() {
			var r domsnapshot.CaptureSnapshotResult
			if err := jsonv2.Unmarshal(text, &r); err != nil {
				b.Fatal(err)
			}
		}
	})
}
