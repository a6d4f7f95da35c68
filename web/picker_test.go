package web

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"plat/plat"
	"plat/storage"
)

// click clicks at the middle of an element.
func (e *eye) click(selector string) {
	e.t.Helper()
	at := see[map[string]float64](e, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({ block: 'center' }); const r = e.getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`, selector))
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		p := input.DispatchMouseEventParams{Type: kind, X: at["x"], Y: at["y"], Button: input.MouseButtonLeft, ClickCount: 1}
		if _, err := chromedp.Call(e.ctx, input.DispatchMouseEvent, p); err != nil {
			e.t.Fatal(err)
		}
	}
}

// key sends a key that writes a character.
func (e *eye) key(char string) {
	e.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		if _, err := chromedp.Call(e.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: char, Text: char}); err != nil {
			e.t.Fatal(err)
		}
	}
}

// comes waits until a script is true.
func (e *eye) comes(script string) {
	e.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !see[bool](e, script); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			e.t.Fatalf("it is never true at %s: %s", see[string](e, `location.href`), script)
		}
	}
}

// watching are the pages of subscriptions, for one with blocks and items.
func watching(id string) map[string]string {
	return map[string]string{
		"watch": "/watch", "watch-items": "/watch/items", "watch-one": "/watch/" + id, "watch-pick": "/watch/" + id + "/pick", "watch-test": "/watch/" + id + "/test",
		"watch-remove": "/watch/" + id + "/remove", "watch-digest": "/watch/digest?period=weekly&at=2026-05-20",
	}
}

func TestBlocksArePickedOnThePicture(t *testing.T) {
	a, u := sample(t)
	subscribed(t, a.store)
	canonical, v := a.latest(t, u)
	if err := a.store.Subscribe(t.Context(), &plat.Subscription{ID: "news", URL: canonical, Title: "The Notice", Made: time.Now()}); err != nil {
		t.Fatal(err)
	}
	var leaves []int
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() && !v.Blocks[i].Box.Empty() {
			leaves = append(leaves, i)
		}
	}
	srv := shown(t, a, Options{})
	e := newEye(t, srv.URL)
	e.window(1280, 900, 1)
	e.open("/watch/news/pick")
	block := func(i int) string { return fmt.Sprintf(`.picker a[data-block="%d"]`, i) }
	ticked := func(name string) []int {
		var all []int
		for _, text := range see[[]string](e, `[...document.querySelectorAll('input[name=`+name+`]:checked')].map((i) => i.value)`) {
			n, _ := strconv.Atoi(text)
			all = append(all, n)
		}
		return all
	}
	lineage := func(i int) int { return int(v.Blocks[i].Lineage) }

	// A click selects the block, a second click deselects it.
	mid := leaves[len(leaves)/2]
	e.click(block(mid) + " rect")
	if got := ticked("block"); !slices.Equal(got, []int{lineage(mid)}) {
		t.Errorf("after a click on block %d chosen are the lineages %v, want %d", mid, got, lineage(mid))
	}
	if said := see[string](e, `document.getElementById('picked').value`); said != "1 block chosen" {
		t.Errorf("it says %q", said)
	}
	e.click(block(mid) + " rect")
	if got := ticked("block"); len(got) > 0 {
		t.Errorf("after another click chosen are %v", got)
	}

	// By keyboard: Tab comes to the picture, arrows go over its blocks.
	e.open("/watch/news/pick")
	at := func() int { return see[int](e, `+(document.activeElement.dataset?.block ?? -1)`) }
	for range 60 {
		if e.press("Tab"); at() >= 0 {
			break
		}
	}
	if at() != leaves[0] {
		t.Fatalf("Tab comes to block %d first, want %d", at(), leaves[0])
	}
	e.press("ArrowDown")
	e.press("Enter")
	if got := ticked("block"); !slices.Equal(got, []int{lineage(leaves[1])}) {
		t.Errorf("Enter on block %d chooses %v, want %d", leaves[1], got, lineage(leaves[1]))
	}
	e.press("Enter")

	// The block around one, which holds at least that.
	inner := slices.IndexFunc(leaves, func(i int) bool {
		p := v.Blocks[i].Parent
		return p > 0 && v.Blocks[p].Parent >= 0 && v.Blocks[p].Lineage > 0
	})
	if inner < 0 {
		t.Fatal("no block has one around it that can be chosen")
	}
	around := int(v.Blocks[leaves[inner]].Parent)
	see[bool](e, fmt.Sprintf(`document.querySelector(%q).focus(), true`, block(leaves[inner])))
	e.key("+")
	e.press("Enter")
	if got := ticked("block"); !slices.Equal(got, []int{lineage(around)}) {
		t.Errorf("+ and Enter on block %d choose %v, want %d", leaves[inner], got, lineage(around))
	}
	if n := see[int](e, `document.querySelectorAll('.picker a.chosen').length`); n < 1 {
		t.Error("the chosen block is not marked in the picture")
	}
	e.key("-")
	e.key("m")
	if got := ticked("mute"); !slices.Equal(got, []int{lineage(leaves[inner])}) {
		t.Errorf("− and m mute %v, want %d", got, lineage(leaves[inner]))
	}
	e.keep("watch-picked")
	see[bool](e, `document.querySelector('main form button').click(), true`)
	e.comes(`location.pathname === '/watch/news'`)
	sub, err := a.store.Subscription(t.Context(), "news")
	if err != nil || !slices.Equal(sub.Blocks, []int32{v.Blocks[around].Lineage}) || !slices.Equal(sub.Muted, []int32{v.Blocks[leaves[inner]].Lineage}) {
		t.Errorf("stored are %v and %v muted, %v", sub.Blocks, sub.Muted, err)
	}
	e.quiet("the picker")

	e2 := &storage.Examination{ID: "news", Was: map[string]int{}, Following: plat.Following{Pages: []plat.FollowedPage{{URL: canonical, Depth: 1, Examined: 1}}}}
	e2.Items = []plat.Item{{ID: "x", Subscription: "news", Kind: plat.ItemChanged, Title: "A title", Excerpt: "Before: another\nNow this", Page: canonical, Version: 2, Lineage: 3, Seen: utc(2026, time.May, 14, 0, 0, 0)}}
	if err := a.store.Examined(t.Context(), e2); err != nil {
		t.Fatal(err)
	}
	for name, path := range watching("news") {
		for _, width := range []int64{1280, 360} {
			e.window(width, 900, 1)
			e.open(path)
			if wide := see[int](e, `document.scrollingElement.scrollWidth`); wide > int(width) {
				t.Errorf("%s at %d px is %d px wide, so that one has to scroll sideways", path, width, wide)
			}
			e.keep(fmt.Sprint(name, "-", width))
			e.quiet(path)
		}
	}
}

func TestPagesOfSubscriptionsAreAccessible(t *testing.T) {
	axe := axe(t)
	a, u := sample(t)
	subscribed(t, a.store)
	canonical, v := a.latest(t, u)
	sub := &plat.Subscription{ID: "news", URL: canonical, Blocks: []int32{v.Blocks[len(v.Blocks)-1].Lineage}, Tags: []string{"work"}, Made: time.Now()}
	if err := a.store.Subscribe(t.Context(), sub); err != nil {
		t.Fatal(err)
	}
	srv := shown(t, a, Options{})
	e := newEye(t, srv.URL)
	for name, path := range watching("news") {
		for _, dark := range []bool{false, true} {
			e.dark(dark)
			e.window(1280, 900, 1)
			e.open(path)
			e.usable(axe, fmt.Sprintf("%s (dark %v)", name, dark))
		}
	}
}
