package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
)

// SVG writes the drawing as an SVG.
func (d *Drawing) SVG(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" role="img" font-family="sans-serif">`+"\n", d.W, d.H, d.W, d.H)
	fmt.Fprintf(&b, "<title>%s</title>\n<desc>%s</desc>\n<style>%s</style>\n", escape(d.Title), escape(d.About), darkCSS())
	box{w: d.W, h: d.H, tone: paper}.svg(&b)
	for _, s := range d.shapes {
		s.svg(&b)
	}
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}

func (s box) svg(w io.Writer) {
	fmt.Fprintf(w, `<rect x="%.5g" y="%.5g" width="%.5g" height="%.5g" fill="%s" class="f%d"/>`+"\n", s.at.x, s.at.y, s.w, s.h, s.tone.hex(), s.tone)
}

func (s path) svg(w io.Writer) {
	fmt.Fprint(w, `<polyline points="`)
	for i, p := range s.points {
		if i > 0 {
			fmt.Fprint(w, " ")
		}
		fmt.Fprintf(w, "%.5g,%.5g", p.x, p.y)
	}
	fmt.Fprintf(w, `" fill="none" stroke="%s" class="s%d" stroke-width="%g" stroke-linecap="round" stroke-linejoin="round"/>`+"\n", s.tone.hex(), s.tone, s.width)
}

func (s dot) svg(w io.Writer) {
	fmt.Fprintf(w, `<circle cx="%.5g" cy="%.5g" r="%g" fill="%s" class="f%d"/>`+"\n", s.at.x, s.at.y, s.r, s.tone.hex(), s.tone)
}

func (s text) svg(w io.Writer) {
	fmt.Fprintf(w, `<text x="%.5g" y="%.5g" font-size="%g" fill="%s" class="f%d"`, s.at.x, s.at.y, s.size, s.tone.hex(), s.tone)
	if s.bold {
		fmt.Fprint(w, ` font-weight="bold"`)
	}
	if s.anchor != start {
		fmt.Fprintf(w, ` text-anchor="%s"`, s.anchor)
	}
	fmt.Fprintf(w, ">%s</text>\n", escape(s.s))
}

func escape(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	return b.String()
}
