package wire

import (
	"bytes"
	"math"
	"testing"

	"plat/docs"
)

func FuzzFloat(f *testing.F) {
	f.Add(float32(1.5))
	f.Add(float32(0.333))
	f.Fuzz(func(t *testing.T, x float32) {
		var w Writer
		w.Float(x)
		r := &Reader{B: w.B}
		if got := r.Float(); r.Err != nil || math.Float32bits(got) != math.Float32bits(x) && x == x || len(r.B) > 0 {
			t.Fatalf("%v came back as %v, %v", x, got, r.Err)
		}
	})
}

// TestTheFormatSaysWhatIsWritten compares the worked examples of docs/format.md with the output.
func TestTheFormatSaysWhatIsWritten(t *testing.T) {
	var numbers, texts Writer
	numbers.Uint(300)
	numbers.Int(-3)
	texts.TextAs("Harbour reopens", "Harbour closes")
	for _, f := range []float32{12.5, 0.64, 0.1234567} {
		texts.Float(f)
	}
	for name, got := range map[string][]byte{"numbers": numbers.B, "texts": texts.B} {
		if want, err := docs.Example(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is\n% x\nthe document has\n% x, %v", name, got, want, err)
		}
	}
}
