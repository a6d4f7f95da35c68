package similarity_test

import (
	"fmt"

	"plat/focus/similarity"
)

// Blocks of pages are learnt; then words that occurred together are nearer than words that did
// not.
func Example() {
	learner := similarity.NewLearner(similarity.Options{MinCount: 2})
	for range 10 {
		learner.Learn([]string{"professor", "teach", "cours", "student"})
		learner.Learn([]string{"student", "cours", "exam", "lectur"})
		learner.Learn([]string{"recip", "butter", "flour", "oven"})
		learner.Learn([]string{"oven", "bake", "cake", "flour"})
	}
	words := similarity.Words{Learnt: learner.Vectors()}
	fmt.Println(words.Near("professor", "professor"))
	fmt.Println(words.Near("professor", "cours") > .5)
	fmt.Println(words.Near("professor", "flour") < .1)
	fmt.Println(words.Learnt.Len(), words.Learnt.Nearest("cake", 1)[0].Word)
	// Output:
	// 1
	// true
	// true
	// 12 bake
}
