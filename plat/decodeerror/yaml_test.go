package decodeerror

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestYAMLHasLimits(t *testing.T) {
	keys := func(n int, indent string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%sk%d: 1\n", indent, i)
		}
		return b.String()
	}
	for text, want := range map[string]string{
		strings.Repeat("#", MaxYAML+1):            "more than 1048576 bytes",
		keys(maxKeys+1, ""):                       "line 1: there are more than 10000 keys",
		"a: 1\n---\nb:\n" + keys(maxKeys+1, "  "): "line 4: there are more than 10000 keys",
		keys(90_000, ""):                          "keys",
		strings.Repeat("#", MaxYAML):              "",
		keys(maxKeys, ""):                         "",
		"a: [":                                    "",
		"":                                        "",
	} {
		began := time.Now()
		b, err := ReadYAML(strings.NewReader(text))
		if want == "" && (err != nil || string(b) != text) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40q: %d bytes, %v, want %q", text, len(b), err, want)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%.40q took %v", text, took)
		}
	}
}
