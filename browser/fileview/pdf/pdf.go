// Package pdf reads the text of PDF documents, with PDFium, the library by which Chrome shows them.
//
// PDFium is compiled to WebAssembly (github.com/klippa-app/go-pdfium) and runs inside plat's process: a hostile
// document can reach neither memory, files nor network of plat, and is stopped at limits of memory and time. Go code
// that reads PDF has no such wall, and pdftotext would be a program more to install.
package pdf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Limits of one document. Beyond them its text is incomplete.
const (
	MaxBytes = 64 << 20 // of the file
	MaxPages = 2000
	MaxText  = 8 << 20     // bytes
	timeout  = time.Minute // a document that takes longer is not read at all: see ErrLater

	maxMemory = 512 << 20 // of PDFium
	atOnce    = 2         // documents that are read at once; each has its own memory
)

// Document is the title and the text of a PDF document.
type Document struct {
	Title string   // of its properties; may be empty
	Pages []string // the text of each page, a visual line each line
	Count int      // of its pages; more than Pages has if the text is incomplete
}

// ErrLater is the error of a document that could not be read now, whatever its bytes: PDFium did not start, all its
// instances were busy, or the time was over.
var ErrLater = errors.New("the text of the PDF document could not be read in time")

// ErrLocked is the error of a document that needs a password.
var ErrLocked = errors.New("the document needs a password")

// pool is made at the first document: compiling PDFium takes a second of CPU time, or a tenth once its machine code
// is in the user's cache directory.
var pool = sync.OnceValues(func() (pdfium.Pool, error) {
	features := api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling
	c := wazero.NewRuntimeConfig().WithCoreFeatures(features).WithMemoryLimitPages(maxMemory >> 16).WithCloseOnContextDone(true)
	if dir, err := os.UserCacheDir(); err == nil {
		if cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(dir, "plat", "pdfium")); err == nil {
			c = c.WithCompilationCache(cache)
		}
	}
	return webassembly.Init(webassembly.Config{
		MaxIdle: 1, MaxTotal: atOnce, RuntimeConfig: c, FSConfig: wazero.NewFSConfig(), Stdout: nowhere{}, Stderr: nowhere{},
	})
})

type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }

// Read reads a document. With an error, the document has what was read before, and may be nil. It is safe for concurrent use.
func Read(ctx context.Context, data []byte) (d *Document, err error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("the file has more than %d bytes", MaxBytes)
	}
	p, err := pool()
	if err != nil {
		return nil, fmt.Errorf("%w: start PDFium: %w", ErrLater, err)
	}
	in, err := p.GetInstanceWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: start PDFium: %w", ErrLater, err)
	}
	done := make(chan struct{})
	var watch sync.WaitGroup
	var late atomic.Bool
	watch.Go(func() {
		limit := time.NewTimer(timeout)
		defer limit.Stop()
		select {
		case <-done:
			_ = in.Close()
		case <-ctx.Done():
			late.Store(true)
			_ = in.Kill()
		case <-limit.C:
			late.Store(true)
			_ = in.Kill()
		}
	})
	defer func() {
		close(done)
		watch.Wait()
		if crashed := recover(); crashed != nil {
			err = fmt.Errorf("PDFium ended: %v", crashed)
		}
		if late.Load() {
			err = fmt.Errorf("%w: %w", ErrLater, cmp.Or(err, context.DeadlineExceeded))
		}
	}()
	return read(in, data)
}

func read(in pdfium.Pdfium, data []byte) (*Document, error) {
	doc, err := in.OpenDocument(&requests.OpenDocument{File: &data})
	if err != nil {
		if strings.Contains(err.Error(), "password") {
			err = ErrLocked
		}
		return nil, err
	}
	n, err := in.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	if err != nil {
		return nil, err
	}
	d := &Document{Count: n.PageCount}
	if meta, err := in.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: doc.Document, Tag: "Title"}); err == nil {
		d.Title = strings.TrimSpace(meta.Value)
	}
	total := 0
	for i := range min(d.Count, MaxPages) {
		page, err := in.GetPageText(&requests.GetPageText{Page: requests.Page{ByIndex: &requests.PageByIndex{Document: doc.Document, Index: i}}})
		if err != nil {
			return d, fmt.Errorf("page %d: %w", i+1, err)
		}
		if total += len(page.Text); total > MaxText {
			return d, nil
		}
		d.Pages = append(d.Pages, strings.ReplaceAll(strings.ToValidUTF8(page.Text, ""), "\r\n", "\n"))
	}
	return d, nil
}
