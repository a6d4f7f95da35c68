package fileview

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime"
	"slices"
	"strconv"
	"strings"

	"plat/browser/fileview/pdf"
	"plat/plat"
)

// A document is a file whose bytes are no text: a book, a sheet, an archive.
type document struct {
	title string
	facts [][2]string
	parts []part
}

// part is a part of a document: a page, a sheet, a slide.
type part struct {
	name  string
	lines []string   // paragraphs
	rows  [][]string // of a table, in place of lines
}

// Limits of what is read of a document. Files beyond them are hostile, or too long for a page: the rest is left out, and the page says so.
const (
	maxUnpacked = 64 << 20 // bytes of the entries of a ZIP file that are read
	maxText     = 8 << 20  // bytes of text
	maxListed   = 5000     // entries of an archive
	maxTitle    = 1000     // bytes
	maxCell     = 64 << 10 // bytes of a cell; Excel writes at most 32,767 characters
)

var errTooMuch = errors.New("more than plat reads")

const documentStyle = `body{font:16px/1.5 sans-serif;max-width:50em;margin:24px auto;padding:0 16px}h2{font-size:16px;color:#555;margin:24px 0 8px}` +
	`dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;color:#555;font-size:14px}dd{margin:0;overflow-wrap:anywhere}` +
	`p{margin:8px 0;white-space:pre-wrap;overflow-wrap:anywhere}table{border-collapse:collapse}td{border:1px solid #ccc;padding:2px 8px;vertical-align:top}`

// DocumentPage returns the page of a file that is no text: its name, what is known of it, and the text of it that plat can
// read. The hash is part of it, so that each change of the file is a change of the page.
//
// The text of a PDF document may take seconds; ctx ends that.
// It returns an error if the text could be read at a better time: the page depends on the bytes alone.
func DocumentPage(ctx context.Context, f *File) (page string, err error) {
	media, _, _ := mime.ParseMediaType(f.ContentType)
	d, err := readDocument(ctx, f.Data)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	title := f.Name()
	if d.title != "" {
		title = d.title
	}
	b.WriteString(head(title, documentStyle))
	b.WriteString("<header><h1>" + escape(title) + "</h1><dl>")
	facts := [][2]string{{"File", f.Name()}, {"Type", typeName(media, f.extension())}, {"Size", bytesOf(len(f.Data))}}
	for _, fact := range slices.Concat(facts, d.facts, [][2]string{{"SHA-256", plat.HashOf(f.Data).String()}}) {
		b.WriteString("<dt>" + escape(fact[0]) + "</dt><dd>" + escape(fact[1]) + "</dd>")
	}
	b.WriteString("</dl></header>\n<main>")
	free := maxText
	for _, p := range d.parts {
		b.WriteString("<section>")
		if p.name != "" {
			b.WriteString("<h2>" + escape(p.name) + "</h2>")
		}
		for _, line := range p.lines {
			if free -= len(line); free < 0 {
				break
			}
			b.WriteString("<p>" + escape(line) + "</p>")
		}
		if len(p.rows) > 0 {
			b.WriteString("<table>")
			for _, row := range p.rows {
				b.WriteString("<tr>")
				for _, cell := range row {
					if free -= len(cell) + 9; free >= 0 {
						b.WriteString("<td>" + escape(cell) + "</td>")
					}
				}
				b.WriteString("</tr>")
			}
			b.WriteString("</table>")
		}
		b.WriteString("</section>\n")
		if free < 0 {
			b.WriteString("<p>The rest of the text is left out.</p>")
			break
		}
	}
	b.WriteString("</main></body></html>")
	return b.String(), nil
}

// bytesOf writes a number of bytes in groups of three digits.
func bytesOf(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s + " bytes"
}

// typeNames are the names of common types, by media type and by extension.
var typeNames = map[string]string{
	"application/pdf": "PDF document", ".pdf": "PDF document",
	"application/zip": "ZIP archive", ".zip": "ZIP archive", "application/x-zip-compressed": "ZIP archive",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word document", ".docx": "Word document",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel sheet", ".xlsx": "Excel sheet",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint slides", ".pptx": "PowerPoint slides",
	"application/vnd.oasis.opendocument.text": "OpenDocument text", ".odt": "OpenDocument text",
	"application/vnd.oasis.opendocument.spreadsheet": "OpenDocument sheet", ".ods": "OpenDocument sheet",
	"application/vnd.oasis.opendocument.presentation": "OpenDocument slides", ".odp": "OpenDocument slides",
	"application/msword": "Word document (97 to 2003)", "application/vnd.ms-excel": "Excel sheet (97 to 2003)",
	"application/epub+zip": "EPUB book", ".epub": "EPUB book", "application/gzip": "gzip file", "application/x-tar": "tar archive",
}

// typeName returns the name of a type for readers: "PDF document (application/pdf)".
func typeName(media, extension string) string {
	name, ok := typeNames[media]
	if !ok && (media == "" || strings.HasSuffix(media, "octet-stream") || strings.HasSuffix(media, "download")) {
		name = typeNames[extension]
	}
	switch {
	case name != "" && media != "":
		return name + " (" + media + ")"
	case name != "":
		return name
	case media != "":
		return media
	}
	return "unknown"
}

// readDocument reads what is known of a file: its title, properties and text. Of a file that it cannot read, it is
// empty.
func readDocument(ctx context.Context, data []byte) (*document, error) {
	switch {
	case isPDF(data):
		return readPDF(ctx, data)
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("PK\x05\x06")):
		if z, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
			u := &unpacker{ctx, maxUnpacked}
			d := u.document(z)
			return d, context.Cause(ctx)
		}
	}
	return &document{}, nil
}

// isPDF reports whether a file is a PDF document: readers look for its mark in the first 1,024 bytes.
func isPDF(data []byte) bool { return bytes.Contains(data[:min(1024, len(data))], []byte("%PDF-")) }

// readPDF reads a PDF document (ISO 32000).
func readPDF(ctx context.Context, data []byte) (*document, error) {
	read, err := pdf.Read(ctx, data)
	d := &document{}
	if read != nil {
		d.title = read.Title
		d.facts = append(d.facts, [2]string{"Pages", strconv.Itoa(read.Count)})
		for i, text := range read.Pages {
			d.parts = append(d.parts, part{name: "Page " + strconv.Itoa(i+1), lines: joined(text)})
		}
	}
	switch {
	case errors.Is(err, pdf.ErrLater):
		return nil, err
	case errors.Is(err, pdf.ErrLocked):
		d.facts = append(d.facts, [2]string{"Text", "not known: " + err.Error()})
	case err != nil:
		d.facts = append(d.facts, [2]string{"Text", "not known, or incomplete: the document is damaged, or too large"})
	case read.Count > len(read.Pages):
		d.facts = append(d.facts, [2]string{"Text", fmt.Sprintf("of the first %d pages", len(read.Pages))})
	}
	return d, nil
}

// joined joins the visual lines of a page to paragraphs: one ends at an empty line, at a line that is much shorter than
// others, and before a line that begins as an entry of a list.
func joined(text string) (paragraphs []string) {
	lines := strings.Split(text, "\n")
	longest := 0
	for _, line := range lines {
		longest = max(longest, len(strings.TrimSpace(line)))
	}
	var b strings.Builder
	end := func() {
		if b.Len() > 0 {
			paragraphs = append(paragraphs, b.String())
			b.Reset()
		}
	}
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "•") || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "– ") {
			end()
		}
		if line == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
		if len(line) < longest*3/4 {
			end()
		}
	}
	end()
	return paragraphs
}

// unpacker reads entries of a ZIP file, of all together at most so many bytes.
type unpacker struct {
	ctx  context.Context
	left int64
}

// document reads an office document (ECMA-376, OpenDocument 1.3), or lists the entries of any other ZIP file.
func (u *unpacker) document(z *zip.Reader) *document {
	byName := map[string]*zip.File{}
	for _, f := range z.File {
		byName[f.Name] = f
	}
	d := &document{}
	switch {
	case byName["word/document.xml"] != nil:
		d.parts = []part{{lines: u.paragraphs(byName["word/document.xml"], officeWords)}}
		d.title = u.propertyOf(byName["docProps/core.xml"], "title")
	case byName["xl/workbook.xml"] != nil:
		d.parts = u.sheets(byName)
		d.title = u.propertyOf(byName["docProps/core.xml"], "title")
	case byName["ppt/presentation.xml"] != nil:
		for n := 1; byName[slideName(n)] != nil && u.left > 0; n++ {
			d.parts = append(d.parts, part{name: fmt.Sprintf("Slide %d", n), lines: u.paragraphs(byName[slideName(n)], officeWords)})
		}
		d.title = u.propertyOf(byName["docProps/core.xml"], "title")
	case byName["content.xml"] != nil && byName["mimetype"] != nil:
		d.parts = []part{{lines: u.paragraphs(byName["content.xml"], openWords)}}
		d.title = u.propertyOf(byName["meta.xml"], "title")
	default:
		list := part{name: "Content"}
		for i, f := range z.File {
			if i == maxListed {
				break
			}
			list.rows = append(list.rows, []string{f.Name, strconv.FormatUint(f.UncompressedSize64, 10)})
		}
		d.facts = [][2]string{{"Entries", strconv.Itoa(len(z.File))}}
		d.parts = []part{list}
	}
	return d
}

func slideName(n int) string { return fmt.Sprintf("ppt/slides/slide%d.xml", n) }

// words says which elements of a document are its text.
type words struct {
	paragraph, text map[string]bool // local names
	all             bool            // all text in a paragraph counts, not only that in text
}

var (
	officeWords = words{paragraph: map[string]bool{"p": true}, text: map[string]bool{"t": true}}
	openWords   = words{paragraph: map[string]bool{"p": true, "h": true}, all: true}
)

// walk calls yield for each token of an entry of XML, until the entry ends, is no XML, or is too long.
func (u *unpacker) walk(f *zip.File, yield func(xml.Token)) {
	if f == nil {
		return
	}
	r, err := f.Open()
	if err != nil {
		return
	}
	defer r.Close()
	for d := xml.NewDecoder(&limited{r, u}); ; {
		t, err := d.RawToken()
		if err != nil {
			return
		}
		yield(t)
	}
}

// limited is an entry that ends with an error where the unpacker has read enough, or its context ends.
type limited struct {
	r io.Reader
	u *unpacker
}

func (l *limited) Read(b []byte) (int, error) {
	if l.u.left <= 0 || l.u.ctx.Err() != nil {
		return 0, errTooMuch
	}
	n, err := l.r.Read(b[:min(int64(len(b)), l.u.left)])
	l.u.left -= int64(n)
	return n, err
}

// paragraphs returns the paragraphs of an entry that have text.
func (u *unpacker) paragraphs(f *zip.File, w words) (all []string) {
	var b strings.Builder
	depth, texts, total := 0, 0, 0
	end := func() {
		if line := strings.TrimSpace(b.String()); line != "" && total <= maxText {
			total += len(line)
			all = append(all, line)
		}
		b.Reset()
	}
	u.walk(f, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			switch {
			case w.paragraph[t.Name.Local]:
				if depth++; depth > 1 { // in a text box
					end()
				}
			case w.text[t.Name.Local]:
				texts++
			case t.Name.Local == "tab":
				b.WriteByte('\t')
			case t.Name.Local == "br", t.Name.Local == "line-break":
				b.WriteByte('\n')
			case t.Name.Local == "s" && w.all:
				b.WriteByte(' ')
			}
		case xml.EndElement:
			switch {
			case w.paragraph[t.Name.Local]:
				depth--
				end()
			case w.text[t.Name.Local]:
				texts--
			}
		case xml.CharData:
			if depth > 0 && (w.all || texts > 0) && b.Len() < maxText {
				b.Write(t)
			}
		}
	})
	end()
	return all
}

// propertyOf returns the text of the first element with a local name.
func (u *unpacker) propertyOf(f *zip.File, name string) (text string) {
	inside, done := false, false
	u.walk(f, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			inside = inside || !done && t.Name.Local == name
		case xml.EndElement:
			if inside && t.Name.Local == name {
				inside, done = false, true
			}
		case xml.CharData:
			if inside && len(text) < maxTitle {
				text += string(t[:min(len(t), maxTitle)])
			}
		}
	})
	return strings.TrimSpace(strings.ToValidUTF8(text[:min(len(text), maxTitle)], ""))
}

// sharedStrings returns the strings to which the cells of a workbook refer.
func (u *unpacker) sharedStrings(f *zip.File) (all []string) {
	var b strings.Builder
	total, in := 0, 0
	u.walk(f, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			if t.Name.Local == "t" {
				in++
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "t":
				in--
			case "si":
				if total += b.Len(); total <= 4*maxText {
					all = append(all, b.String())
				}
				b.Reset()
			}
		case xml.CharData:
			if in > 0 && b.Len() < maxCell {
				b.Write(t)
			}
		}
	})
	return all
}

// sheets returns the sheets of a workbook, in the order of their files, as tables of the values that are stored.
func (u *unpacker) sheets(byName map[string]*zip.File) (all []part) {
	shared := u.sharedStrings(byName["xl/sharedStrings.xml"])
	cells := 0
	for n := 1; ; n++ {
		f := byName["xl/worksheets/sheet"+strconv.Itoa(n)+".xml"]
		if f == nil || cells > maxCells {
			return all
		}
		p := part{name: "Sheet " + strconv.Itoa(n)}
		var row []string
		kind, value := "", strings.Builder{}
		reading := false
		u.walk(f, func(t xml.Token) {
			switch t := t.(type) {
			case xml.StartElement:
				switch t.Name.Local {
				case "c":
					kind = ""
					value.Reset()
					for _, a := range t.Attr {
						switch a.Name.Local {
						case "t":
							kind = a.Value
						case "r": // cells without a value are left out
							for column := columnOf(a.Value); len(row) < min(column, maxColumns); {
								row = append(row, "")
							}
						}
					}
				case "v", "t":
					reading = true
				}
			case xml.EndElement:
				switch t.Name.Local {
				case "v", "t":
					reading = false
				case "c":
					text := value.String()
					if i, err := strconv.Atoi(text); kind == "s" && err == nil && 0 <= i && i < len(shared) {
						text = shared[i]
					}
					if len(row) < maxColumns {
						row = append(row, text)
					}
				case "row":
					if cells += len(row); cells <= maxCells && len(row) > 0 {
						p.rows = append(p.rows, row)
					}
					row = nil
				}
			case xml.CharData:
				if reading && value.Len() < maxCell {
					value.Write(t)
				}
			}
		})
		all = append(all, p)
	}
}

// columnOf returns the number of the column of a cell's reference, from 0: 27 of "AB7".
func columnOf(ref string) (n int) {
	for _, c := range ref {
		if c < 'A' || 'Z' < c || n > maxColumns {
			break
		}
		n = n*26 + int(c-'A') + 1
	}
	return n - 1
}
