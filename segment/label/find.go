package label

// tally counts characters by value of a format property. Blocks have few
// distinct values; after eight, further values are dropped.
type tally struct {
	value [8]uint32
	chars [8]int32
	n     int
}

func (t *tally) add(v uint32, chars int32) {
	for i := range t.n {
		if t.value[i] == v {
			t.chars[i] += chars
			return
		}
	}
	if t.n < len(t.value) {
		t.value[t.n], t.chars[t.n] = v, chars
		t.n++
	}
}

// most returns the value of most characters; ties go to the first one seen.
func (t *tally) most() uint32 {
	best := 0
	for i := 1; i < t.n; i++ {
		if t.chars[i] > t.chars[best] {
			best = i
		}
	}
	return t.value[best]
}

const (
	// larger is the ratio from which a font looks larger: 16 px over 14.
	// Smaller ratios look the same.
	larger = 1.12

	// bolder is the visible difference in font weight: 600 over 400.
	bolder = 200

	// oneLine is the maximum height of a one-line box, in font sizes; two lines
	// have more than 2.
	oneLine = 1.9

	// differing is the squared RGB distance from which two colours look
	// different at a glance: 48 in one channel.
	differing = 48 * 48
)

// find returns the runs of the text designed as the topic (BWAP section 2.2, step 1): in the largest
// font, else alone near the top, else in a different colour; nil if no text stands out.
func (t *topics) find(runs []run) []run {
	if len(runs) == 0 {
		return nil
	}
	first := group(runs, func(a, b *run) bool { return true })
	if len(first) == len(runs) {
		// A single paragraph is a topic by position if it is short.
		if !t.longer(first, t.describer.opt.TopicWords) && wordy(first) {
			return first
		}
		return nil
	}
	if found := t.bySize(runs); found != nil {
		return found
	}
	if found := t.byPlace(runs, first); found != nil {
		return found
	}
	return t.byColor(runs)
}

// bySize finds the first text in the largest font. It is the topic if other text is clearly smaller,
// and if it is contiguous or the smaller part. Otherwise the large font is the block's body and the
// small one a note.
func (t *topics) bySize(runs []run) []run {
	limit := float32(1e9)
	for {
		// If the largest font holds only a drop capital, a price or an icon,
		// try the next one.
		largest := float32(0)
		for i := range runs {
			if s := runs[i].size; s < limit && s > largest {
				largest = s
			}
		}
		if largest == 0 {
			return nil
		}
		var found []run
		large, small := int32(0), int32(0)
		for i := 0; i < len(runs); {
			if runs[i].size != largest {
				if runs[i].size*larger <= largest {
					small += runs[i].chars
				}
				i++
				continue
			}
			g := group(runs[i:], func(a, b *run) bool { return a.size == b.size })
			if found == nil && wordy(g) {
				found = g
			}
			large += chars(g)
			i += len(g)
		}
		switch {
		case found == nil:
			limit = largest
			continue
		case small == 0:
			return nil
		case large <= small, chars(found) == large && !t.longer(found, 2*t.describer.opt.TopicWords):
			return found
		}
		return nil
	}
}

// byPlace takes the first paragraph if it is on its own line above all the
// rest, and the rest looks different: less bold, no heading, or several lines
// long.
func (t *topics) byPlace(runs, first []run) []run {
	if !wordy(first) || t.longer(first, 2*t.describer.opt.TopicWords) {
		return nil
	}
	box := first[0].box
	for i := range first {
		box = box.Union(first[i].box)
	}
	if box.H > oneLine*first[0].size {
		return nil
	}
	rest := runs[len(first):]
	weights, heads, lines := tally{}, int32(0), false
	for i := range rest {
		r := &rest[i]
		if r.box.Y+1 < box.Y+box.H {
			return nil // beside or above
		}
		weights.add(uint32(uint16(r.weight)), r.chars)
		if r.head {
			heads++
		}
		lines = lines || r.box.H > oneLine*r.size
	}
	bold := first[0].weight >= int16(uint16(weights.most()))+bolder
	head := first[0].head && int(heads)*2 < len(rest)
	if bold || head || lines {
		return first
	}
	return nil
}

// byColor finds the one paragraph with a different colour than all the rest, if it comes before most
// of the text. A differing line at the end is usually a "read more" link.
func (t *topics) byColor(runs []run) []run {
	var colors tally
	total := int32(0)
	for i := range runs {
		colors.add(uint32(runs[i].color), runs[i].chars)
		total += runs[i].chars
	}
	if colors.n < 2 {
		return nil
	}
	body := colors.most()
	var found []run
	before := int32(0) // characters before found
	at := int32(0)
	for i := 0; i < len(runs); {
		g := group(runs[i:], func(a, b *run) bool { return true })
		other, same := 0, 0
		for j := range g {
			if distance(uint32(g[j].color), body) >= differing {
				other++
			} else {
				same++
			}
		}
		switch {
		case other > 0 && same == 0 && found == nil:
			found, before = g, at
		case other > 0 && same == 0:
			return nil // ambiguous: two such paragraphs
		}
		at += chars(g)
		i += len(g)
	}
	if found == nil || before*2 > total || !wordy(found) || t.longer(found, 2*t.describer.opt.TopicWords) {
		return nil
	}
	return found
}

// group returns the longest prefix of runs that lies in one paragraph and in
// which each run is like the first.
func group(runs []run, alike func(a, b *run) bool) []run {
	n := 1
	for n < len(runs) && runs[n].holder == runs[0].holder && alike(&runs[0], &runs[n]) {
		n++
	}
	return runs[:n]
}

func chars(runs []run) int32 {
	n := int32(0)
	for i := range runs {
		n += runs[i].chars
	}
	return n
}

// wordy reports whether runs contain at least two letters, which excludes drop
// capitals, prices and arrows as topics.
func wordy(runs []run) bool {
	letters := 0
	for i := range runs {
		for _, r := range runs[i].text {
			if s, ok := letterScript(r); ok {
				if letters++; letters >= 2 || s == han {
					return true
				}
			}
		}
	}
	return false
}

// distance returns the squared distance of two packed colours in RGB.
func distance(a, b uint32) int {
	d := 0
	for shift := 8; shift < 32; shift += 8 {
		x := int(a>>shift&0xff) - int(b>>shift&0xff)
		d += x * x
	}
	return d
}
