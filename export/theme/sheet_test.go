package theme

import (
	"strings"
	"testing"

	"plat/export/draw"
)

func TestTheSheetHasTheColoursOfTheTable(t *testing.T) {
	for name, rules := range map[string]string{"classes": draw.CSS(), "inks": draw.Inks(), "dark inks": draw.DarkInks()} {
		if n := strings.Count(Sheet, rules); n != 1 {
			t.Errorf("the %s stand in the sheet %d times", name, n)
		}
		// A colour that is repeated elsewhere would be forgotten when the table changes.
		for _, rule := range strings.Split(rules, ";") {
			if name, colour, ok := strings.Cut(strings.TrimSpace(rule), ": "); ok && strings.HasPrefix(name, "--") && strings.Contains(sheetFile, colour) {
				t.Errorf("plat.css has %s, which is %s of the table of package draw", colour, name)
			}
		}
	}
	if !strings.Contains(Sheet, "var(--c, #555)") || draw.Color("").String() != "#555555" {
		t.Errorf("blocks without a class are %v in pictures, but not in the sheet", draw.Color(""))
	}
}
