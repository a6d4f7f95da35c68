package browser

import (
	"strings"
	"testing"
	"time"

	"plat/plat"
)

func TestAFrozenPageIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	srv := site(t, map[string]string{"/": `<pre id=seen></pre><script>
setTimeout(() => {
  const numbers = crypto.getRandomValues(new Uint16Array(3));
  seen.textContent = ['seen', new Date().toISOString(), Math.random(), numbers.join(), crypto.randomUUID(), Math.random.toString(),
    [1, 2, 3].map(() => Math.floor(Math.random() * 6)).join()].join(' ');
}, 250)</script>`})
	p := poolWith(t, func(*Options) {})
	seen := func(r Request) string {
		r.URL = srv.URL + "/"
		s, err := p.Render(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return seenIn(s)
	}
	at := time.Date(2019, 5, 6, 7, 8, 9, 0, time.UTC)
	frozen := Request{Clock: at, Seed: 7}
	first, second := seen(frozen), seen(frozen)
	if first != second || !strings.Contains(first, "2019-05-06T07:08:09.") || !strings.Contains(first, "[native code]") {
		t.Errorf("the page shows\n%s\nthen\n%s", first, second)
	}
	if other := seen(Request{Clock: at, Seed: 8}); other == first {
		t.Error("another seed gives the same numbers")
	}
	now := time.Now()
	live, again := seen(Request{}), seen(Request{})
	if live == again {
		t.Error("a page that is left alone is the same twice")
	}
	for _, s := range []string{live, again} {
		shown, err := time.Parse(time.RFC3339, strings.Fields(s)[1])
		if err != nil || shown.Before(now.Add(-time.Second)) || shown.After(now.Add(30*time.Second)) {
			t.Errorf("it is %v, and the page shows %q", now, s)
		}
	}
}

func seenIn(s *plat.Snapshot) string {
	for i := range s.Nodes {
		if strings.HasPrefix(s.Nodes[i].Value, "seen ") {
			return s.Nodes[i].Value
		}
	}
	return ""
}
