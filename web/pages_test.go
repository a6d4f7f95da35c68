package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"plat/fixtures"
)

// firstLeaf is the lineage of a leaf that is in both of the last two versions.
func firstLeaf(t *testing.T, a *archiver, u string) int {
	t.Helper()
	v, err := a.store.Version(t.Context(), u, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() {
			return int(v.Blocks[i].Lineage)
		}
	}
	t.Fatal("there is no leaf")
	return 0
}

func TestPagesLoadWithoutBrowserErrors(t *testing.T) {
	a, u := sample(t)
	srv := shown(t, a, Options{Queue: frontier(t, a.store)})
	e := newEye(t, srv.URL)
	for name, path := range views(u, firstLeaf(t, a, u)) {
		for _, w := range []struct {
			name          string
			width, height int64
			dark          bool
		}{{"", 1280, 900, false}, {"-dark", 1280, 900, true}, {"-phone", 360, 740, false}} {
			e.window(w.width, w.height, 1)
			e.dark(w.dark)
			e.open(path)
			if got := see[string](e, `document.title`); !strings.Contains(got, "plat") {
				t.Errorf("%s: the title is %q", path, got)
			}
			if wide := see[int](e, `document.scrollingElement.scrollWidth`); wide > int(w.width) {
				t.Errorf("%s at %d px: it is %d px wide, so that one has to scroll sideways", path, w.width, wide)
			}
			e.keep(name + w.name)
			e.quiet(path)
		}
	}
	light := see[string](e, `getComputedStyle(document.body).color`)
	e.dark(true)
	if dark := see[string](e, `getComputedStyle(document.body).color`); dark == light {
		t.Errorf("text is %s in light and dark", dark)
	}
}

func TestEveryPageOfARecordedHistoryOpens(t *testing.T) {
	a, u := recorded(t, "activemq/index.html", 12)
	srv := shown(t, a, Options{})
	e := newEye(t, srv.URL)
	e.window(1280, 900, 1)
	for name, path := range views(u, firstLeaf(t, a, u)) {
		e.open(path)
		e.keep("real-" + name)
		e.quiet(path)
	}
}

// box is a rectangle of the screen.
type box struct{ X, Y, W, H float64 }

func TestOverlayBoxesMatchTheBlocks(t *testing.T) {
	a, u := sample(t)
	srv := shown(t, a, Options{})
	e := newEye(t, srv.URL)
	v, err := a.store.Version(t.Context(), u, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int64{1280, 700} {
		for _, zoom := range []float64{1, 2} {
			e.window(width, 900, zoom)
			e.open(views(u, 1)["version"])
			at := see[map[string]box](e, `(() => {
				const svg = document.querySelector('.overlay'), frame = svg.getBoundingClientRect(), border = svg.clientLeft;
				const scale = (frame.width - 2 * border) / svg.viewBox.baseVal.width, all = {};
				for (const a of svg.querySelectorAll('a[data-block]')) {
					const r = a.querySelector('rect').getBoundingClientRect();
					all[a.dataset.block] = { X: (r.x - frame.x - border) / scale, Y: (r.y - frame.y - border) / scale, W: r.width / scale, H: r.height / scale };
				}
				const p = svg.querySelector('image').getBoundingClientRect();
				all.picture = { X: (p.x - frame.x - border) / scale, Y: (p.y - frame.y - border) / scale, W: p.width / scale, H: p.height / scale };
				return all;
			})()`)
			leaves := 0
			for i := range v.Blocks {
				b := &v.Blocks[i]
				if !b.Leaf() || b.Box.Empty() {
					continue
				}
				leaves++
				got, want := at[fmt.Sprint(i)], box{float64(b.Box.X), float64(b.Box.Y), float64(b.Box.W), float64(b.Box.H)}
				if d := max(math.Abs(got.X-want.X), math.Abs(got.Y-want.Y), math.Abs(got.W-want.W), math.Abs(got.H-want.H)); d > 1 {
					t.Errorf("at %d px, zoom %v: block %d is drawn at %v, it is at %v", width, zoom, i, got, want)
				}
			}
			if leaves < 10 || len(at) != leaves+1 {
				t.Errorf("%d boxes are drawn of %d leaves", len(at)-1, leaves)
			}
			if p := at["picture"]; math.Abs(p.X) > 1 || math.Abs(p.Y) > 1 || math.Abs(p.W-1280) > 1 {
				t.Errorf("at %d px, zoom %v: the picture is at %v", width, zoom, p)
			}
		}
	}
}

// press sends a key to the page.
func (e *eye) press(key string) {
	e.t.Helper()
	code := map[string]int64{"Tab": 9, "Enter": 13, "ArrowDown": 40, "ArrowUp": 38, "Home": 36, "End": 35}[key]
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		p := input.DispatchKeyEventParams{Type: kind, Key: key, Code: key, WindowsVirtualKeyCode: code}
		if key == "Enter" && kind == input.DispatchKeyEventTypeRawKeyDown {
			p.Type, p.Text = input.DispatchKeyEventTypeKeyDown, "\r"
		}
		if _, err := chromedp.Call(e.ctx, input.DispatchKeyEvent, p); err != nil {
			e.t.Fatal(err)
		}
	}
}

func TestTheKeyboardWalksOverBlocks(t *testing.T) {
	a, u := sample(t)
	srv := shown(t, a, Options{})
	e := newEye(t, srv.URL)
	e.window(1280, 900, 1)
	e.open(views(u, 1)["version"])
	v, err := a.store.Version(t.Context(), u, 0)
	if err != nil {
		t.Fatal(err)
	}
	var leaves []int
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() && !v.Blocks[i].Box.Empty() {
			leaves = append(leaves, i)
		}
	}
	at := func() int { return see[int](e, `+(document.activeElement.dataset?.block ?? -1)`) }
	for range 60 {
		if e.press("Tab"); at() >= 0 {
			break
		}
	}
	if at() != leaves[0] {
		t.Fatalf("Tab comes to block %d first, want %d", at(), leaves[0])
	}
	walk := []int{at()}
	for range leaves[1:] {
		e.press("ArrowDown")
		walk = append(walk, at())
	}
	if !slices.Equal(walk, leaves) {
		t.Errorf("arrow keys go over %v, want %v", walk, leaves)
	}
	if e.press("ArrowUp"); at() != leaves[len(leaves)-2] {
		t.Errorf("ArrowUp goes to %d", at())
	}
	if e.press("Home"); at() != leaves[0] {
		t.Errorf("Home goes to %d", at())
	}
	told := see[string](e, `document.getElementById('card').textContent`)
	for _, want := range []string{string(v.Blocks[leaves[0]].Label), v.Blocks[leaves[0]].Box.String(), v.Blocks[leaves[0]].Rule.String(), fmt.Sprintf("block #%d", v.Blocks[leaves[0]].Lineage)} {
		if !strings.Contains(told, want) {
			t.Errorf("beside the picture it says %q, without %q", told, want)
		}
	}
	e.press("End")
	e.press("Enter")
	for deadline := time.Now().Add(5 * time.Second); see[string](e, `location.pathname`) != "/block"; {
		if time.Now().After(deadline) {
			t.Fatalf("Enter leads to %s", see[string](e, `location.href`))
		}
		time.Sleep(20 * time.Millisecond)
	}
	e.quiet("the walk")
}

// axe is the accessibility checker.
func axe(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("..", ".work", "npm", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("skipped, it needs axe-core, which scripts/setup installs: ", err)
	}
	return string(script)
}

// usable fails if axe finds a serious problem on the page.
func (e *eye) usable(axe, where string) {
	e.t.Helper()
	// The injected script is not part of the page, so the page's policy is
	// bypassed.
	see[any](e, axe+"\n;0")
	found, err := chromedp.Run(e.ctx, chromedp.Evaluate[[]byte](`axe.run(document, { iframes: false }).then((r) => r.violations)`, chromedp.EvalAwaitPromise))
	if err != nil {
		e.t.Fatal(err)
	}
	var all []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML string }
	}
	if err := json.Unmarshal(found, &all); err != nil {
		e.t.Fatal(err)
	}
	for _, x := range all {
		say := e.t.Logf
		if x.Impact == "serious" || x.Impact == "critical" {
			say = e.t.Errorf
		}
		say("%s: %s, %s: %s, %d times, as %.200s", where, x.Impact, x.ID, x.Help, len(x.Nodes), x.Nodes[0].HTML)
	}
}

func TestPagesAreAccessible(t *testing.T) {
	axe := axe(t)
	a, u := sample(t)
	srv := shown(t, a, Options{Queue: frontier(t, a.store)})
	e := newEye(t, srv.URL)
	for _, dark := range []bool{false, true} {
		e.dark(dark)
		all := views(u, firstLeaf(t, a, u))
		all["what is not there"] = "/nothing"
		for i, name := range slices.Sorted(maps.Keys(all)) {
			for k, width := range []int64{1280, 360} {
				// Each is seen wide and narrow, and dark and light; every other one narrow in the dark.
				if fixtures.OneIn(2) > 1 && (i+k)%2 == 0 == dark {
					continue
				}
				e.window(width, 900, 1)
				e.open(all[name])
				e.usable(axe, fmt.Sprintf("%s (dark %v, %d px)", name, dark, width))
			}
		}
	}
	e.open(views(u, 1)["version"])
	see[bool](e, `document.querySelector('.overlay a').focus(), true`) // shows a block's description beside it
	e.usable(axe, "version with a block told of")
}

func TestADamagedPictureFallsBackToTheOutline(t *testing.T) {
	s := New(Options{Store: made(t)}) // its pictures are not images
	for _, version := range []string{"1", "2"} {
		w := get(s, "GET", "/version?url="+long+"&version="+version, "Accept", "text/html")
		if w.Code != 200 || !strings.Contains(w.Body.String(), `class="overlay plan"`) {
			t.Errorf("version %s: %d", version, w.Code)
		}
	}
}

func TestBlocksHaveAccessibleNames(t *testing.T) {
	a, u := sample(t)
	v, err := a.store.Version(t.Context(), u, 0)
	if err != nil {
		t.Fatal(err)
	}
	page := get(New(Options{Store: a.store}), "GET", views(u, 1)["version"], "Accept", "text/html").Body.String()
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if b.Leaf() && !b.Box.Empty() && !strings.Contains(page, `data-block="`+fmt.Sprint(i)+`" aria-label="`+string(b.Label)) {
			t.Errorf("block %d (%s) has no name that a screen reader could say", i, b.Label)
		}
	}
}
