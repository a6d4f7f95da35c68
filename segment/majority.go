package segment

// majority finds the value that most characters have: a font size, or a colour. The zero value is
// ready.
type majority[T comparable] struct {
	Value T     // most frequent
	Most  int32 // characters that have it

	last T // added before
	sum  int32
	all  map[T]int32
}

// Add counts n more characters with the value k. Of equally frequent ones, the first to
// be so counts.
func (u *majority[T]) Add(k T, n int32) {
	if k != u.last {
		if u.sum > 0 {
			if u.all == nil {
				u.all = map[T]int32{}
			}
			u.all[u.last] = u.sum
		}
		u.last, u.sum = k, u.all[k]
	}
	if u.sum += n; u.sum > u.Most {
		u.Value, u.Most = k, u.sum
	}
}
