package focus

import "slices"

// blocks is the default order: the chance that a link's page is relevant, from prior knowledge
// (how well its words match the topic, how relevant the pages are that contain it) and from the
// crawl itself (rewards of its folder, its host, its kind of block, its neighbours on the same
// page; words that led to relevant pages).
type blocks struct {
	groups  []mean
	ids     map[groupKey]int32
	model   *model
	weights [features]float64
	words   float64
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
	b := &blocks{ids: map[groupKey]int32{}, model: newModel(), weights: blockWeights, words: wordsWeight}
	for _, part := range c.o.Without {
		for _, f := range blockParts[part] {
			b.weights[f] = 0
		}
		if part == "words" {
			b.words = 0
		}
	}
	return b
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
	prior := c.prior()
	for i := range l.in {
		in := &l.in[i]
		from := &c.urls[in.from]
		r := float64(from.relevance)
		x[fromMean] += r
		x[matchText] = max(x[matchText], float64(in.match[ofText]))
		x[matchHeading] = max(x[matchHeading], float64(in.match[ofHeading]))
		x[matchAround] = max(x[matchAround], float64(in.match[ofAround]))
		x[matchURL] = max(x[matchURL], float64(in.match[ofURL]))
		x[rewardGroup] += b.groups[in.group].near(prior, groupPrior)
		x[rewardKids] += from.kids.near((r+prior)/2, kidsPrior)
	}
	n := float64(max(1, len(l.in)))
	x[fromMean] /= n
	x[rewardGroup] /= n
	x[rewardKids] /= n
	x[rewardGroupLog] = logOdds(x[rewardGroup])
	x[rewardFolder], x[rewardHost] = c.folders.near(c.urls[l.target].folder, prior, folderPrior)
}

// known returns the log-odds without the words.
func (b *blocks) known(c *Crawl, l *link) float64 {
	var x [features]float64
	b.measure(c, l, &x)
	z := 0.0
	for f, w := range b.weights {
		z += w * x[f]
	}
	return z
}

func (b *blocks) score(c *Crawl, l *link) float64 {
	return sigmoid(b.known(c, l) + b.words*b.model.sum(l.words))
}

// learn updates the link's groups, and the weights of its words by the part of the reward that the
// groups do not explain.
func (b *blocks) learn(c *Crawl, l *link, r float64) {
	z := b.known(c, l)
	b.model.step(l.words, sigmoid(z+b.model.sum(l.words))-r)
	for i := range l.in {
		g := l.in[i].group
		if !slices.ContainsFunc(l.in[:i], func(o inlink) bool { return o.group == g }) {
			b.groups[g].add(r)
		}
	}
}
