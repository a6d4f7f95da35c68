package terminal

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode"
)

// TestJSONHoldsNothingThatATerminalObeys has every character in a text, and reads it back.
func TestJSONHoldsNothingThatATerminalObeys(t *testing.T) {
	var all []rune
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r < 0xD800 || r > 0xDFFF {
			all = append(all, r)
		}
	}
	var out bytes.Buffer
	NewScreen(&out).JSON(string(all))
	line := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	for i, r := range string(line) {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			t.Errorf("%U is written as it is, at byte %d", r, i)
		}
	}
	var got string
	if err := json.Unmarshal(line, &got); err != nil || got != string(all) {
		t.Errorf("it is read back as another text, %v", err)
	}
}
