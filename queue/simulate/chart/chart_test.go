package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// label is a text of an SVG.
type label struct {
	s              string
	bold           bool
	x0, y0, x1, y1 float64
}

// labels parses an SVG and returns its texts and its size.
func labels(t *testing.T, svg []byte) (all []label, w, h float64) {
	t.Helper()
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var doc struct {
		W     string `xml:"width,attr"`
		H     string `xml:"height,attr"`
		Font  string `xml:"font-family,attr"`
		Title string `xml:"title"`
		Style string `xml:"style"`
		Texts []struct {
			X      string `xml:"x,attr"`
			Y      string `xml:"y,attr"`
			Size   string `xml:"font-size,attr"`
			Weight string `xml:"font-weight,attr"`
			Anchor string `xml:"text-anchor,attr"`
			S      string `xml:",chardata"`
		} `xml:"text"`
	}
	if err := xml.Unmarshal(svg, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Font != "sans-serif" || doc.Title == "" || !strings.Contains(doc.Style, "prefers-color-scheme: dark") {
		t.Errorf("font %q, title %q, style %q", doc.Font, doc.Title, doc.Style)
	}
	for _, x := range doc.Texts {
		at, y, size := number(x.X), number(x.Y), number(x.Size)
		l := label{s: x.S, bold: x.Weight == "bold", y0: y - 0.75*size, y1: y + 0.22*size}
		wide := width(x.S, size, l.bold)
		switch anchor(x.Anchor) {
		case middle:
			at -= wide / 2
		case end:
			at -= wide
		}
		l.x0, l.x1 = at, at+wide
		all = append(all, l)
	}
	return all, number(doc.W), number(doc.H)
}

// made returns a chart of so many policies and budgets, whose values are far apart or close together.
func made(seed uint64, names, budgets int) *Chart {
	r := rand.New(rand.NewPCG(seed, 1))
	c := &Chart{Title: "A <title> & more", Subtitle: "of nothing", XName: "visits per change"}
	for i := range names {
		c.Names = append(c.Names, fmt.Sprintf("policy-%d", i))
	}
	x := 0.0
	for range budgets {
		x += 0.01 + 3*r.Float64()
		c.X = append(c.X, x)
	}
	for k, size := range []float64{100, 1, 1e-9, 30_000} {
		p := Panel{Name: fmt.Sprint("measure ", k), Unit: "% of something", Format: "%.2f %%", Lower: k%2 == 1}
		for range names {
			values := make([]float64, budgets)
			for j := range values {
				values[j] = size * math.Pow(r.Float64(), float64(seed%4)) // the power 0: all are equal
			}
			p.Values = append(p.Values, values)
		}
		c.Panels = append(c.Panels, p)
	}
	return c
}

func TestLabelsNameAllAndNeverOverlap(t *testing.T) {
	for seed := range uint64(60) {
		c := made(seed, 1+int(seed%13), 1+int(seed%3)*int(seed%7))
		d, err := c.Draw()
		if err != nil {
			t.Fatal(err)
		}
		var svg, again, image bytes.Buffer
		if err := d.Write(&svg, "a.SVG"); err != nil {
			t.Fatal(err)
		}
		all, w, h := labels(t, svg.Bytes())
		for i, a := range all {
			if a.x0 < 0 || a.y0 < 0 || a.x1 > w || a.y1 > h {
				t.Errorf("seed %d: %+v is outside of %v by %v", seed, a, w, h)
			}
			for _, b := range all[:i] {
				if a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 {
					t.Errorf("seed %d: %+v overlaps %+v", seed, a, b)
				}
			}
		}
		for _, name := range c.Names {
			times := 0
			for _, l := range all {
				if first, _, _ := strings.Cut(l.s, " "); first == name {
					times++
				}
			}
			if want := map[bool]int{true: 1, false: len(c.Panels)}[len(c.X) == 1]; times != want {
				t.Errorf("seed %d: %s is named %d times, want %d", seed, name, times, want)
			}
		}
		if d, err = made(seed, len(c.Names), len(c.X)).Draw(); err != nil || d.SVG(&again) != nil || !bytes.Equal(svg.Bytes(), again.Bytes()) {
			t.Errorf("seed %d: equal charts are different SVGs (%v)", seed, err)
		}
		if seed%10 != 0 {
			continue
		}
		if err := d.Write(&image, "a.png"); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&image)
		if err != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() != int(w)*Scale || b.Dy() != int(h)*Scale {
			t.Errorf("seed %d: the PNG is %v, the SVG %v by %v", seed, b, w, h)
		}
	}
}

// The same shapes are in both: where the SVG has a bar, the PNG has its colour.
func TestBothFormatsShowTheSame(t *testing.T) {
	d, err := made(1, 3, 1).Draw()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := d.PNG(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	bars := 0
	for _, s := range d.shapes {
		if s, ok := s.(box); ok && s.tone != paper && s.w > 2 {
			bars++
			if got := img.At(int((s.at.x+s.w/2)*Scale), int((s.at.y+s.h/2)*Scale)); got != s.tone.light() {
				t.Errorf("the middle of %+v is %v", s, got)
			}
		}
	}
	if bars == 0 {
		t.Error("no bars")
	}
}

func TestTheBestComesFirstAndIsBold(t *testing.T) {
	c := &Chart{Title: "t", Names: []string{"a", "b", "c"}, X: []float64{1}, Panels: []Panel{
		{Name: "more", Format: "%.0f", Values: [][]float64{{2}, {3}, {1}}},
		{Name: "less", Format: "%.0f s", Lower: true, Values: [][]float64{{20}, {30}, {10}}},
	}}
	d, err := c.Draw()
	if err != nil {
		t.Fatal(err)
	}
	var names, bold []string
	for _, s := range d.shapes {
		if s, ok := s.(text); ok && s.size == textSize {
			if slices.Contains(c.Names, s.s) {
				names = append(names, s.s)
			}
			if s.bold {
				bold = append(bold, s.s)
			}
		}
	}
	if got := strings.Join(names, " "); got != "b a c" {
		t.Errorf("rows: %s", got)
	}
	if got := strings.Join(bold, ", "); got != "b, 3, 10 s" {
		t.Errorf("bold: %s", got)
	}
}

func TestWhatCannotBeDrawnIsRefused(t *testing.T) {
	for name, change := range map[string]func(*Chart){
		"no names":             func(c *Chart) { c.Names = nil },
		"no places":            func(c *Chart) { c.X = nil },
		"no panels":            func(c *Chart) { c.Panels = nil },
		"a value is missing":   func(c *Chart) { c.Panels[0].Values = c.Panels[0].Values[1:] },
		"not a number":         func(c *Chart) { c.Panels[0].Values[0][0] = math.NaN() },
		"below nothing":        func(c *Chart) { c.Panels[0].Values[0][0] = -1 },
		"without end":          func(c *Chart) { c.Panels[0].Values[0][0] = math.Inf(1) },
		"a place at 0":         func(c *Chart) { c.X[0] = 0 },
		"places not ascending": func(c *Chart) { c.X[1] = c.X[0] },
	} {
		c := made(1, 2, 2)
		change(c)
		if _, err := c.Draw(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, name := range []string{"a.pdf", "svg", "", "a.png.gz"} {
		if _, err := Format(name); err == nil || !strings.Contains(err.Error(), ".svg or .png") {
			t.Errorf("Format(%q): %v", name, err)
		}
	}
}

func TestTicksAreFewAndRound(t *testing.T) {
	for _, tc := range []struct {
		from, to float64
		about    int
		want     string
	}{
		{0, 78.7, 4, "0 20 40 60"},
		{0, 1.1, 4, "0 0.5 1"},
		{36, 91, 5, "40 50 60 70 80 90"},
		{0.78, 0.81, 5, "0.78 0.79 0.8 0.81"},
		{5, 5, 5, "5"},
	} {
		var got []string
		for _, v := range ticks(tc.from, tc.to, tc.about) {
			got = append(got, tick(v))
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%v to %v: %s, want %s", tc.from, tc.to, s, tc.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 10_000 {
		from := 1000 * r.Float64()
		to := from + math.Pow(10, 12*r.Float64()-6)
		if n := len(ticks(from, to, 5)); n < 2 || n > 6 {
			t.Fatalf("%v to %v: %d ticks", from, to, n)
		}
	}
}

func TestApartMovesAsLittleAsCanBe(t *testing.T) {
	for _, tc := range []struct{ wanted, want []float64 }{
		{[]float64{10, 50}, []float64{10, 50}},
		{[]float64{50, 50}, []float64{45, 55}},
		{[]float64{50, 48, 90}, []float64{54, 44, 90}},
		{[]float64{0, 0, 0}, []float64{0, 10, 20}},
		{[]float64{100, 99, 98}, []float64{100, 90, 80}},
		{[]float64{30, 42, 31}, []float64{24.333333333333332, 44.333333333333336, 34.333333333333336}},
	} {
		if got := apart(tc.wanted, 10, 0, 100); fmt.Sprintf("%.3f", got) != fmt.Sprintf("%.3f", tc.want) {
			t.Errorf("apart(%v) = %v, want %v", tc.wanted, got, tc.want)
		}
	}
}

// Texts and lines have the contrast of 4.5 to 1 that WCAG requires of texts; bars have 1.9, as
// their lengths are written beside them.
func TestColoursAreLegibleOnLightAndDarkPaper(t *testing.T) {
	luminance := func(c uint32) float64 {
		l := 0.0
		for shift, weight := range map[int]float64{16: 0.2126, 8: 0.7152, 0: 0.0722} {
			v := float64(c>>shift&0xff) / 255
			if v <= 0.04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			l += weight * v
		}
		return l
	}
	for i, c := range tones {
		least := 4.5
		switch tone(i) {
		case paper, grid:
			continue
		case bar:
			least = 1.9
		}
		for scheme := range c {
			a, b := luminance(c[scheme]), luminance(tones[paper][scheme])
			if got := (max(a, b) + 0.05) / (min(a, b) + 0.05); got < least {
				t.Errorf("tone %d, scheme %d: contrast %.2f", i, scheme, got)
			}
		}
	}
}
