package slots

import "fmt"

// PTS returns the similarities of the n-1 pairs of consecutive snapshots of a period (definition
// 10), empty if there are fewer than two slots.
func PTS(p Period) []float64 {
	series := make([]float64, max(len(p.Slots)-1, 0))
	for i := range series {
		series[i] = Similarity(p.Slots[i], p.Slots[i+1])
	}
	return series
}

// Matrix is M of definition 11: the mean similarity of each two slots.
//
// It is always a mean of products of numbers from 0 to 1 (formula 6), so the similarity of
// two slots never grows as one of them moves away from the other. The search for a plan
// relies on that.
type Matrix struct {
	n    int
	cell []float64 // n×n, in rows, symmetric; the diagonal is 1
}

// NewMatrix returns M for n slots. Series has one row per training period, as returned by [PTS]:
// n-1 numbers from 0 to 1. Of slots that are not consecutive the similarity is the product of
// those between them, in each period, and M has the mean over periods.
func NewMatrix(series [][]float64) (*Matrix, error) {
	if err := checkSeries(series); err != nil {
		return nil, err
	}
	n := len(series[0]) + 1
	m := &Matrix{n: n, cell: make([]float64, n*n)}
	for _, row := range series {
		for i := range n {
			product := 1 / float64(len(series))
			for j := i + 1; j < n; j++ {
				product *= row[j-1]
				m.cell[i*n+j] += product
			}
		}
	}
	for i := range n {
		m.cell[i*n+i] = 1
		for j := range i {
			m.cell[i*n+j] = m.cell[j*n+i]
		}
	}
	return m, nil
}

// checkSeries returns the error in the similarities of periods, or nil.
func checkSeries(series [][]float64) error {
	if len(series) == 0 {
		return errNoPeriods
	}
	for k, row := range series {
		if len(row) != len(series[0]) {
			return fmt.Errorf("period %d has %d similarities, the first has %d: give each the same number", k+1, len(row), len(series[0]))
		}
		for i, s := range row {
			if !(s >= 0 && s <= 1) { // NaN neither
				return fmt.Errorf("period %d: similarity %d is %v: give 0 to 1", k+1, i, s)
			}
		}
	}
	return nil
}

// At returns the mean similarity of two slots.
func (m *Matrix) At(i, j int) float64 { return m.cell[i*m.n+j] }

// row returns the similarities of a slot and each slot.
func (m *Matrix) row(i int) []float64 { return m.cell[i*m.n : (i+1)*m.n] }

// Total returns the quantity that plans minimise: the similarity of its slots, summed over each
// two of them. With the 0-1 vector x of the plan, which formulas 8 to 10 use, it is (xᵀMx − f)/2:
// the diagonal is the same for all plans of f visits.
func (m *Matrix) Total(plan []int) float64 {
	total := 0.0
	for k, i := range plan {
		for _, j := range plan[:k] {
			total += m.At(i, j)
		}
	}
	return total
}
