package markdown

import "testing"

// Parts of code in a row are one, and the spans that they were made of stay as they are: a leaf is written again for an article.
func TestJoinedCodeLeavesItsParts(t *testing.T) {
	room := append(make([]byte, 0, 8), "ab"...)
	spans := []span{{text: room, style: style{code: true, strong: true}}, {text: []byte("c"), style: style{code: true}}, {text: []byte("d")}}
	for range 2 {
		all := joined(spans)
		if len(all) != 2 || string(all[0].text) != "abc" || all[0].style.strong || string(all[1].text) != "d" {
			t.Fatalf("%d spans, the first %q, strong %t", len(all), all[0].text, all[0].style.strong)
		}
		if string(room) != "ab" || string(room[:3]) == "abc" {
			t.Fatalf("the first part is %q now", room[:3])
		}
	}
}
