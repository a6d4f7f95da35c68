package label

import (
	"strings"
	"testing"

	"plat/plat"
)

func TestScriptsAtTheirEdges(t *testing.T) {
	for _, tc := range []struct {
		from, to rune
		want     script
	}{
		{'a', 0x24f, latin}, {0x250, 0x3ff, other}, {0x400, 0x52f, cyrillic}, {0x530, 0xdff, other}, {0xe00, 0xeff, joined}, {0xf00, 0xfff, other},
		{0x1000, 0x109f, joined}, {0x10a0, 0x10ff, other}, {0x1100, 0x11ff, hangul}, {0x1200, 0x177f, other}, {0x1780, 0x17ff, joined}, {0x1800, 0x1dff, other},
		{0x1e00, 0x1eff, latin}, {0x1f00, 0x3004, other}, {0x3005, 0x3005, han}, {0x3006, 0x3006, other}, {0x3007, 0x3007, han}, {0x3008, 0x3040, other},
		{0x3041, 0x309f, kana}, {0x30a0, 0x30a0, other}, {0x30a1, 0x30fa, kana}, {0x30fb, 0x30fb, other}, {0x30fc, 0x30ff, kana}, {0x3100, 0x312f, other},
		{0x3130, 0x318f, hangul}, {0x3190, 0x33ff, other}, {0x3400, 0x4dbf, han}, {0x4dc0, 0x4dff, other}, {0x4e00, 0x9fff, han}, {0xa000, 0xabff, other},
		{0xac00, 0xd7af, hangul}, {0xd7b0, 0xd7ff, other}, {0xe000, 0xf8ff, other}, {0xf900, 0xfaff, han}, {0xfb00, 0xff65, other}, {0xff66, 0xff9f, kana},
		{0xffa0, 0xffff, other}, {0x1ff00, 0x1ffff, other}, {0x20000, 0x323af, han}, {0x323b0, 0x323ff, other},
	} {
		for r := tc.from; r <= tc.to; r++ {
			if got := scriptOf(r); got != tc.want {
				t.Fatalf("%U is of script %d, want %d", r, got, tc.want)
			}
		}
	}
}

func TestLanguagesAreReadFromTags(t *testing.T) {
	for tag, want := range map[string]string{
		"de": "de", " DE-at ": "de", "zh_CN": "zh", "zh-Hant-TW": "zh", "cmn": "zh", "nb-NO": "no", "cn": "zh", "de, en": "de", "de;q=1": "de", "haw": "haw",
		"": "", "d": "", "germ": "", "und": "", "mul": "", "zxx": "", "d1": "", "a`": "", "a{": "", "az": "az", "-de": "",
	} {
		if got := baseLanguage(tag); got != want {
			t.Errorf("%q is %q, want %q", tag, got, want)
		}
	}
}

func TestLandmarksOfElements(t *testing.T) {
	for _, tc := range []struct {
		name, attr string
		up, want   role
	}{
		{"div", "", roleNone, roleNone}, {"div", "", roleMain, roleMain}, {"div", " Navigation ", roleMain, roleNavigation}, {"div", "unknown", roleMain, roleMain},
		{"nav", "unknown", roleNone, roleNavigation}, {"nav", "search", roleNone, roleForm}, {"menu", "", roleMain, roleNavigation}, {"main", "", roleNone, roleMain},
		{"article", "", roleMain, roleArticle}, {"aside", "", roleMain, roleComplementary}, {"search", "", roleNone, roleForm}, {"form", "", roleNone, roleNone},
		{"dialog", "", roleNone, roleDialog}, {"figure", "", roleNone, roleFigure},
		{"header", "", roleNone, roleBanner}, {"footer", "", roleNone, roleContentinfo}, {"header", "", roleForm, roleBanner}, {"footer", "", roleForm, roleContentinfo},
		{"header", "", roleArticle, roleArticle}, {"footer", "", roleMain, roleMain},
	} {
		n := plat.Node{Name: tc.name}
		if tc.attr != "" {
			n.Attrs = []plat.Attr{{Name: "role", Value: tc.attr}}
		}
		if got := roleOf(&n, tc.up); got != tc.want {
			t.Errorf("<%s role=%q> in %d is %d, want %d", tc.name, tc.attr, tc.up, got, tc.want)
		}
	}
}

func TestHintsOfNames(t *testing.T) {
	d := &Describer{hints: newHints()}
	of := func(all ...hint) (s hintSet) {
		for _, h := range all {
			s |= 1 << h
		}
		return s
	}
	for name, want := range map[string]hintSet{
		"": 0, "x": 0, "ad": of(hintAd), "top-nav sidebar": of(hintNavigation, hintSidebar), "mainNav": of(hintNavigation), "ad12": of(hintAd), "ga3c1ad07": 0, "ad-123": 0, "ad-123 sidebar": of(hintSidebar),
		"sidebar123": of(hintSidebar), "toc99": of(hintNavigation), strings.Repeat("x", 505) + " footer": of(hintFooter), strings.Repeat("x", 506) + " footer": 0,
	} {
		if got := d.hintsIn(name); got != want {
			t.Errorf("%.30q has the hints %b, want %b", name, got, want)
		}
	}
	n := plat.Node{Attrs: []plat.Attr{{Name: "class", Value: "menu"}, {Name: "id", Value: "ad"}, {Name: "title", Value: "footer"}}}
	if got := d.hintsOf(&n); got != of(hintNavigation, hintAd) || !got.has(hintAd) || got.has(hintFooter) {
		t.Errorf("an element has the hints %b", got)
	}
}

func TestAddressesAndSizesOfAdvertisements(t *testing.T) {
	for url, want := range map[string]bool{
		"https://ad.doubleclick.net/x": true, "https://doubleclick/": false, "https://cdn.taboola.com/": true, "https://a.test/": false, "": false,
		"https://a.test/" + strings.Repeat("x", 512) + "doubleclick.": false,
	} {
		if got := adHost(url); got != want {
			t.Errorf("%.40s: %v", url, got)
		}
	}
	for r, want := range map[plat.Rect]bool{
		{W: 728, H: 90}: true, {W: 730, H: 92}: true, {W: 726, H: 88}: true, {W: 730.5, H: 90}: false, {W: 725.5, H: 90}: false, {W: 728, H: 92.5}: false, {W: 728, H: 87.5}: false,
		{W: 90, H: 728}: false, {W: 300, H: 1050}: true, {}: false,
	} {
		if got := adSize(r); got != want {
			t.Errorf("%v: %v", r, got)
		}
	}
}

func TestWritingOfLanguages(t *testing.T) {
	for _, tc := range []struct {
		code string
		s    script
		want bool
	}{
		{"de", latin, true}, {"de", cyrillic, false}, {"ja", han, true}, {"ja", kana, true}, {"ja", latin, false}, {"sr", latin, true}, {"sr", cyrillic, true}, {"ru", latin, false}, {"xx", latin, true},
	} {
		if got := writtenIn(tc.code, tc.s); got != tc.want {
			t.Errorf("%s in script %d: %v", tc.code, tc.s, got)
		}
	}
	letters, total := countScripts([]string{"aZ[@`{1", "äж日", "かなカ한"})
	if letters[latin] != 3 || letters[cyrillic] != 1 || letters[han] != 1 || letters[kana] != 3 || letters[hangul] != 1 || total != 9 {
		t.Errorf("letters %v, %d in all", letters, total)
	}
	if _, total := countScripts([]string{strings.Repeat("a", 7999), "bc", "d"}); total != 8000 {
		t.Errorf("%d letters are counted", total)
	}
	if _, total := countScripts([]string{strings.Repeat("1", 8000), "a"}); total != 0 {
		t.Errorf("%d letters after the sample are counted", total)
	}
}
