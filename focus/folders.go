package focus

import "strings"

// mean is a running mean of rewards.
type mean struct{ n, sum float32 }

func (m *mean) add(r float64) {
	m.n++
	m.sum += float32(r)
}

// near returns the mean, drawn towards prior with the weight of so many pages: shrinkage, without
// which one page would decide for all.
func (m mean) near(prior, pages float64) float64 {
	return (float64(m.sum) + pages*prior) / (float64(m.n) + pages)
}

// folders is the tree of hosts and the folders of their URLs' paths, with the rewards of the
// pages in each.
type folders struct {
	all []folder
	ids map[string]int32
}

type folder struct {
	up   int32 // -1 for a host
	mean mean
}

const (
	maxFolders = 5       // depth to which folders are distinguished
	maxKnown   = 1 << 20 // folders; beyond, pages of a new one count for its parent
)

func newFolders() folders { return folders{ids: map[string]int32{}} }

// of returns the folder of a URL.
func (f *folders) of(u string) int32 {
	if end := strings.IndexAny(u, "?#"); end >= 0 {
		u = u[:end]
	}
	start := schemeEnd(u)
	at := int32(-1)
	for depth := 0; depth <= maxFolders; depth++ {
		n := strings.IndexByte(u[start:], '/')
		if n < 0 {
			if at < 0 { // a host without a path
				at = f.child(u[schemeEnd(u):], at)
			}
			return at
		}
		start += n
		at = f.child(u[schemeEnd(u):start], at)
		start++
	}
	return at
}

func (f *folders) child(name string, up int32) int32 {
	if at, ok := f.ids[name]; ok {
		return at
	}
	if up >= 0 && len(f.all) >= maxKnown {
		return up
	}
	at := int32(len(f.all))
	f.all = append(f.all, folder{up: up})
	f.ids[name] = at
	return at
}

// add adds the reward of a page to its folder and those above it.
func (f *folders) add(at int32, r float64) {
	for ; at >= 0; at = f.all[at].up {
		f.all[at].mean.add(r)
	}
}

// near returns the mean rewards around a folder, and of its host, each drawn towards the one
// above.
func (f *folders) near(at int32, prior, pages float64) (here, host float64) {
	x := &f.all[at]
	if x.up < 0 {
		here = x.mean.near(prior, pages)
		return here, here
	}
	up, host := f.near(x.up, prior, pages)
	return x.mean.near(up, pages), host
}
