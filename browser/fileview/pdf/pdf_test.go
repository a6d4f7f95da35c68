package pdf_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/browser/fileview/pdf"
	"plat/browser/fileview/pdf/pdftest"
)

func TestRead(t *testing.T) {
	d, err := pdf.Read(t.Context(), pdftest.Document("Tides (2026)", "High water\nat six", "Low water"))
	if err != nil || d.Title != "Tides (2026)" || d.Count != 2 || len(d.Pages) != 2 || d.Pages[0] != "High water\nat six" || d.Pages[1] != "Low water" {
		t.Errorf("Read = %+v, %v", d, err)
	}
}

// Documents are read at once, each with its own text.
func TestReadAtOnce(t *testing.T) {
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			want := fmt.Sprintf("Document %d", i)
			if d, err := pdf.Read(t.Context(), pdftest.Document("", want)); err != nil || len(d.Pages) != 1 || d.Pages[0] != want {
				t.Errorf("Read of %q = %+v, %v", want, d, err)
			}
		})
	}
	all.Wait()
}

// Damaged documents end with an error or in part, and the next is read as usual.
func TestReadOfDamagedDocuments(t *testing.T) {
	whole := pdftest.Document("Tides", strings.Repeat("High water at six\n", 40), "Low water")
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		b := append([]byte(nil), whole...)
		switch r.IntN(3) {
		case 0:
			b = b[:r.IntN(len(b))]
		case 1:
			for range 1 + r.IntN(20) {
				b[r.IntN(len(b))] = byte(r.IntN(256))
			}
		default:
			i, n := r.IntN(len(b)-200), r.IntN(200)
			b = append(b[:i], append([]byte(strings.Repeat(string(b[i:i+n]), 1+r.IntN(20))), b[i:]...)...)
		}
		if d, err := pdf.Read(t.Context(), b); err == nil && d == nil {
			t.Error("neither a document nor an error")
		}
	}
	if d, err := pdf.Read(t.Context(), whole); err != nil || len(d.Pages) != 2 {
		t.Errorf("after damaged documents: %+v, %v", d, err)
	}
	if _, err := pdf.Read(t.Context(), make([]byte, pdf.MaxBytes+1)); err == nil {
		t.Error("no error for a file over the limit")
	}
}

// A document of very many pages ends with its context.
func TestReadEndsWithItsContext(t *testing.T) {
	pages := make([]string, 1500)
	for i := range pages {
		pages[i] = strings.Repeat("High water at six\n", 60)
	}
	long := pdftest.Document("", pages...)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	d, err := pdf.Read(ctx, long)
	if err == nil || d != nil && len(d.Pages) == len(pages) {
		t.Errorf("Read = %v, want an error", err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if d, err := pdf.Read(t.Context(), pdftest.Document("", "Low water")); err != nil || d.Pages[0] != "Low water" {
		t.Errorf("the next document: %+v, %v", d, err)
	}
}

func BenchmarkRead(b *testing.B) {
	pages := make([]string, 20)
	for i := range pages {
		pages[i] = strings.Repeat("High water at six, and low water at noon\n", 45)
	}
	data := pdftest.Document("Tides", pages...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := pdf.Read(b.Context(), data); err != nil {
			b.Fatal(err)
		}
	}
}
