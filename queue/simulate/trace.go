package simulate

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"plat/plat/decodeerror"
	"plat/plat/metered"
)

// Trace holds the changes of the pages of a site, in a span of time.
type Trace struct {
	Name     string
	From, To float64 // days
	Pages    []Page
}

// Page holds the changes of a page. The first change is its creation.
type Page struct {
	Name    string
	Changes []Change // by time
	Until   float64  // days, when it was seen last; 0: at the end of the trace
}

// Change is a change to a new state of a page.
type Change struct {
	At    float64 // days
	State uint64  // of the content: equal states are equal pages; 0: it is gone

	Blocks []Block // nil if they are not known
}

// Until returns the time of the last data of a page, in days.
func (t *Trace) Until(page int) float64 { return cmp.Or(t.Pages[page].Until, t.To) }

// Versions returns the number of changes of all pages, including the first of each.
func (t *Trace) Versions() (n int) {
	for i := range t.Pages {
		n += len(t.Pages[i].Changes)
	}
	return n
}

// maxTrace limits a trace, in bytes of JSON.
const maxTrace = 32 << 20

// Read reads a trace in JSON, compressed with gzip or not: {"source": NAME, "observations":
// [SECONDS...], "pages": {PATH: [[SECONDS, HASH or null], ...]}}, seconds since 1970. It returns
// an error for input that cannot be replayed: times out of order, no pages, more than 32 MB
// unpacked, which is forty times the largest trace of a site that we know.
func Read(r io.Reader) (*Trace, error) {
	in := bufio.NewReader(r)
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReader(z)
	}
	left := int64(maxTrace)
	in = bufio.NewReader(&metered.Reader{In: in, Left: &left})
	var file struct {
		Source       string
		Observations []float64
		Pages        map[string][]step
	}
	if err := json.NewDecoder(in).Decode(&file); errors.Is(err, metered.ErrLong) {
		return nil, fmt.Errorf("read a trace: it has more than %d MB unpacked; simulate fewer pages, or a shorter time", maxTrace>>20)
	} else if err != nil {
		return nil, fmt.Errorf("read a trace: %w", decodeerror.JSON(err))
	}
	t := &Trace{Name: file.Source}
	states := map[string]uint64{}
	for _, name := range slices.Sorted(maps.Keys(file.Pages)) {
		p := Page{Name: name}
		for _, s := range file.Pages[name] {
			c := Change{At: s.seconds / 86400}
			if s.hash != nil {
				if states[*s.hash] == 0 {
					states[*s.hash] = uint64(len(states) + 1)
				}
				c.State = states[*s.hash]
			}
			if n := len(p.Changes); n > 0 && c.At < p.Changes[n-1].At {
				return nil, fmt.Errorf("trace %s: the changes of %s are not in order", t.Name, name)
			}
			p.Changes = append(p.Changes, c)
		}
		if len(p.Changes) > 0 {
			t.Pages = append(t.Pages, p)
		}
	}
	t.span(file.Observations)
	if len(t.Pages) == 0 || !(t.From < t.To) {
		return nil, errors.New("cannot simulate a trace without changes")
	}
	return t, nil
}

// span sets From and To: those of the observations, and of all changes.
func (t *Trace) span(observations []float64) {
	all := make([]float64, 0, len(observations)+2*len(t.Pages))
	for _, s := range observations {
		all = append(all, s/86400)
	}
	for _, p := range t.Pages {
		all = append(all, p.Changes[0].At, p.Changes[len(p.Changes)-1].At)
	}
	if len(all) > 0 {
		t.From, t.To = slices.Min(all), slices.Max(all)
	}
}

// step is a change as a file has it: [SECONDS, HASH or null].
type step struct {
	seconds float64
	hash    *string
}

func (s *step) UnmarshalJSON(b []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(b, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("a change of %d parts, not of a time and a hash: %s", len(pair), strings.TrimSpace(string(b)))
	}
	if err := json.Unmarshal(pair[0], &s.seconds); err != nil {
		return err
	}
	return json.Unmarshal(pair[1], &s.hash)
}
