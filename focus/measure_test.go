package focus

import (
	"math"
	"testing"
)

func TestFeaturesOfALinkAreMeansOverThePagesThatHaveIt(t *testing.T) {
	c := &Crawl{folders: newFolders()}
	at := c.folders.of("https://a.test/x/")
	c.urls = []target{{relevance: 0.2, kids: mean{1, 1}}, {relevance: 0.6, kids: mean{3, 0}}, {folder: at}}
	c.all = mean{5, 4.5}                   // a page is worth (4.5 + 5·0.1)/(5 + 5) = 0.5
	c.folders.add(c.folders.all[at].up, 1) // of its host one page, worth 1
	b := &blocks{groups: []mean{{5, 5}, {0, 0}}}
	l := &link{target: 2, in: []inlink{
		{from: 0, group: 0, match: [matches]float32{ofText: 0.5, ofHeading: 0.125, ofAround: 0.25, ofURL: 0}},
		{from: 1, group: 1, match: [matches]float32{ofText: 0.25, ofHeading: 0.75, ofAround: 0.5, ofURL: 1}},
	}}
	var x [features]float64
	b.measure(c, l, &x)
	host := (1 + 10*0.5) / (1 + 10)
	for f, want := range map[int]float64{
		bias: 1, fromMean: 0.4, matchText: 0.5, matchHeading: 0.75, matchAround: 0.5, matchURL: 1,
		rewardGroup:    (0.75 + 0.5) / 2,
		rewardGroupLog: math.Log(0.625 / 0.375),
		rewardKids:     ((1+3*0.35)/4 + 3*0.55/6) / 2,
		rewardHost:     host, rewardFolder: host,
	} {
		if math.Abs(x[f]-want) > 1e-6 {
			t.Errorf("feature %d is %v, want %v", f, x[f], want)
		}
	}
	l.in = nil
	if b.measure(c, l, &x); x[fromMean] != 0 || x[rewardKids] != 0 || x[bias] != 1 {
		t.Errorf("without links to it: %v", x)
	}
}

// A group of which little was seen says little, and both forms of its rewards are drawn to those of
// any page.
func TestAGroupCountsByItsVisitedLinks(t *testing.T) {
	c := &Crawl{folders: newFolders(), all: mean{5, 4.5}} // a page is worth 0.5
	c.urls = []target{{}, {folder: c.folders.of("https://a.test/x/")}}
	for _, tc := range []struct{ n, part float64 }{{0, 0}, {10, 1. / 3}, {60, .75}} {
		g := mean{float32(tc.n), float32(tc.n)}
		b := &blocks{groups: []mean{g}, seen: 20}
		var x [features]float64
		b.measure(c, &link{target: 1, in: []inlink{{from: 0, group: 0}}}, &x)
		full := g.near(.5, groupPrior)
		if want := .5 + tc.part*(full-.5); math.Abs(x[rewardGroup]-want) > 1e-6 {
			t.Errorf("after %v links the group is worth %v, want %v", tc.n, x[rewardGroup], want)
		}
		if want := tc.part * logOdds(full); math.Abs(x[rewardGroupLog]-want) > 1e-6 {
			t.Errorf("after %v links its log-odds are %v, want %v", tc.n, x[rewardGroupLog], want)
		}
	}
}

func TestWeightsOfFeaturesThatMisleadFall(t *testing.T) {
	after := func(prior, reward float64, links int) [features]float64 {
		o := trust{prior: prior, start: [features]float64{bias: -2, fromMean: 1, matchText: 1}}
		w := o.start
		for i := range links {
			// Half of the links have a feature; with it the reward differs from all others.
			x := [features]float64{bias: 1, matchURL: 1}
			r := .5
			if i%2 == 0 {
				x[fromMean], r = 1, reward
			}
			o.correct(&w, &x, 0, r)
		}
		return w
	}
	low, high := after(5, 0, 100), after(5, 1, 100)
	if !(low[fromMean] < .5 && high[fromMean] > 1.5) {
		t.Errorf("a weight of 1 became %v of a feature of bad links, %v of good ones", low[fromMean], high[fromMean])
	}
	if w := after(50, 0, 100)[fromMean]; !(w > low[fromMean] && w < 1) {
		t.Errorf("with more trust in the start it became %v, with less %v", w, low[fromMean])
	}
	if low[bias] != -2 || low[matchText] != 1 || low[matchURL] != 0 {
		t.Errorf("weights of no feature, of an absent one or of one that is left out: %v", low)
	}
	if low, high := after(.1, 0, 1000), after(.1, 1, 1000); low[fromMean] < 0 || high[fromMean] > 2 {
		t.Errorf("weights outside their bounds: %v, %v", low[fromMean], high[fromMean])
	}
	if w := after(0, 0, 100); w[fromMean] != 1 {
		t.Errorf("without corrections a weight became %v", w[fromMean])
	}
	// All links are poor, with and without the feature: it does not mislead.
	o := trust{prior: 5, start: [features]float64{fromMean: 1}}
	w := o.start
	for i := range 1000 {
		x := [features]float64{fromMean: float64(i % 2)}
		o.correct(&w, &x, w[fromMean]*x[fromMean]-2, sigmoid(x[fromMean]-4))
	}
	if w[fromMean] < .5 {
		t.Errorf("where all links are poor, a weight became %v", w[fromMean])
	}
}

func TestRewardsCountForThePagesThatLinked(t *testing.T) {
	c := &Crawl{folders: newFolders(), order: newBlocks(&Crawl{o: Options{}})}
	at := c.folders.of("https://a.test/x/")
	c.urls = []target{{tunnel: 4}, {tunnel: 2}, {folder: at, place: 0}, {folder: at, place: -1}}
	b := c.order.(*blocks)
	b.groups = []mean{{}, {}}
	c.waiting = []link{{target: 2, in: []inlink{{from: 0}, {from: 1, group: 1}, {from: 1, group: 1}}}}
	c.learn(2, 1)
	if c.urls[0].kids != (mean{1, 1}) || c.urls[1].kids != (mean{2, 2}) || c.urls[2].tunnel != 2 || c.all != (mean{1, 1}) || c.folders.all[at].mean != (mean{1, 1}) {
		t.Errorf("after a page that belongs: %+v, all %v", c.urls, c.all)
	}
	if b.groups[0] != (mean{1, 1}) || b.groups[1] != (mean{1, 1}) {
		t.Errorf("groups %v: each counts a page once", b.groups)
	}
	c.learn(3, 0)
	if c.all != (mean{2, 1}) || c.urls[0].kids.n != 1 {
		t.Errorf("a page that no link led to: all %v, %+v", c.all, c.urls)
	}
}

func TestTheFitOfChancesIsTheBest(t *testing.T) {
	for _, free := range []bool{true, false} {
		f := fit{a: 1, b: 1, x: []float64{-5, -3, -2.5, -1, -0.2}, target: []float64{0.1, 0.1, 0.8, 0.9, 0.9}}
		b := f.b
		f.descend(free)
		if !free && f.b != b {
			t.Errorf("a slope that is given became %v", f.b)
		}
		least := f.loss(f.a, f.b)
		for _, d := range [][2]float64{{1e-3, 0}, {-1e-3, 0}, {0, 1e-3}, {0, -1e-3}} {
			if free || d[1] == 0 {
				if got := f.loss(f.a+d[0], f.b+d[1]); got < least {
					t.Errorf("free %v: beside %v, %v the loss is less by %v", free, f.a, f.b, least-got)
				}
			}
		}
	}
}
