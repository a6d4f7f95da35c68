package slots_test

import (
	"context"
	"fmt"

	"plat/queue/slots"
)

// A page was visited on each day of two weeks. It has news on Mondays, Thursdays and Fridays, and
// shows the last three of them.
func Example() {
	week := func(n string) slots.Period {
		return slots.Period{
			Before: slots.NewSnapshot(n+"x", n+"y", n+"z"),
			Slots: []slots.Snapshot{
				slots.NewSnapshot(n+"y", n+"z", n+"a"), // Monday
				slots.NewSnapshot(n+"y", n+"z", n+"a"),
				slots.NewSnapshot(n+"y", n+"z", n+"a"),
				slots.NewSnapshot(n+"a", n+"b", n+"c"), // Thursday
				slots.NewSnapshot(n+"c", n+"d", n+"e"), // Friday
				slots.NewSnapshot(n+"c", n+"d", n+"e"),
				slots.NewSnapshot(n+"c", n+"d", n+"e"),
			},
		}
	}
	training := []slots.Period{week("1"), week("2")}
	paper, err := slots.Plan(context.Background(), training, 3, slots.Options{Delta: 0.65})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := slots.PlanDP(training, 3, slots.Goal{Accuracy: 1, Freshness: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	next := week("3")
	for _, slotsOf := range [][]int{paper.Slots, plan} {
		accuracy, _ := slots.Accuracy(next, slotsOf)
		freshness, _ := slots.Freshness(next, slotsOf, 1)
		cost, _ := slots.Cost(7, slotsOf)
		fmt.Printf("%v accuracy %.2f freshness %.2f cost %.2f\n", slotsOf, accuracy, freshness, cost)
	}
	// Output:
	// [0 3 4] accuracy 1.00 freshness 1.00 cost 0.43
	// [0 3 4] accuracy 1.00 freshness 1.00 cost 0.43
}
