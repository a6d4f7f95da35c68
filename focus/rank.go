package focus

// ranks are the PageRanks of the pages of a growing graph, by DRFW's formula 3:
//
//	IPR(A) = (1−d) + d · Σ IPR(T) · RW(T→A) / Σ RW(T→B)     over links T→A; T's links to B
//
// With all RW equal it is PageRank as in formula 2. They are kept up to date by pushing the
// residuals, which are not yet in the values, along the links (Berkhin 2006): new value = old
// value + residual, and d of the residual is shared among the links. A new page changes the
// residuals of its targets alone.
type ranks struct {
	value, residual []float64
	out             [][]edge // by page; nil: its links are not known
	queue           []int32  // pages with much residual
	queued          []bool
}

// edge is a link with the share of its page's rank that it hands on.
type edge struct {
	to    int32
	share float32
}

const (
	damping = .85
	// rankError is the residual that is left where it is: an error of a thousandth of the
	// least rank.
	rankError = .15e-3
)

// grow makes room for pages up to n.
func (r *ranks) grow(n int) {
	for len(r.value) < n {
		r.value = append(r.value, 0)
		r.residual = append(r.residual, 1-damping)
		r.out = append(r.out, nil)
		r.queued = append(r.queued, false)
		r.enqueue(int32(len(r.value) - 1))
	}
}

func (r *ranks) enqueue(page int32) {
	if x := r.residual[page]; !r.queued[page] && (x > rankError || x < -rankError) {
		r.queued[page] = true
		r.queue = append(r.queue, page)
	}
}

// link sets a page's links: their targets, each once, and weights ≥ 0. If all
// weights are 0, they count as equal. All pages must have been grown.
func (r *ranks) link(page int32, to []int32, weight []float32) {
	for _, e := range r.out[page] {
		r.residual[e.to] -= damping * float64(e.share) * r.value[page]
		r.enqueue(e.to)
	}
	var sum float32
	for _, w := range weight {
		sum += w
	}
	r.out[page] = make([]edge, len(to))
	for i, t := range to {
		share := 1 / float32(len(to))
		if sum > 0 {
			share = weight[i] / sum
		}
		r.out[page][i] = edge{t, share}
		r.residual[t] += damping * float64(share) * r.value[page]
		r.enqueue(t)
	}
}

// settle pushes residuals until all are small, at most limit times, and reports
// whether they are.
func (r *ranks) settle(limit int) bool {
	for ; len(r.queue) > 0 && limit > 0; limit-- {
		page := r.queue[0]
		r.queue = r.queue[1:]
		r.queued[page] = false
		x := r.residual[page]
		r.residual[page] = 0
		r.value[page] += x
		for _, e := range r.out[page] {
			r.residual[e.to] += damping * float64(e.share) * x
			r.enqueue(e.to)
		}
	}
	return len(r.queue) == 0
}

// of returns the rank of a page.
func (r *ranks) of(page int32) float64 {
	if int(page) >= len(r.value) {
		return 1 - damping
	}
	return r.value[page] + r.residual[page]
}
