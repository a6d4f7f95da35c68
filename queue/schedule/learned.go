package schedule

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/bits"
	"time"

	"plat/plat"
)

// Learning visits a URL when the visit is worth as much as its budget requires. The table [Worths]
// lists its policies.
type Learning struct {
	worth func(m *Model, days float64) float64
	grows bool // whether the worth grows with time for every model
}

// LearningPolicy returns one by its name. The error lists the names.
func LearningPolicy(name string) (Learning, error) {
	worth, err := Worth(name)
	return Learning{worth, name != "archive"}, err
}

// early is the part of its threshold at which a visit is due. The policy checks then whether the
// URL is worth a visit, and repeats the check as the worth grows: data that the pages of a site
// share can raise the worth at once, and a falling threshold has the same effect. docs/schedule.md
// has figures.
const early = 0.1

// Growth of the time since the last visit between two checks.
const (
	leastGrowth = 1.2
	mostGrowth  = 1.5
)

// After returns the number of days from a visit to the due time of the next one.
func (p Learning) After(m *Model, s *Steering, b Budget) float64 {
	return p.reach(m, early*p.threshold(m, s, b))
}

// Wait returns the number of days from the last visit to the next check whether a due visit is
// worth as much as its budget requires; 0: it is worth that now.
func (p Learning) Wait(m *Model, days float64, s *Steering, b Budget) float64 {
	worth, asked := p.worth(m, days), p.threshold(m, s, b)
	if worth >= asked {
		return 0
	}
	return days * min(max(math.Pow(max(worth/asked, 1e-6), -0.25), leastGrowth), mostGrowth)
}

// threshold returns the worth that a visit needs, by the steering of its budget, relative to an
// unknown page. It is infinite if the budget allows no visit.
func (p Learning) threshold(m *Model, s *Steering, b Budget) float64 {
	days := b.perPage(s.Pages)
	if math.IsInf(days, 1) {
		return days
	}
	return p.unknown(m, days) * s.Factor()
}

// unknown returns the worth of a visit of an unknown page.
func (p Learning) unknown(m *Model, days float64) float64 {
	return p.worth(&Model{Burst: &Burst{}, Blocks: Blocks{Usual: m.Blocks.Usual}}, days)
}

// reach returns the number of days after a visit at which the next one reaches a worth. Worths
// grow with time; a learned chance of a change can fall for a while, and then the worth is reached
// on several days, of which reach returns one.
func (p Learning) reach(m *Model, worth float64) float64 {
	low, high := leastWait/600, mostWait
	less, enough := 0.0, math.Inf(1)
	if p.grows {
		less, enough = p.narrow(m, worth, low, high)
	}
	for range 40 { // each halves the ratio's logarithm
		mid := math.Sqrt(low * high)
		below := mid <= less
		if !below && mid < enough {
			below = p.worth(m, mid) < worth
		}
		if below {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// narrow returns two numbers of days, between the bounds low and high: after less days a visit is
// worth less than worth, and after enough days it is not. Some steps of the secant method bring
// them close to each other: a worth is nearly a power of the time. 0 or infinite: not found.
func (p Learning) narrow(m *Model, worth, low, high float64) (less, enough float64) {
	less, enough = 0, math.Inf(1)
	// off returns the difference of the logarithms of the worth at days and the target.
	off := func(days float64) float64 {
		w := p.worth(m, days)
		if w < worth {
			less = max(less, days)
		} else {
			enough = min(enough, days)
		}
		return math.Log(w / worth)
	}
	least, most := math.Log(low), math.Log(high)
	x := [2]float64{0, 1} // logarithms of days
	y := [2]float64{off(math.Exp(x[0])), off(math.Exp(x[1]))}
	for range 12 {
		next := x[1] - y[1]*(x[1]-x[0])/(y[1]-y[0])
		if !(next > least && next < most) {
			break // flat there, or outside the bounds
		}
		if math.Abs(next-x[1]) < tolerance {
			off(math.Exp(next - tolerance))
			off(math.Exp(next + tolerance))
			break
		}
		x, y = [2]float64{x[1], next}, [2]float64{y[1], off(math.Exp(next))}
	}
	return less, enough
}

// tolerance is the relative precision of the secant method.
const tolerance = 1e-10

// Next decides after a visit.
func (p Learning) Next(v *Visit) Next {
	k := recall(v)
	next := Next{Learned: k.note(v)}
	s := v.State.Schedule
	var days float64
	if b, err := ParseBudget(s.Budget); err == nil {
		days = p.After(&k.Model, &k.Steering, b)
	} else { // when the worth equals that of an unknown page after the interval
		days = p.reach(&k.Model, p.unknown(&k.Model, s.Every.Seconds()/v.Length().Seconds()))
	}
	low, high := v.bounds()
	next.Due = v.grouped(v.Time, min(max(time.Duration(days*float64(v.Length())), low), high), high)
	if asked := v.NotBefore; asked.After(next.Due) {
		next.Due = asked
		if last := v.Time.Add(high); last.Before(asked) {
			next.Due = last
		}
	}
	k.due = next.Due.Truncate(time.Millisecond)
	next.Memory = k.encode()
	return next
}

// Wait returns the time until which a due visit waits, because it is not worth as much yet as its
// budget requires; zero: visit now. v has no results yet.
func Wait(v *Visit) time.Time {
	s := v.State.Schedule
	p, ok := of(s).(Learning)
	b, err := ParseBudget(s.Budget)
	if !ok || err != nil || v.Memory == "" {
		return time.Time{}
	}
	k := recall(v)
	since := v.Time.Sub(plat.Later(k.at, v.State.Last)) // a failed visit counts too
	low, high := v.bounds()
	if k.at.IsZero() || since <= 0 || since >= high || requested(v) {
		return time.Time{}
	}
	wait := time.Duration(p.Wait(&k.Model, since.Seconds()/v.Length().Seconds(), &k.Steering, b) * float64(v.Length()))
	if wait == 0 && since >= low {
		return time.Time{}
	}
	return v.grouped(v.Time.Add(-since), min(max(wait, low), high), high)
}

// requested reports whether a user requested the visit: then its job follows the settled one, see
// storage.Seed.
func requested(v *Visit) bool {
	return !v.State.Settled.IsZero() && v.Due.Sub(v.State.Settled) <= time.Millisecond
}

// grouped returns a time so long after the last visit, or a little later, but at most high after it:
// with a budget, the pages of a site are checked together, which costs less. Times are multiples
// of a power of two of minutes, at most a sixteenth of the wait, each site with an offset of its
// own.
func (v *Visit) grouped(last time.Time, wait, high time.Duration) time.Time {
	at := last.Add(wait)
	minute := (v.Length() / (24 * 60)).Truncate(time.Millisecond)
	if v.State.Schedule.Budget == "" || minute == 0 || wait/16 < minute {
		return at
	}
	every := minute << (bits.Len64(uint64(wait/16/minute)) - 1)
	h := fnv.New32a()
	h.Write([]byte(plat.HostOf(v.State.URL)))
	apart := time.Duration(h.Sum32()) % (every / minute) * minute
	over := time.Duration(at.UnixMilli()%every.Milliseconds()) * time.Millisecond
	at = at.Truncate(time.Millisecond).Add((2*every + apart - over) % every)
	if limit := last.Add(high); at.After(limit) {
		return limit
	}
	return at
}

// bounds returns the bounds of the chosen interval.
func (v *Visit) bounds() (low, high time.Duration) {
	low, high = v.State.Schedule.Min, v.State.Schedule.Max
	if high <= 0 {
		high = max(mostInterval, low)
	}
	if low <= 0 {
		low = min(leastInterval, high)
	}
	part := float64(v.Length()) / float64(24*time.Hour)
	return time.Duration(float64(low) * part), time.Duration(float64(high) * part)
}

// memory is the data that a policy keeps of a URL.
type memory struct {
	Model
	Steering           // of its budget, at the last visit
	Heard              // of its site, at the last visit
	pool     uint32    // of that budget: see poolNumber; 0: not known
	epoch    uint32    // of the steering: see Shared
	counted  float64   // the same
	moved    bool      // the URL came from a different budget
	at       time.Time // of the last visit with a known result
	due      time.Time // of the next visit
}

// recall returns the memory of a URL with the shared data of its budget and site. Data that cannot
// be decoded is dropped.
func recall(v *Visit) *memory {
	k := decode(v.Memory)
	k.move(Pool(v.State.Schedule, plat.HostOf(v.State.URL)))
	if v.Shared != nil {
		k.Steering, k.epoch, k.counted = v.Shared.Steering, v.Shared.Epoch, v.Shared.Counted
		*k.Burst, *k.Blocks.Usual, k.Heard = v.Shared.Burst, v.Shared.Turning, v.Shared.Heard
	}
	if k.Signal = NoSource; !k.at.IsZero() && v.State.Signal.Modified.After(k.at) {
		k.Signal = sourceOf(v.State.Signal) // visits show how reliable it is
	}
	return k
}

// shared returns the shared data of the budget and the site.
func (k *memory) shared() *Shared {
	return &Shared{Steering{Pages: k.Pages, Offset: k.Offset}, *k.Burst, *k.Blocks.Usual, k.Heard, k.epoch, k.counted}
}

// Remembered returns the shared data of a URL's budget and site as of its last visit. The budget's
// part is empty if the URL had a different budget then.
func Remembered(memory, pool string) Shared {
	k := decode(memory)
	k.move(pool)
	return *k.shared()
}

// move takes a URL to the budget of a pool: data of a previous budget is dropped.
func (k *memory) move(pool string) {
	number := poolNumber(pool)
	k.moved = k.pool != 0 && k.pool != number
	if k.pool == 0 && k.Pages == 0 && !k.at.IsZero() { // of the first format: it had no budget
		k.moved = pool != ""
	}
	if k.moved {
		k.Steering, k.epoch, k.counted = Steering{}, 0, 0
	}
	k.pool = number
}

// poolNumber returns the number that represents a pool in memories; never 0.
func poolNumber(pool string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(pool))
	return max(1, h.Sum32())
}

// note records a visit, and returns its contribution to the shared data.
func (k *memory) note(v *Visit) (l Learned) {
	if k.at.IsZero() || k.moved {
		l.Pages = 1
	}
	if k.at.IsZero() {
		k.at = v.Time
		return l
	}
	l.Visits = 1
	if v.Outcome.Failed() && v.Outcome != plat.OutcomeGone {
		k.stretch(false) // rules that set intervals lengthen theirs; the page itself is still unknown
		return l
	}
	if v.Outcome == plat.OutcomeNew { // the page was never read before
		k.at = v.Time
		return l
	}
	was := k.shared().Site()
	days := v.Time.Sub(k.at).Seconds() / v.Length().Seconds()
	k.Heard.visit(k.Signal, v.News())
	k.Model.Visit(days, v.News())
	parts := Parts(v)
	if parts == nil {
		parts = []Part{} // it was not rendered: nothing has changed
	}
	k.Blocks.Visit(days, parts)
	for i, x := range k.shared().Site() {
		l.Site[i] = x - was[i]
	}
	k.at = v.Time
	return l
}

// mostMillis is the last time that can be decoded, far beyond the year 9999.
const mostMillis = 1 << 50

// memoryFormat is the first byte of an encoded memory. Format 1 had no pool, epoch or Heard.
const memoryFormat = 2

// encode returns a text of at most plat.MaxPolicyMemory bytes: the format byte; as uvarints pool,
// epoch, and the times of the last visit and of the next, in milliseconds since 1970; as 32-bit
// floats Pages and Offset of the steering, the number of pages counted in the epoch, and the
// numbers of Heard; as uvarint the length of the encoded blocks in bytes, and these; then the
// model.
func (k *memory) encode() string {
	b := binary.AppendUvarint(binary.AppendUvarint([]byte{memoryFormat}, uint64(k.pool)), uint64(k.epoch))
	for _, t := range []time.Time{k.at, k.due} {
		b = binary.AppendUvarint(b, uint64(max(0, t.UnixMilli())))
	}
	b = appendFloat(appendFloat(b, k.Pages), k.Offset)
	b = appendFloat(b, k.counted)
	for _, x := range k.Heard.numbers() {
		b = appendFloat(b, *x)
	}
	blocks := k.Blocks.Encode()
	b = binary.AppendUvarint(b, uint64(len(blocks)))
	return string(b) + blocks + k.Model.Encode()
}

// decode parses the output of encode; text that it cannot parse yields an empty memory.
func decode(s string) *memory {
	nothing := &memory{Model: Model{Burst: &Burst{}, Blocks: Blocks{Usual: &Turning{}}}}
	r := reader{b: []byte(s)}
	k := &memory{}
	switch r.byte() {
	case 1:
	case memoryFormat:
		k.pool, k.epoch = uint32(r.uvarint(math.MaxUint32)), uint32(r.uvarint(math.MaxUint32))
	default:
		return nothing
	}
	for _, t := range []*time.Time{&k.at, &k.due} {
		*t = time.UnixMilli(int64(r.uvarint(mostMillis))).UTC()
	}
	k.Pages, k.Offset = max(0, r.float()), min(max(r.float(), -mostOff), mostOff)
	if s[0] != 1 {
		k.counted = r.days()
		for _, x := range k.Heard.numbers() {
			*x = r.days()
		}
	}
	blocks, damaged := DecodeBlocks(string(r.take(int(r.uvarint(plat.MaxPolicyMemory)))))
	m, err := DecodeModel(string(r.b))
	if r.bad || err != nil || damaged != nil || k.at.UnixMilli() == 0 {
		return nothing
	}
	if k.Model, k.Blocks = *m, *blocks; k.Blocks.Usual == nil {
		k.Blocks.Usual = &Turning{}
	}
	return k
}
