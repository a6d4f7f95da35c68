package traps

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode"

	"plat/plat"
)

// Values are in archives: however a text is read, they stay the same.
func TestAFingerprintIsThatOfTheWholeText(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("The boat leaves at 8. ", 1000), strings.Repeat("港口 ٣ 船 ", 999) + "\xff\xfe end", strings.Repeat("a", 4<<10-4), strings.Repeat("é", 2<<10), strings.Repeat("a", 4<<10) + "b",
	} {
		without := strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, text)
		sum := plat.HashOf([]byte("title\x00" + without))
		if got, want := Fingerprint("title", []plat.Block{{Text: text, TextLen: int32(len(text))}}), binary.BigEndian.Uint64(sum[:]); got != want {
			t.Errorf("%.20q…: %x, want %x", text, got, want)
		}
	}
}

// A long text is not copied.
func TestAFingerprintTakesLittleMemory(t *testing.T) {
	blocks := []plat.Block{{Text: strings.Repeat("The boat leaves at 8. ", 1<<16), TextLen: 22 << 16}}
	r := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Fingerprint("", blocks)
		}
	})
	if n := r.AllocedBytesPerOp(); n > 16<<10 {
		t.Errorf("%d bytes for a text of %d", n, len(blocks[0].Text))
	}
}
