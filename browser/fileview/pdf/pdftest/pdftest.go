// Package pdftest makes PDF documents for tests.
package pdftest

import (
	"bytes"
	"fmt"
	"strings"
)

// Document returns a PDF document with a title, and a page for each text. The texts are of ASCII characters; a line feed ends a
// line.
func Document(title string, pages ...string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(at)}, args...)...)
	}
	literal := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`)
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids []string
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 5+2*i))
	}
	object("<< /Type /Pages /Count %d /Kids [%s] >>", len(pages), strings.Join(kids, " "))
	object("<< /Title (%s) >>", literal.Replace(title))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	for i, text := range pages {
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents %d 0 R >>", 6+2*i)
		var lines strings.Builder
		for line := range strings.SplitSeq(text, "\n") {
			fmt.Fprintf(&lines, "(%s) Tj 0 -16 Td ", literal.Replace(line))
		}
		stream := "BT /F1 12 Tf 72 770 Td " + lines.String() + "ET"
		object("<< /Length %d >>\nstream\n%s\nendstream", len(stream), stream)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 3 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return b.Bytes()
}
