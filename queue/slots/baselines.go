package slots

import (
	"math/rand/v2"
	"slices"
)

// Uniform returns f of n slots in even steps, the first among them, as in section 2.3 of the
// paper: days 1, 7, 13, 19 and 25 of 30.
func Uniform(n, f int) ([]int, error) {
	if err := checkVisits(n, f); err != nil {
		return nil, err
	}
	plan := make([]int, f)
	for i := range plan {
		plan[i] = i * n / f
	}
	return plan, nil
}

// Random returns f of n slots by chance, each choice as likely as any other. It depends only
// on its arguments.
func Random(n, f int, seed uint64) ([]int, error) {
	if err := checkVisits(n, f); err != nil {
		return nil, err
	}
	plan := rand.New(rand.NewPCG(seed, 0)).Perm(n)[:f]
	slices.Sort(plan)
	return plan, nil
}
