package focus

import (
	"encoding/binary"
	"math"
	"testing"
)

// A number that is not there, or too large, is a mistake, and nothing is read after it.
func TestNumbersThatAreMistakes(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing": nil, "a part": {0x80}, "too large": append(binary.AppendUvarint(nil, math.MaxInt32+1), 1, 2, 3), "of too many bytes": {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1},
	} {
		d := &decoder{b: b}
		if n := d.number(); n != 0 || !d.bad || d.b != nil || d.end() == nil {
			t.Errorf("%s: %d, mistake %v", name, n, d.bad)
		}
		if d = (&decoder{b: b}); d.count(1) != 0 || !d.bad {
			t.Errorf("%s is a count", name)
		}
	}
	d := &decoder{b: append(binary.AppendUvarint(nil, math.MaxInt32), 2, 9, 9)}
	if n := d.number(); n != math.MaxInt32 || d.bad {
		t.Errorf("the largest number is %d, mistake %v", n, d.bad)
	}
	if n := d.count(1); n != 2 || d.bad || d.end() == nil {
		t.Errorf("two elements of a byte: %d, mistake %v", n, d.bad)
	}
	if d = (&decoder{b: []byte{2, 9, 9}}); d.count(2) != 0 || !d.bad {
		t.Error("two elements of two bytes are in two bytes")
	}
}
