package focus

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// blocks is the default order: the chance that a link's page is relevant, from prior knowledge
// (how well its words match the topic, how relevant the pages are that contain it) and from the
// crawl itself (rewards of its folder, its host, its kind of block, its neighbours on the same
// page; words that led to relevant pages). How much each of these counts is prior knowledge too, and
// corrected by the crawl.
type blocks struct {
	groups  []mean
	ids     map[groupKey]int32
	model   *model
	weights [features]float64
	words   float64
	trust   trust

	seen   float64 // visited links of a group with which its rewards count half
	prior  mean    // of the crawl, and its log-odds: one logarithm for many links
	priorZ float64
}

// groupKey names links in the same kind of block of the pages of one host.
type groupKey struct {
	host int32
	path uint32
}

// Features of a link.
const (
	bias           = iota
	fromMean       // mean relevance of the pages that contain it
	matchText      // best match of its text with the topic
	matchHeading   // of the heading above
	matchAround    // of the words around
	matchURL       // of its URL and tooltip
	rewardFolder   // of pages in its folder
	rewardHost     // of pages of its host
	rewardGroup    // of pages to which links in the same kind of block led
	rewardGroupLog // the same as log-odds
	rewardKids     // of pages to which links on the same pages led
	features
)

// blockWeights were chosen by hand on half of the topics of a corpus of one university, then scaled
// so that the chance is the mean relevance of the pages that had it; see docs/focus.md.
var blockWeights = [features]float64{
	bias: -2.76, fromMean: 1.25, matchText: 1, matchHeading: .25, matchAround: .25, matchURL: .5,
	rewardFolder: 2.5, rewardHost: .5, rewardGroup: .5, rewardGroupLog: .25, rewardKids: 1,
}

// Strengths of the prior beliefs, in pages.
const (
	folderPrior = 10
	groupPrior  = 5
	kidsPrior   = 3
	wordsWeight = .1
)

// Constants chosen by leaving topics out, see docs/focus.md. Zero turns the correction off.
const (
	groupSeen  = 0
	trustPrior = 20
)

// Names of constants in Options.Constants, beside the parts.
const (
	nameSeen  = "seen"
	nameTrust = "trust"
)

// Parts of the order that may be left out; see Options.Without.
var blockParts = map[string][]int{
	"page":    {fromMean},
	"match":   {matchText, matchHeading, matchAround, matchURL},
	"folders": {rewardFolder, rewardHost},
	"groups":  {rewardGroup, rewardGroupLog},
	"kids":    {rewardKids},
	"words":   nil,
}

func newBlocks(c *Crawl) order {
	b := &blocks{ids: map[groupKey]int32{}, model: newModel(), weights: blockWeights, words: wordsWeight, seen: groupSeen, trust: trust{prior: trustPrior}}
	for name, v := range c.o.Constants {
		switch name {
		case nameSeen:
			b.seen = v
		case nameTrust:
			b.trust.prior = v
		case "words":
			b.words *= v
		}
		for _, f := range blockParts[name] {
			b.weights[f] *= v
		}
	}
	b.trust.start = b.weights
	return b
}

// checkConstants refuses unknown names and impossible values of constants of the order blocks.
func checkConstants(all map[string]float64) error {
	for name, v := range all {
		if _, ok := blockParts[name]; !ok && name != nameSeen && name != nameTrust {
			return fmt.Errorf("constant %q: write one of %s, %s, %s", name, strings.Join(slices.Sorted(maps.Keys(blockParts)), ", "), nameSeen, nameTrust)
		}
		if !(v >= 0 && v <= 1e6) {
			return fmt.Errorf("constant %s is %g: write a number from 0 to 1,000,000", name, v)
		}
	}
	return nil
}

// find finds the group of a link, and its words.
func (b *blocks) find(c *Crawl, in *inlink, l *link, p *Page, k *Link) {
	key := groupKey{c.urls[in.from].host, k.Path}
	g, ok := b.ids[key]
	if !ok {
		g = int32(len(b.groups))
		b.groups = append(b.groups, mean{})
		b.ids[key] = g
	}
	in.group = g
	for place, words := range [...][]Term{p.anchor(k), k.Tip, p.heading(k)} {
		for _, w := range words {
			if f := slot(w, uint32(place)); len(l.words) < maxFeatures && !slices.Contains(l.words, f) {
				l.words = append(l.words, f)
			}
		}
	}
}

// prior returns the expected reward of any page.
func (c *Crawl) prior() float64 { return c.all.near(.1, 5) }

// measure computes a link's features.
func (b *blocks) measure(c *Crawl, l *link, x *[features]float64) {
	*x = [features]float64{bias: 1}
	prior, visited := c.prior(), 0.0
	for i := range l.in {
		in := &l.in[i]
		from := &c.urls[in.from]
		r := float64(from.relevance)
		x[fromMean] += r
		x[matchText] = max(x[matchText], float64(in.match[ofText]))
		x[matchHeading] = max(x[matchHeading], float64(in.match[ofHeading]))
		x[matchAround] = max(x[matchAround], float64(in.match[ofAround]))
		x[matchURL] = max(x[matchURL], float64(in.match[ofURL]))
		g := b.groups[in.group]
		visited += float64(g.n)
		x[rewardGroup] += g.near(prior, groupPrior)
		x[rewardKids] += from.kids.near((r+prior)/2, kidsPrior)
	}
	n := float64(max(1, len(l.in)))
	x[fromMean] /= n
	x[rewardGroup] /= n
	x[rewardKids] /= n
	x[rewardGroupLog] = logOdds(x[rewardGroup])
	if b.seen > 0 {
		if b.prior != c.all || b.priorZ == 0 {
			b.prior, b.priorZ = c.all, logOdds(prior)
		}
		k := visited / (visited + b.seen*n)
		x[rewardGroup] = prior + k*(x[rewardGroup]-prior)
		x[rewardGroupLog] = b.priorZ + k*(x[rewardGroupLog]-b.priorZ)
	}
	x[rewardFolder], x[rewardHost] = c.folders.near(c.urls[l.target].folder, prior, folderPrior)
}

// sum returns the log-odds of features, without the words.
func (b *blocks) sum(x *[features]float64) float64 {
	z := 0.0
	for f, w := range b.weights {
		z += w * x[f]
	}
	return z
}

func (b *blocks) score(c *Crawl, l *link) float64 {
	var x [features]float64
	b.measure(c, l, &x)
	return sigmoid(b.sum(&x) + b.words*b.model.sum(l.words))
}

// learn updates the link's groups, the weights of its words by the part of the reward that the
// groups do not explain, and the weights of the features.
func (b *blocks) learn(c *Crawl, l *link, r float64) {
	var x [features]float64
	b.measure(c, l, &x)
	z := b.sum(&x)
	b.model.step(l.words, sigmoid(z+b.model.sum(l.words))-r)
	b.trust.correct(&b.weights, &x, z, r)
	for i := range l.in {
		g := l.in[i].group
		if !slices.ContainsFunc(l.in[:i], func(o inlink) bool { return o.group == g }) {
			b.groups[g].add(r)
		}
	}
}

// trust corrects the weights of features by the rewards of a crawl: on some topics and sites
// features say less than on others. Each weight is its start, moved by a Newton step for each
// visited link, in which the start counts as much as links with so much information.
type trust struct {
	prior float64           // information of the start; 0: no corrections
	start [features]float64 // weights to begin with; one of 0 is not corrected
	info  [features]float64
	// The same of all links, which does not count in scores: a crawl that is poor as a whole must not
	// correct single features.
	base, all float64
}

// correct corrects weights by the reward of a link whose features had the log-odds z.
func (t *trust) correct(weights, x *[features]float64, z, r float64) {
	if t.prior == 0 {
		return
	}
	p := sigmoid(z + t.base)
	e, v := r-p, p*(1-p)
	t.all += v
	t.base += e / (t.all + 1)
	for f, start := range t.start {
		if f == bias || start == 0 {
			continue
		}
		t.info[f] += v * x[f] * x[f]
		weights[f] = min(2*start, max(0, weights[f]+e*x[f]/(t.info[f]+t.prior)))
	}
}
