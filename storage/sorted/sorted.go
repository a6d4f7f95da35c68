// Package sorted sorts more texts than memory holds, in temporary files: the references of an
// archive, to be compared with what it stores.
package sorted

import (
	"context"
	"iter"
	"os"
	"strings"

	"github.com/lanrat/extsort"
)

// chunk is the number of texts that are sorted in memory at a time. A set holds a few of them.
const chunk = 50_000

// Set is a set of texts, which are first added, by one goroutine, and then read once, in the order of their
// bytes. A text is a key and a value, either of which may be empty; a key has no NUL byte.
type Set struct {
	ctx    context.Context
	cancel context.CancelFunc
	in     chan string
	out    <-chan string
	failed <-chan error
	broken chan struct{} // closed when the texts are sorted, or cannot be
}

// New returns an empty set.
func New(ctx context.Context) *Set { return newSet(ctx, chunk, os.Getenv("TMPDIR")) }

// newSet returns a set with its files in a folder. Empty is /var/tmp, or the default one if that cannot be written.
func newSet(ctx context.Context, chunk int, folder string) *Set {
	s := &Set{in: make(chan string, 256), broken: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(ctx)
	var sorter *extsort.OrderedSorter[string]
	sorter, s.out, s.failed = extsort.Ordered(s.in, &extsort.Config{ChunkSize: chunk, NumWorkers: 2, ChanBuffSize: 1, SortedChanBuffSize: 256, TempFilesDir: folder})
	go func() {
		defer close(s.broken)
		sorter.Sort(s.ctx)
	}()
	return s
}

// Close releases what the set holds. It may be called at any time, and more than once.
func (s *Set) Close() { s.cancel() }

// Add adds a text. An error is returned by Read.
func (s *Set) Add(key, value string) {
	select {
	case s.in <- key + "\x00" + value:
	case <-s.broken:
	case <-s.ctx.Done():
	}
}

// Read returns a reader of the texts, after all were added.
func (s *Set) Read() *Reader {
	close(s.in)
	r := &Reader{}
	r.next, r.stop = iter.Pull2(s.all())
	r.advance()
	return r
}

// all yields each text once.
func (s *Set) all() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		defer s.cancel()
		last, any := "", false
		for text := range s.out {
			if any && text == last {
				continue
			}
			if last, any = text, true; !yield(text, nil) {
				return
			}
		}
		if err := <-s.failed; err != nil {
			yield("", err)
		}
	}
}

// Reader reads a set beside something else that is sorted by the same keys.
type Reader struct {
	next func() (string, error, bool)
	stop func()

	text string
	more bool
	err  error
}

// Close ends the reading.
func (r *Reader) Close() { r.stop() }

func (r *Reader) advance() { r.text, r.err, r.more = r.next() }

// To reads up to a key, and passes the texts with it to of, if not nil. It returns their number. It passes the first text
// of each key before it to passed, if not nil. Keys have to be asked for in order.
func (r *Reader) To(key string, passed, of func(key, value string)) (n int, err error) {
	for r.more && r.err == nil {
		is, value, _ := strings.Cut(r.text, "\x00")
		switch {
		case is > key:
			return n, nil
		case is == key:
			if n++; of != nil {
				of(is, value)
			}
			r.advance()
		default:
			if passed != nil {
				passed(is, value)
			}
			r.skip(is)
		}
	}
	return n, r.err
}

// End reads the rest as To does, and returns the error of the set.
func (r *Reader) End(passed func(key, value string)) error {
	for r.more && r.err == nil {
		is, value, _ := strings.Cut(r.text, "\x00")
		if passed != nil {
			passed(is, value)
		}
		r.skip(is)
	}
	return r.err
}

// All yields the rest of the texts.
func (r *Reader) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for r.more && r.err == nil {
			is, value, _ := strings.Cut(r.text, "\x00")
			if r.advance(); !yield(is, value) {
				return
			}
		}
	}
}

// skip reads the texts of a key.
func (r *Reader) skip(key string) {
	for r.more && r.err == nil && strings.HasPrefix(r.text, key+"\x00") {
		r.advance()
	}
}
