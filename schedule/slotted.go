package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"plat"
)

// slotted visits a URL at the ends of chosen slots of a period, as a plan of package slots says.
// Missed slots are skipped.
type slotted struct{}

func (slotted) Next(v *Visit) Next {
	n, chosen, err := ParseSlots(v.State.Schedule.Slots)
	if slot := v.State.Schedule.Every; err == nil && slot > 0 {
		next := Next{Due: slotEnd(slot, n, chosen, plat.Later(v.Time, v.Due))}
		next.Memory = remembered(v, next.Due)
		return next
	}
	return fixed{}.Next(v) // of a newer plat
}

// Week is when periods of slots begin: a Monday, in UTC.
var Week = time.Date(1970, 1, 5, 0, 0, 0, 0, time.UTC)

// slotEnd is the first end of a chosen slot after a time.
func slotEnd(slot time.Duration, n int, chosen []int, after time.Time) time.Time {
	period := time.Duration(n) * slot
	start := after.Add(-(after.Sub(Week)%period + period) % period)
	for ; ; start = start.Add(period) {
		for _, k := range chosen {
			if end := start.Add(time.Duration(k+1) * slot); end.After(after) {
				return end
			}
		}
	}
}

// MaxSlots is the most slots that a period may have.
const MaxSlots = 1000

// ParseSlots parses what FormatSlots writes: "24:0,7,12" is slots 0, 7 and 12 of 24. The error
// says what to write.
func ParseSlots(text string) (n int, chosen []int, err error) {
	fail := func() (int, []int, error) {
		return 0, nil, fmt.Errorf("slots %q: write how many a period has, at most %d, and which, ascending from 0: 24:0,7,12", text, MaxSlots)
	}
	of, list, _ := strings.Cut(text, ":")
	if n, err = strconv.Atoi(of); err != nil || n < 1 || n > MaxSlots {
		return fail()
	}
	for part := range strings.SplitSeq(list, ",") {
		k, err := strconv.Atoi(part)
		if err != nil || k < 0 || k >= n || len(chosen) > 0 && k <= chosen[len(chosen)-1] {
			return fail()
		}
		chosen = append(chosen, k)
	}
	return n, chosen, nil
}

// FormatSlots writes chosen slots of a period of n.
func FormatSlots(n int, chosen []int) string {
	words := make([]string, len(chosen))
	for i, k := range slices.Sorted(slices.Values(chosen)) {
		words[i] = strconv.Itoa(k)
	}
	return fmt.Sprintf("%d:%s", n, strings.Join(words, ","))
}

// Inherited is the schedule of the pages to which links of a page with a schedule lead: the same, but
// for slots, which were chosen for the one page. Others are visited as often.
func Inherited(s plat.Schedule) plat.Schedule {
	n, chosen, err := ParseSlots(s.Slots)
	if s.Slots == "" || err != nil {
		return s
	}
	return plat.Schedule{Every: time.Duration(n) * s.Every / time.Duration(len(chosen))}
}
