package label

import "plat/plat"

// Blocks of equal structure, such as the cards of a row, the posts of a blog and the entries of a
// list, have the same role and kind of content. So they are judged together, by the mean of their
// scores.

// fewAlike are too few to be a row of the same: two columns may be a text and its sidebar.
const fewAlike = 3

// verdict holds the scores of a block's roles and kinds of content.
type verdict struct {
	roles [parts]int32 // in classifier.Unit
	why   string       // see adjust
	said  int32        // score as comments, in classifier.Unit
	holds weights
}

// shape describes the structure of a block.
type shape struct {
	parent     int32
	tag, class string
	width      int32 // px, in steps of four
	children   [3]string
}

// alike returns for each block the number of its group, from 1 on, 0 for those alone, and the
// mean verdicts of the groups.
func (c *classifying) alike() (group []int32, means []verdict) {
	blocks := c.g.page.Blocks
	group = make([]int32, len(blocks))
	members := map[shape][]int32{}
	var order []shape
	for i := range blocks {
		b, f := &blocks[i], &c.g.facts[i]
		if !b.Leaf() || b.Run != 1 || f.mass == 0 || f.overlay {
			continue
		}
		s, ok := c.g.shapeOf(i)
		if !ok {
			continue
		}
		if members[s] == nil {
			order = append(order, s)
		}
		members[s] = append(members[s], int32(i))
	}
	means = make([]verdict, 1)
	for _, s := range order {
		if len(members[s]) < fewAlike {
			continue
		}
		var sum verdict
		for _, i := range members[s] {
			v := c.weigh(c.g.scene(int(i), &c.near))
			for k := range v.roles {
				sum.roles[k] += v.roles[k]
			}
			sum.said += v.said
			for k := range v.holds {
				sum.holds[k] += v.holds[k]
			}
			if sum.why == "" {
				sum.why = v.why
			}
			group[i] = int32(len(means))
		}
		n := len(members[s])
		for k := range sum.roles {
			sum.roles[k] /= int32(n)
		}
		sum.said /= int32(n)
		for k := range sum.holds {
			sum.holds[k] /= float64(n)
		}
		means = append(means, sum)
	}
	return group, means
}

// shapeOf returns the structure of a block; elements without a class and without children have the
// same structure as any other.
func (g *gathered) shapeOf(i int) (s shape, ok bool) {
	at := g.first[i]
	if int(at) >= len(g.snap.Nodes) {
		return s, false
	}
	n := &g.snap.Nodes[at]
	if n.Kind != plat.ElementNode {
		return s, false
	}
	s = shape{parent: parentOf(g.page, i), tag: n.Name, width: int32(g.page.Blocks[i].Box.W / 4)}
	s.class, _ = n.Attr("class")
	k := 0
	for child := at + 1; child < min(n.End, int32(len(g.snap.Nodes))) && k < len(s.children); {
		c := &g.snap.Nodes[child]
		if c.Kind == plat.ElementNode {
			s.children[k] = c.Name
			k++
		}
		child = max(child+1, c.End)
	}
	return s, s.class != "" || k > 1 || n.Name == "li" || n.Name == "tr" || n.Name == "article"
}

// weigh returns the scores of the roles and the kinds of content of a block.
func (c *classifying) weigh(s scene) (v verdict) {
	c.read(s)
	c.model.Scores(&c.input, v.roles[:])
	v.why = adjust(v.roles[:], s.f)
	v.holds = c.held(s.f)
	v.said = c.said(s, v.roles[:])
	return v
}

// read observes a block, and prepares that for the model.
func (c *classifying) read(s scene) {
	s.observe(c.values)
	c.model.Read(c.values, &c.input)
}
