package draw

import (
	"fmt"
	"strings"

	"plat/plat"
)

// shade is a colour and the classes of blocks that have it.
type shade struct {
	color   plat.Color
	classes []string
}

// rgb converts 0x1f5fae to the opaque colour #1f5fae.
func rgb(c uint32) plat.Color { return plat.Color(c<<8 | 0xff) }

// label returns the shade of a label, and kind the shade of some kinds of change.
func label(l plat.Label, c uint32) shade { return shade{rgb(c), []string{LabelClass(l)}} }

func kind(c uint32, kinds ...plat.Kind) shade {
	s := shade{color: rgb(c)}
	for _, k := range kinds {
		s.classes = append(s.classes, KindClass(k))
	}
	return s
}

// labels and kinds are the shades of blocks, in the order of their rules. Each
// contrasts with a white page and with its frequent neighbours.
var (
	labels = []shade{
		label(plat.LabelMain, 0x1f5fae), label(plat.LabelHeading, 0x8c2d9e), label(plat.LabelNavigation, 0xa35a00), label(plat.LabelList, 0x1a7f6b),
		label(plat.LabelForm, 0xb3225a), label(plat.LabelMedia, 0x5a7d00), label(plat.LabelTable, 0x4356c0), label(plat.LabelAdvertisement, 0xc22f1e),
		label(plat.LabelComments, 0x7a5c36), label(plat.LabelSidebar, 0x00778c), label(plat.LabelFooter, 0x5e6670), label(plat.LabelHeader, 0x6a3fb5),
		label(plat.LabelOverlay, 0xb0007a), label(plat.LabelOther, 0x6e7781),
	}
	kinds = []shade{
		kind(0x1a7f37, plat.Added), kind(0xc62828, plat.Removed), kind(0xc77700, plat.Content), kind(0x0969da, plat.Moved),
		kind(0xa8328a, plat.Link, plat.Image), kind(0x8250df, plat.Format), kind(0x6e7781, plat.Volatile, plat.Invisible, plat.Advertisement, SelfChange), kind(0xb8bec5, plat.Same),
	}
)

// ages are the shades of blocks by the age of their content, the youngest
// first. A tint is the opacity of a block's overlay in a replay, out of 255:
// young content is emphasised.
var ages = []struct {
	color plat.Color
	tint  uint8
	name  string
}{
	{rgb(0xd7191c), 0x40, "new in this version"},
	{rgb(0xf46d43), 0x38, "in the latest tenth"},
	{rgb(0xe0a000), 0x30, "in the latest quarter"},
	{rgb(0x5aae61), 0x28, "in the latest half"},
	{rgb(0x3288bd), 0x20, "older"},
	{rgb(0x5e4fa2), 0x18, "since the first version"},
}

// inks are the text colours for kinds of change, on light and on dark
// backgrounds. They are close to the blocks' colours, with the contrast
// required for text (WCAG 2.2 success criterion 1.4.3).
var inks = []struct {
	name        string
	light, dark plat.Color
}{
	{"added", rgb(0x1a7f37), rgb(0x56d364)},
	{"removed", rgb(0xc62828), rgb(0xff8077)},
	{"content", rgb(0x8f4e00), rgb(0xe3a13b)},
	{"moved", rgb(0x0969da), rgb(0x79c0ff)},
	{"target", rgb(0xa8328a), rgb(0xff9bd5)},
	{"format", rgb(0x8250df), rgb(0xc8a2ff)},
	{"quiet", rgb(0x5c646d), rgb(0x9aa4ae)},
}

// colourless is the shade of blocks without a class.
var colourless = rgb(0x555555)

// colors maps classes to colours.
var colors = func() map[string]plat.Color {
	all := map[string]plat.Color{}
	for _, s := range append(append(labels[:len(labels):len(labels)], kinds...), ageShades()...) {
		for _, c := range s.classes {
			all[c] = s.color
		}
	}
	return all
}()

func ageShades() []shade {
	var all []shade
	for i, a := range ages {
		all = append(all, shade{a.color, []string{ageClass(i)}})
	}
	return all
}

// Color returns the outline colour of a class, or grey for an unknown class.
func Color(class string) plat.Color {
	if c, ok := colors[class]; ok {
		return c
	}
	return colourless
}

// perLine is the number of rules per line of the sheet.
const perLine = 4

// CSS returns a rule for each class, which sets the variable --c to its colour.
func CSS() string {
	var lines []string
	for _, shades := range [][]shade{labels, kinds} {
		for i := 0; i < len(shades); i += perLine {
			lines = append(lines, rules(shades[i:min(i+perLine, len(shades))]))
		}
	}
	return strings.Join(append(lines, rules(ageShades())), "\n")
}

func rules(shades []shade) string {
	var all []string
	for _, s := range shades {
		all = append(all, fmt.Sprintf(".%s { --c: %s; }", strings.Join(s.classes, ", ."), s.color))
	}
	return strings.Join(all, " ")
}

// Inks returns declarations of the variables --added and so on: the text colours of kinds of
// change on light backgrounds.
func Inks() string {
	var all []string
	for _, i := range inks {
		all = append(all, fmt.Sprintf("--%s: %s;", i.name, i.light))
	}
	return strings.Join(all, " ")
}

// DarkInks returns [Inks] for dark backgrounds.
func DarkInks() string {
	var all []string
	for _, i := range inks {
		all = append(all, fmt.Sprintf("--%s: %s;", i.name, i.dark))
	}
	return strings.Join(all, " ")
}

// AgeMarks returns a <style> element that outlines and tints elements whose attribute data-plat
// is an age class. It overrides the page's own rules.
func AgeMarks() string {
	var b strings.Builder
	b.WriteString(`<style>[data-plat]{outline:2px solid var(--plat)!important;outline-offset:-2px!important;box-shadow:inset 0 0 0 100vmax var(--plat-tint)!important}`)
	for i, a := range ages {
		fmt.Fprintf(&b, `[data-plat=%s]{--plat:%s;--plat-tint:%s%02x}`, ageClass(i), a.color, a.color, a.tint)
	}
	b.WriteString(`</style>`)
	return b.String()
}
