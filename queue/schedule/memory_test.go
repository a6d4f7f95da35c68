package schedule

import (
	"testing"
	"time"
)

// TestWhatIsRememberedOfABudget comes back with the memory, and is dropped when the page has a different budget.
func TestWhatIsRememberedOfABudget(t *testing.T) {
	k := &memory{Model: Model{Burst: &Burst{}, Blocks: Blocks{Usual: &Turning{}}}, at: time.Unix(1_796_040_000, 0).UTC(), due: time.Unix(1_796_050_000, 0).UTC(), epoch: 7, counted: 3}
	k.Pages, k.Offset, k.pool = 500, 2, poolNumber("ten")
	for i, x := range k.Heard.numbers() {
		*x = float64(i + 1)
	}
	got := decode(k.encode())
	if got.Pages != 500 || got.Offset != 2 || got.epoch != 7 || got.counted != 3 || got.pool != k.pool || !got.at.Equal(k.at) || !got.due.Equal(k.due) {
		t.Errorf("%+v, want %+v", got, k)
	}
	for i, x := range got.Heard.numbers() {
		if *x != float64(i+1) {
			t.Errorf("number %d of the signals is %v", i, *x)
		}
	}
	same, other := Remembered(k.encode(), "ten"), Remembered(k.encode(), "twenty")
	if same.Pages != 500 || same.Offset != 2 || same.Epoch != 7 || same.Counted != 3 || same.Heard != k.Heard {
		t.Errorf("of the same budget: %+v", same)
	}
	if other.Steering != (Steering{}) || other.Epoch != 0 || other.Counted != 0 || other.Heard != k.Heard {
		t.Errorf("of a different one: %+v", other)
	}
}
