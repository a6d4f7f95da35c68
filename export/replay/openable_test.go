package replay

import (
	"strings"
	"testing"
)

func TestAFileThatBrowsersWouldMisreadBeginsWithAMark(t *testing.T) {
	for page, marked := range map[string]bool{
		"<p>plain</p>":                 false,
		"<meta charset=utf-8><p>é</p>": false,
		"<meta charset=gbk><p>é</p>":   true,
		"<p>é</p>":                     true,
		byteOrderMark + "<p>é</p>":     false,
		"":                             false,
	} {
		got := string(Openable([]byte(page)))
		if want := strings.TrimPrefix(got, byteOrderMark); strings.HasPrefix(page, byteOrderMark) && got != page ||
			!strings.HasPrefix(page, byteOrderMark) && (want != page || strings.HasPrefix(got, byteOrderMark) != marked) {
			t.Errorf("%q becomes %q", page, got)
		}
	}
}
