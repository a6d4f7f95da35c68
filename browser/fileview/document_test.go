package fileview

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"plat/browser/fileview/pdf/pdftest"
)

// zipOf returns a ZIP file with some entries.
func zipOf(t testing.TB, entries map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range entries {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(content))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func documentPage(t testing.TB, f *File) string {
	t.Helper()
	page, err := DocumentPage(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestDocumentPage(t *testing.T) {
	const core = `<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>Tide tables</dc:title></cp:coreProperties>`
	for _, c := range []struct {
		name, kind, file string
		data             []byte
		want             []string
	}{
		{"PDF", "application/pdf", "report.pdf", pdftest.Document("Tides of 2026", "High water at six", "Low water at noon"), []string{
			"<h1>Tides of 2026</h1>", "<dd>report.pdf</dd>", "PDF document (application/pdf)", "<dt>Pages</dt><dd>2</dd>", "<h2>Page 2</h2>", "<p>Low water at noon</p>"}},
		{"a damaged PDF", "application/pdf", "r.pdf", []byte("%PDF-1.4\nthat is all"), []string{"<h1>r.pdf</h1>", "<dd>20 bytes</dd>", "damaged"}},
		{"Word", "application/octet-stream", "t.docx", zipOf(t, map[string]string{
			"word/document.xml": `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>High </w:t></w:r><w:r><w:t>water</w:t></w:r></w:p><w:p/><w:p><w:r><w:t>A</w:t><w:tab/><w:t>&lt;b&gt;</w:t></w:r></w:p></w:body></w:document>`,
			"docProps/core.xml": core}), []string{"<h1>Tide tables</h1>", "Word document (application/octet-stream)", "<p>High water</p><p>A\t&lt;b&gt;</p>"}},
		{"Excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "t.xlsx", zipOf(t, map[string]string{
			"xl/workbook.xml": "<workbook/>", "xl/sharedStrings.xml": `<sst><si><t>Port</t></si><si><r><t>Ti</t></r><r><t>de</t></r></si></sst>`,
			"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row><c r="A2" t="inlineStr"><is><t>Au</t></is></c><c r="B2"><v>4.5</v></c></row></sheetData></worksheet>`}),
			[]string{"<tr><td>Port</td><td></td><td>Tide</td></tr><tr><td>Au</td><td>4.5</td></tr>"}},
		{"PowerPoint", "", "t.pptx", zipOf(t, map[string]string{"ppt/presentation.xml": "<p/>",
			"ppt/slides/slide1.xml": `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>First</a:t></a:r></a:p></p:sld>`, "ppt/slides/slide2.xml": `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>Second</a:t></a:r></a:p></p:sld>`}),
			[]string{"<dd>PowerPoint slides</dd>", "<h2>Slide 2</h2><p>Second</p>"}},
		{"OpenDocument", "application/vnd.oasis.opendocument.text", "t.odt", zipOf(t, map[string]string{"mimetype": "application/vnd.oasis.opendocument.text",
			"content.xml": `<office:document-content xmlns:office="o" xmlns:text="t"><text:h>Tides</text:h><text:p>At<text:s/><text:span>six</text:span></text:p></office:document-content>`, "meta.xml": core}),
			[]string{"<h1>Tide tables</h1>", "<p>Tides</p><p>At six</p>"}},
		{"an archive", "application/zip", "all.zip", zipOf(t, map[string]string{"data/tides.csv": "a,b"}), []string{"<dt>Entries</dt><dd>1</dd>", "<td>data/tides.csv</td><td>3</td>"}},
		{"a damaged archive", "application/zip", "all.zip", []byte("PK\x03\x04\x00\x00"), []string{"<h1>all.zip</h1>"}},
		{"unknown bytes", "", "x", []byte{0, 1, 2}, []string{"<dd>unknown</dd>", "<dd>3 bytes</dd>"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &File{URL: "http://files.test/" + c.file, ContentType: c.kind, Data: c.data}
			page := documentPage(t, f)
			for _, want := range c.want {
				if !strings.Contains(page, want) {
					t.Errorf("no %s in %s", want, page)
				}
			}
			inert(t, page)
			// Any other bytes are another page.
			f.Data = append(bytes.Clone(c.data), '\n')
			if again := documentPage(t, f); again == page {
				t.Error("a file with one byte more has the same page")
			}
		})
	}
}

// A small archive of much is read in part.
func TestABombIsReadInPart(t *testing.T) {
	long := strings.Repeat("<w:p><w:r><w:t>words and words</w:t></w:r></w:p>", 2<<20)
	data := zipOf(t, map[string]string{"word/document.xml": "<w:document>" + long})
	page := documentPage(t, &File{URL: "http://files.test/b.docx", Data: data})
	if len(page) > 2*maxText || !strings.Contains(page, "words and words") {
		t.Errorf("%d bytes became a page of %d", len(data), len(page))
	}
}

// Hostile documents take bounded time and memory: a value in many pieces, sheets and slides without number.
func TestHostileDocuments(t *testing.T) {
	pieces := strings.Repeat("1<!---->", 4<<20)
	many := map[string]string{"ppt/presentation.xml": "<p/>", "xl/workbook.xml": "<w/>"}
	for i := range 60 {
		many[fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)] = "<row><c><v>" + strings.Repeat("a", 4<<20) + "</v></c></row>"
	}
	for name, entries := range map[string]map[string]string{
		"pieces": {"xl/workbook.xml": "<w/>", "xl/worksheets/sheet1.xml": "<row><c><v>" + pieces + "</v></c></row>"},
		"sheets": many,
		"title":  {"word/document.xml": "<w:p/>", "docProps/core.xml": "<c><title>" + strings.Repeat("long ", 10<<20) + "</title></c>"},
	} {
		t.Run(name, func(t *testing.T) {
			data := zipOf(t, entries)
			start := time.Now()
			page := documentPage(t, &File{URL: "http://files.test/b", Data: data})
			if took := time.Since(start); took > 30*time.Second || len(page) > maxText+1<<20 {
				t.Errorf("%d bytes became a page of %d in %v", len(data), len(page), took)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := DocumentPage(ctx, &File{Data: zipOf(t, many)}); err == nil {
		t.Error("no error after the end of the context")
	}
}

func TestParagraphsOfAPage(t *testing.T) {
	got := joined("Heading\nThis is a line that goes on and on\nand on to the next line, as lines do,\nand ends.\n\n• One\n• Two\nlast")
	want := []string{"Heading", "This is a line that goes on and on\nand on to the next line, as lines do,\nand ends.", "• One", "• Two", "last"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("joined = %q, want %q", got, want)
	}
}

func FuzzDocumentPage(f *testing.F) {
	f.Add(zipOf(f, map[string]string{"word/document.xml": "<w:p><w:t>x"}))
	f.Add(zipOf(f, map[string]string{"xl/workbook.xml": "<x/>", "xl/worksheets/sheet1.xml": `<c r="ZZZ1"><v>1</v></c></row>`}))
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte("%PDF-")) {
			return // PDFium has fuzzers of its own
		}
		inert(t, documentPage(t, &File{URL: "http://files.test/a", Data: data}))
	})
}
