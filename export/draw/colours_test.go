package draw

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"plat/plat"
)

// classes returns all classes that blocks can have.
func classes() []string {
	var all []string
	for _, l := range plat.Labels {
		all = append(all, LabelClass(l))
	}
	for _, k := range append([]plat.Kind{plat.Same, SelfChange}, plat.Kinds...) {
		all = append(all, KindClass(k))
	}
	for i := range ages {
		all = append(all, ageClass(i))
	}
	return all
}

// ruled returns the colours that a style sheet assigns to classes.
func ruled(t *testing.T, sheet string) map[string]plat.Color {
	t.Helper()
	all := map[string]plat.Color{}
	for _, m := range regexp.MustCompile(`(\.[^{}]+) \{ --c: #([0-9a-f]{6}); \}`).FindAllStringSubmatch(sheet, -1) {
		c, err := strconv.ParseUint(m[2], 16, 24)
		if err != nil {
			t.Fatal(err)
		}
		for _, class := range strings.Split(m[1], ", ") {
			if _, twice := all[class[1:]]; twice {
				t.Errorf("%s has two rules", class)
			}
			all[class[1:]] = rgb(uint32(c))
		}
	}
	return all
}

func TestEveryClassHasTheColourOfItsRule(t *testing.T) {
	rules, want := ruled(t, CSS()), classes()
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(rules)); !slices.Equal(got, want) {
		t.Errorf("the sheet has rules for\n%q, want\n%q", got, want)
	}
	for _, c := range want {
		if rules[c] != Color(c) || Color(c) == colourless {
			t.Errorf("%s is %v in the sheet, %v in pictures", c, rules[c], Color(c))
		}
	}
	if got := Color("label-"); got != colourless {
		t.Errorf("a block without a label is %v", got)
	}
}

func TestAgeMarksHaveTheColoursOfAges(t *testing.T) {
	marks := AgeMarks()
	for i := range ages {
		if want := `[data-plat=` + ageClass(i) + `]{--plat:` + Color(ageClass(i)).String() + `;`; !strings.Contains(marks, want) {
			t.Errorf("there is no %s in %s", want, marks)
		}
	}
}

func TestInksHaveTheContrastThatTextNeeds(t *testing.T) {
	light, dark := rgb(0xffffff), rgb(0x1c2229) // background of cards on pages
	for _, i := range inks {
		if a, b := contrast(i.light, light), contrast(i.dark, dark); a < 4.5 || b < 4.5 {
			t.Errorf("%s has contrast %.2f on light, %.2f on dark; want 4.5", i.name, a, b)
		}
	}
}

// contrast returns the contrast ratio of WCAG 2.2, with sRGB in its simple form.
func contrast(a, b plat.Color) float64 {
	light := func(c plat.Color) float64 {
		sum, weights := 0.0, [3]float64{0.2126, 0.7152, 0.0722}
		r, g, b, _ := c.Channels()
		for i, v := range [3]uint8{r, g, b} {
			x := float64(v) / 255
			sum += weights[i] * x * x * (0.2 + 0.8*x) // within 0.01 of the curve of sRGB
		}
		return sum
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
