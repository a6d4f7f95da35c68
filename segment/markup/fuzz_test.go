package markup_test

import (
	"testing"

	"plat/fixtures"
	"plat/segment/markup"
)

func FuzzText(f *testing.F) {
	for _, src := range fixtures.Damaged {
		f.Add([]byte(src), uint16(1))
	}
	f.Fuzz(func(t *testing.T, content []byte, hide uint16) {
		var hidden []int32
		for i := int32(0); i < 16; i++ {
			if hide>>i&1 == 1 {
				hidden = append(hidden, i)
			}
		}
		if a, b := markup.Text(content, hidden), markup.Text(content, hidden); a != b {
			t.Fatalf("the same bytes gave %q and %q", a, b)
		}
		sameWords(t, content, hidden)
	})
}
