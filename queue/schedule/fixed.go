package schedule

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"plat/plat"
)

// fixed visits a URL once per interval, regardless of changes. Missed visits are
// skipped: the next is on the grid of the interval, after now.
type fixed struct{}

func (fixed) Next(v *Visit) Next {
	every := interval(v.State.URL, v.Due, v.State.Schedule)
	if every <= 0 {
		return Next{}
	}
	n := max(1, v.Time.Sub(v.Due)/every+1)
	next := Next{Due: v.Due.Add(n * every)}
	next.Memory = remembered(v, next.Due)
	return next
}

// remembered returns the memory of a policy that does not learn: for display, and for the policy
// that may follow it.
func remembered(v *Visit, due time.Time) string {
	k := recall(v)
	k.note(v)
	k.due = due
	return k.encode()
}

// interval returns the time from a job to the next, with jitter that depends on the
// job: different for each job, and reproducible.
func interval(url string, due time.Time, s plat.Schedule) time.Duration {
	if s.Every <= 0 || s.Jitter <= 0 {
		return s.Every
	}
	h := fnv.New64a()
	h.Write([]byte(url))
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(due.UnixMilli())))
	const bits = 1 << 53
	x := mix(h.Sum64()) % bits
	by := s.Jitter * (2*float64(x)/bits - 1) // from -Jitter to Jitter
	return max(time.Millisecond, time.Duration(float64(s.Every)*(1+by)).Truncate(time.Millisecond))
}

// mix spreads differences in a few bits over all bits (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
