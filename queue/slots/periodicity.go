package slots

import (
	"math"
	"math/rand/v2"
)

// Periodicity measures how much the news of periods comes in the same slots.
type Periodicity struct {
	// Correlation is the mean over each two periods of the correlation of their news by slot, -1
	// to 1. It is 0 unless two periods have news in some of their slots only.
	Correlation float64

	// P is the share of shuffled periods that agree at least as much, the given ones included:
	// small if the agreement is not due to chance. 1 if no two periods can be compared.
	P float64
}

// shuffles is the number of shuffles, so that P is at least 1/(shuffles+1).
const shuffles = 1999

// Periodic tests whether the pattern of changes repeats: whether news comes in the same slots of
// each period more than by chance. A plan made from periods that do not agree predicts nothing
// about the next one, where it may be worse than [Uniform]; so use a plan where P is small, such
// as 0.01.
//
// It is a permutation test. The news of a slot are the items that were not there in the slot
// before it, taken as log(1 + their number), so that one slot with very many does not decide. The
// first slot counts only if each period has a snapshot of the time before it; without one, all its
// items would be new.
//
// Changes come in bursts, and the slots of a burst are not independent: shuffling single slots
// would find patterns in chance. So runs of about ∛n slots are shuffled as a whole, from a random
// slot on, the end of a period joined to its start. With much longer bursts P is too small. The
// seed is fixed: the same periods have the same P.
func Periodic(periods []Period) (Periodicity, error) {
	if err := checkPeriods(periods); err != nil {
		return Periodicity{}, err
	}
	first := 0
	for _, p := range periods {
		if p.Before == nil {
			first = 1
		}
	}
	var rows [][]float64
	for _, p := range periods {
		if row := pattern(p, first); row != nil {
			rows = append(rows, row)
		}
	}
	if len(rows) < 2 {
		return Periodicity{P: 1}, nil
	}
	seen := agreement(rows)
	r := rand.New(rand.NewPCG(1, 0))
	shuffled := [][]float64{rows[0]} // may stay: only the relative order counts
	for _, row := range rows[1:] {
		shuffled = append(shuffled, make([]float64, len(row)))
	}
	atLeast := 1
	for range shuffles {
		for k, row := range rows[1:] {
			shuffle(r, shuffled[k+1], row)
		}
		if agreement(shuffled) >= seen-tiny {
			atLeast++
		}
	}
	d := float64(len(rows))
	return Periodicity{Correlation: (seen - d) / (d * (d - 1)), P: float64(atLeast) / (shuffles + 1)}, nil
}

// pattern returns the news of a period by slot, from the first that counts on, with mean 0
// and length 1; nil if all slots have as many.
func pattern(p Period, first int) []float64 {
	s := newsOf(p)
	var row []float64
	mean := 0.0
	for t := first; t < s.n; t++ {
		x := math.Log1p(float64(s.came[t*s.n+t]))
		row = append(row, x)
		mean += x
	}
	mean /= float64(max(len(row), 1))
	length := 0.0
	for i := range row {
		row[i] -= mean
		length += row[i] * row[i]
	}
	if length < tiny {
		return nil
	}
	for i := range row {
		row[i] /= math.Sqrt(length)
	}
	return row
}

// agreement returns the squared length of the sum of rows of length 1: their number, and twice the
// sum of their correlations.
func agreement(rows [][]float64) float64 {
	total := 0.0
	for t := range rows[0] {
		sum := 0.0
		for _, row := range rows {
			sum += row[t]
		}
		total += sum * sum
	}
	return total
}

// shuffle writes the runs of a row in random order.
func shuffle(r *rand.Rand, to, row []float64) {
	n := len(row)
	run := max(1, int(math.Round(math.Cbrt(float64(n)))))
	start := r.IntN(n)
	at := 0
	for _, k := range r.Perm((n + run - 1) / run) {
		for i := k * run; i < min((k+1)*run, n); i++ {
			to[at] = row[(start+i)%n]
			at++
		}
	}
}
