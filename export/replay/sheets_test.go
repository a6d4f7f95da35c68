package replay

import (
	"testing"

	"plat/plat"
)

// Players know references by url(…) and @import only, and states by no selector.
func TestSheetsOfExportsAreWrittenForPlayers(t *testing.T) {
	m := plat.Manifest{{URL: "http://a.test/a.png", Type: "image/png", Size: 1}}
	state := &plat.PageState{States: []plat.PlacedText{{Path: []int32{0}, Text: "state-on"}}}
	for in, want := range map[string]string{
		`p{background:image-set("a.png" 1x, url(a.png) 2x)}`:   `p{background:image-set(url("http://a.test/a.png") 1x, url("http://a.test/a.png") 2x)}`,
		`p{background:im\61ge-set(url(a.png) 1x)}`:             `p{background:image-set(url("http://a.test/a.png") 1x)}`,
		`p{background:u\72l(http://x.test/b.png)}`:             `p{background:url("data:,")}`,
		`x-a:state( on ) b{content:":state(on)"/*:state(x)*/}`: `x-a:is([data-plat-state~=state-on]) b{content:":state(on)"/*:state(x)*/}`,
		`input:user-invalid{color:red}`:                        `input:is([data-plat-state~=user-invalid]){color:red}`,
		`p{background:url(a.png)}`:                             "",
	} {
		got, changed := SheetAlone(m, state, false, "http://a.test/s.css", in)
		switch {
		case want == "" && changed:
			t.Errorf("%s is changed: %s", in, got)
		case want != "" && got != want:
			t.Errorf("%s\nbecomes %s\nwant    %s", in, got, want)
		}
	}
}
