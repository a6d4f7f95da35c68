package phrases

import (
	"strings"
	"testing"
)

func TestLinesAreKnownWhateverIsAroundThem(t *testing.T) {
	for line, want := range map[string]bool{
		"Comments (3)": true, "KOMMENTARE": true, "– Related articles –": true, "相关推荐：": true,
		"The comments of the council": false, "": false, "comments" + strings.Repeat(" ", maxLine): false,
	} {
		if got := Labels.Has(line) || Endings.Has(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	for line, want := range map[string]bool{"责任编辑：李四": true, "（来源: 新华": true, "作者": false, "编辑部的故事：一": false} {
		if got := Credit(line); got != want {
			t.Errorf("%q names a source: %v", line, got)
		}
	}
}
