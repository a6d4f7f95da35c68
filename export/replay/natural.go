package replay

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"
)

// naturalSize returns the style by which a frame has the natural size and ratio of a drawing, as an <object> or <embed>
// with that drawing has (CSS Images Module Level 3, section 4.1). Size containment gives a frame the size that its style says.
// fills reports whether the drawing has a ratio only: then it takes the width of its container.
func naturalSize(document []byte) (style string, fills bool) {
	if document = drawingIn(document); document == nil {
		return "", false
	}
	z := nethtml.NewTokenizer(bytes.NewReader(document))
	z.Next()
	t := z.Token()
	width, height := rootLength(&t, "width"), rootLength(&t, "height")
	ratio := 0.0
	box, _ := attr(&t, "viewbox")
	if n := numbers(box); len(n) == 4 && n[2] > 0 && n[3] > 0 {
		ratio = n[2] / n[3]
	}
	switch {
	case width > 0 && height > 0:
		ratio = width / height
	case ratio == 0 && width <= 0 && height <= 0:
		return "", false
	case ratio == 0:
		return containedAs(orElse(width, 300), orElse(height, 150)), false
	case width > 0:
		height = width / ratio
	case height > 0:
		width = height * ratio
	default:
		return containedAs(0, 0) + ";aspect-ratio:" + number(ratio), true
	}
	return containedAs(width, height) + ";aspect-ratio:" + number(ratio), false
}

func containedAs(width, height float64) string {
	return fmt.Sprintf("contain:size;contain-intrinsic-size:%spx %spx", number(width), number(height))
}

func orElse(n, other float64) float64 {
	if n > 0 {
		return n
	}
	return other
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 32) }

// numbers returns those of a list with blanks or commas, nil if there is something else in it.
func numbers(list string) (all []float64) {
	for _, field := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r <= ' ' }) {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return nil
		}
		all = append(all, n)
	}
	return all
}

// rootLength returns the width or height of a drawing by the attributes of its outermost element, px; 0: it has none. Chrome
// does not heed its style.
func rootLength(t *nethtml.Token, name string) float64 {
	value, _ := attr(t, name)
	value = strings.ToLower(strings.TrimSpace(value))
	for unit, px := range map[string]float64{"px": 1, "pt": 4.0 / 3, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "rem": 16} {
		if n := numbers(strings.TrimSuffix(value, unit)); strings.HasSuffix(value, unit) && len(n) == 1 {
			return n[0] * px
		}
	}
	if n := numbers(strings.TrimSuffix(value, "em")); strings.HasSuffix(value, "em") && len(n) == 1 {
		return n[0] * 16
	}
	if n := numbers(value); len(n) == 1 {
		return n[0]
	}
	return 0
}
