package capture

import (
	"errors"
	"strings"
	"testing"
)

func TestATreeThatIsTooDeepIsNotMalformed(t *testing.T) {
	nested := func(n int) string {
		return `{"root":` + strings.Repeat(`{"nodeType":1,"children":[`, n) + `{"nodeType":3}` + strings.Repeat(`]}`, n) + `}`
	}
	for n, want := range map[int]error{100: nil, maxDepth: nil, maxDepth + 1: ErrTooDeep, 4 * maxDepth: ErrTooDeep} {
		if _, err := (&Tree{}).Add(toCBOR(t, nested(n))); !errors.Is(err, want) {
			t.Errorf("%d elements deep: %v, want %v", n, err, want)
		}
	}
	if _, err := (&Tree{}).Add(toCBOR(t, `{"root":[]}`)); !errors.Is(err, ErrMalformed) {
		t.Errorf("what is no tree: %v", err)
	}
}
