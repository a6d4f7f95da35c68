package queue

import (
	"context"
	"fmt"
	"strconv"

	"plat"
	"plat/schedule"
)

// Share adds what a visit of a URL has taught to what the pages of its budget and of its site
// share, and returns that; the zero Learned only asks. What Redis does not know any more is
// what v.Memory, of the last visit, remembers of it. It returns nil if the URL has no budget.
// Nothing is lost with Redis but what was learned since then.
func (q *Queue) Share(ctx context.Context, v *schedule.Visit, l schedule.Learned) (*schedule.Shared, error) {
	s := v.State.Schedule
	host := plat.HostOf(v.State.URL)
	pool := schedule.Pool(s, host)
	if pool == "" {
		return nil, nil
	}
	b, err := schedule.ParseBudget(s.Budget)
	if err != nil {
		return nil, err
	}
	was := schedule.Remembered(v.Memory)
	shard := q.ShardOf(host)
	keyOf := func(shard int, name string) []string {
		return []string{"{" + q.o.Prefix + ":" + strconv.Itoa(shard) + "}:" + name}
	}
	of := 0 // a fleet's budget is kept in one place
	if b.Host {
		of = shard
	}
	budget, err := floats(budgetScript.Run(ctx, q.rdb, keyOf(of, "budget:"+pool),
		text(b.Visits/float64(v.Length().Milliseconds())), text(l.Visits), text(l.Pages), text(was.Pages), text(was.Offset)).StringSlice())
	if err == nil && len(budget) != 3 {
		err = fmt.Errorf("%d numbers, not 3", len(budget))
	}
	if err != nil {
		return nil, fmt.Errorf("read the budget %q: %w", pool, err)
	}
	var args []any
	for _, w := range l.Burst.Off {
		args = append(args, text(float64(w)))
	}
	for _, w := range was.Burst.Off {
		args = append(args, text(float64(w)))
	}
	weights, err := floats(siteScript.Run(ctx, q.rdb, keyOf(shard, "site:"+host), args...).StringSlice())
	if err == nil && len(weights) != schedule.Features {
		err = fmt.Errorf("%d numbers, not %d", len(weights), schedule.Features)
	}
	if err != nil {
		return nil, fmt.Errorf("read what is known of %s: %w", host, err)
	}
	all := &schedule.Shared{Steering: schedule.Steering{Pages: budget[0], Beyond: budget[1], Offset: budget[2]}}
	for i, w := range weights {
		all.Burst.Off[i] = float32(w)
	}
	return all, nil
}

// text is a number without an exponent, which the in-process Redis does not read.
func text(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func floats(all []string, err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	numbers := make([]float64, len(all))
	for i, s := range all {
		if numbers[i], err = strconv.ParseFloat(s, 64); err != nil {
			return nil, err
		}
	}
	return numbers, nil
}
