package revalidate

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"plat/plat"
)

// Limits of the stored state.
const (
	MaxState = 2 << 10 // bytes of an encoded state
	MaxLoads = 128     // of a page
)

// Mark is a prefix of a SHA-256. The zero Mark means absent.
type Mark [8]byte

// MarkOf is the mark of parts; it depends on their boundaries.
func MarkOf(parts ...string) (m Mark) {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	copy(m[:], h.Sum(nil))
	return m
}

// IsZero reports whether the mark is absent.
func (m Mark) IsZero() bool { return m == Mark{} }

// By names the validator by which an answer is compared.
type By uint8

// The validators, the strongest first, after Unknown.
const (
	Unknown    By = iota
	ByETag        // its entity tag
	ByModified    // its modification date
	ByBody        // the hash of its body
	ByRedirect    // status and target of a redirect
	ByFailure     // its status from 400 on; 0: no response
	kindsOfBy
)

// Resource is a response that a page depends on.
type Resource struct {
	URL  string // of a load; empty for the document
	Kind plat.LoadKind
	By   By

	// Mark is that of the validator named by By.
	Mark Mark

	// ETag and Modified are the validators for conditional requests, if known.
	// They are dropped for loads if the state would become too large.
	ETag     string
	Modified time.Time // whole seconds

	// Fresh is until when the answer may be used without revalidation; whole
	// seconds.
	Fresh time.Time

	cached bool // served from the browser's cache, so the current answer may differ
}

// Reason is why a page is rendered on each visit.
type Reason uint8

// The reasons. The first group ends skipping permanently, the second applies to
// one rendering.
const (
	NoReason     Reason = iota
	Contradicted        // it changed although its HTML and loads had not
	Unproven            // it depends on clock or random numbers, or that could not be tested

	Restless   // captured before it settled
	NotHTML    // or a status other than 200
	Framed     // it has frames, whose loads are not completely known
	Unlisted   // not all of its loads are known
	Many       // more loads than MaxLoads
	Live       // WebSockets, event streams, workers
	Sends      // requests other than GET
	Repeats    // the same data requested twice: it polls
	Varies     // an answer varies on headers that only a browser sends
	Moved      // the page navigated to a different URL
	Partial    // a partial response
	Unreadable // an answer that cannot be compared
	numReasons
)

var reasons = [numReasons]string{
	"", "it changed although its HTML and loads had not", "it depends on the clock or on random numbers", "it never settled", "it is not an HTML page",
	"it has frames", "its loads are not completely known", "it loads too much", "it stays connected", "it sends data", "it requests the same data again",
	"an answer depends on the browser's headers", "it navigated to a different URL", "an answer is partial", "an answer cannot be compared",
}

// String describes the reason in a phrase.
func (r Reason) String() string {
	if r >= numReasons {
		return fmt.Sprintf("reason %d", r)
	}
	return reasons[r]
}

// State is the data stored per URL. The zero State is empty.
type State struct {
	Version   int   // of the archive, found by the last rendering
	PageBytes int64 // of that page
	Setup     Mark  // of the rendering settings

	Ended Reason // if not NoReason, visits are never skipped
	Unfit Reason // why the last rendering cannot be relied on

	Inert   bool // nothing in the DOM can run
	Sourced bool // Scripts and Code are known
	Scripts bool // something in the HTML runs
	Code    Mark // of the scripts in the HTML
	Proven  bool // clock and random numbers had no effect

	Streak int // consecutive renderings with the same HTML, loads and blocks
	Skips  int // visits since the last rendering
	Misses int // consecutive validations with a mismatch
	Rest   int // remaining visits without validation
	Trials int // inconclusive proofs

	Chain    Mark // of the redirects to the document
	Head     Mark // of the document's headers that affect its content; zero if unknown
	Document Resource

	// The tokens of a document without validators; together with Skeleton they
	// make up its body, see Source. Volatile has a bit for each that may
	// differ; NoMask says that ignoring tokens proved wrong.
	Skeleton Mark
	Tokens   []uint32
	Volatile uint64
	NoMask   bool

	Loads []Resource
}

// errMemory is returned for bytes that are not an encoded state.
var errMemory = errors.New("revalidate: not an encoded state")

// encoding is the version of the encoding; other versions are rejected.
const encoding = 1

const (
	flagInert = 1 << iota
	flagSourced
	flagScripts
	flagProven
	flagNoMask
	flagValidators // of loads
	flagTokens
	flagHead
	flagPacked // the URLs of loads are one deflated text
	allFlags   = flagPacked<<1 - 1
)

// Encode returns the state as at most [MaxState] bytes. If it does not fit, it
// drops first the validators of loads, then the loads and with them the
// possibility to skip. Compression is tried last, as it takes ten times as long
// as the rest.
func (s *State) Encode() []byte {
	for _, how := range [...]struct{ validators, packed bool }{{true, false}, {false, false}, {true, true}, {false, true}} {
		if how.packed && !packable(s.Loads) {
			break
		}
		if b := s.encode(how.validators, how.packed); len(b) <= MaxState {
			return b
		}
	}
	small := State{Version: s.Version, PageBytes: s.PageBytes, Setup: s.Setup, Ended: s.Ended, Unfit: Many}
	return small.encode(false, false)
}

func (s *State) encode(validators, packed bool) []byte {
	b := make([]byte, 0, 256)
	uint := func(n int) { b = binary.AppendUvarint(b, uint64(max(0, n))) }
	text := func(t string) { uint(len(t)); b = append(b, t...) }
	instant := func(t time.Time) {
		if t.IsZero() {
			b = binary.AppendVarint(b, 0)
		} else {
			b = binary.AppendVarint(b, t.Unix())
		}
	}
	flags := 0
	for flag, on := range map[int]bool{flagInert: s.Inert, flagSourced: s.Sourced, flagScripts: s.Scripts, flagProven: s.Proven, flagNoMask: s.NoMask,
		flagValidators: validators, flagTokens: len(s.Tokens) > 0, flagHead: !s.Head.IsZero(), flagPacked: packed} {
		if on {
			flags |= flag
		}
	}
	b = append(b, encoding)
	uint(flags)
	uint(s.Version)
	uint(int(s.PageBytes))
	b = append(b, s.Setup[:]...)
	b = append(b, byte(s.Ended), byte(s.Unfit))
	for _, n := range [...]int{s.Streak, s.Skips, s.Misses, s.Rest, s.Trials} {
		uint(n)
	}
	b = append(b, s.Code[:]...)
	b = append(b, s.Chain[:]...)
	if !s.Head.IsZero() {
		b = append(b, s.Head[:]...)
	}
	resource := func(r *Resource, validators bool) {
		b = append(b, byte(r.By)<<4|byte(r.Kind))
		switch {
		case validators && r.By == ByETag:
			text(r.ETag)
			instant(r.Modified)
		case validators && r.By == ByModified:
			instant(r.Modified)
		case r.By != Unknown:
			b = append(b, r.Mark[:]...)
		}
		instant(r.Fresh)
	}
	resource(&s.Document, true)
	if len(s.Tokens) > 0 {
		b = append(b, s.Skeleton[:]...)
		uint(len(s.Tokens))
		for _, t := range s.Tokens {
			b = binary.LittleEndian.AppendUint32(b, t)
		}
		b = binary.AppendUvarint(b, s.Volatile)
	}
	uint(len(s.Loads))
	if packed {
		text(pack(s.Loads))
	}
	prev := ""
	for i := range s.Loads {
		r := &s.Loads[i]
		if packed {
			resource(r, validators)
			continue
		}
		same := 0
		for same < len(prev) && same < len(r.URL) && prev[same] == r.URL[same] {
			same++
		}
		uint(same)
		text(r.URL[same:])
		prev = r.URL
		resource(r, validators)
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:4]...)
}

// Decode parses the result of Encode. On an error, discard the state.
func Decode(b []byte) (*State, error) {
	if len(b) > MaxState || len(b) < 5 {
		return nil, errMemory
	}
	body := b[:len(b)-4]
	if sum := sha256.Sum256(body); string(sum[:4]) != string(b[len(body):]) || body[0] != encoding {
		return nil, errMemory
	}
	r := decoder{b: body[1:]}
	flags := r.uint()
	s := &State{
		Inert: flags&flagInert != 0, Sourced: flags&flagSourced != 0, Scripts: flags&flagScripts != 0,
		Proven: flags&flagProven != 0, NoMask: flags&flagNoMask != 0,
	}
	s.Version, s.PageBytes = r.uint(), int64(r.uint())
	s.Setup = r.mark()
	s.Ended, s.Unfit = Reason(r.byte()), Reason(r.byte())
	for _, n := range [...]*int{&s.Streak, &s.Skips, &s.Misses, &s.Rest, &s.Trials} {
		*n = r.uint()
	}
	s.Code, s.Chain = r.mark(), r.mark()
	if flags&flagHead != 0 {
		s.Head = r.mark()
	}
	s.Document = r.resource(true)
	if flags&flagTokens != 0 {
		s.Skeleton = r.mark()
		n := r.uint()
		if n == 0 || n > maxTokens {
			return nil, errMemory
		}
		for range n {
			s.Tokens = append(s.Tokens, r.uint32())
		}
		s.Volatile = r.uint64()
	}
	n := r.uint()
	if n > MaxLoads {
		return nil, errMemory
	}
	var urls []string
	if flags&flagPacked != 0 {
		if urls = unpack(r.text()); len(urls) != n {
			return nil, errMemory
		}
	}
	prev := ""
	for i := range n {
		if urls != nil {
			l := r.resource(flags&flagValidators != 0)
			l.URL = urls[i]
			s.Loads = append(s.Loads, l)
			continue
		}
		same := r.uint()
		if same > len(prev) {
			return nil, errMemory
		}
		url := prev[:same] + r.text()
		l := r.resource(flags&flagValidators != 0)
		l.URL, prev = url, url
		s.Loads = append(s.Loads, l)
	}
	if r.bad || len(r.b) > 0 || flags > allFlags || s.Ended >= numReasons || s.Unfit >= numReasons {
		return nil, errMemory
	}
	return s, nil
}

// maxPacked limits the size of unpacked URLs.
const maxPacked = 64 << 10

func packable(loads []Resource) bool {
	n := 0
	for i := range loads {
		n += len(loads[i].URL) + 1
	}
	return n > 0 && n <= maxPacked
}

// pack deflates the URLs of loads, a line each.
func pack(loads []Resource) string {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		panic(err) // only for an invalid level
	}
	for i := range loads {
		io.WriteString(w, loads[i].URL+"\n")
	}
	w.Close()
	return out.String()
}

func unpack(packed string) []string {
	b, err := io.ReadAll(io.LimitReader(flate.NewReader(strings.NewReader(packed)), maxPacked+1))
	if err != nil || len(b) > maxPacked || len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// decoder reads values from b; after the first failure all are zero.
type decoder struct {
	b   []byte
	bad bool
}

func (r *decoder) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.b) {
		r.bad = true
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *decoder) uint64() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *decoder) uint() int {
	v := r.uint64()
	if v > 1<<40 {
		r.bad = true
		return 0
	}
	return int(v)
}

func (r *decoder) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *decoder) uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *decoder) mark() (m Mark) { copy(m[:], r.take(len(m))); return m }
func (r *decoder) text() string   { return string(r.take(r.uint())) }

func (r *decoder) instant() time.Time {
	v, n := binary.Varint(r.b)
	if n <= 0 || v > 1<<40 || v < -1<<40 {
		r.bad = true
		return time.Time{}
	}
	r.b = r.b[n:]
	if v == 0 {
		return time.Time{}
	}
	return time.Unix(v, 0).UTC()
}

func (r *decoder) resource(validators bool) (x Resource) {
	head := r.byte()
	x.By, x.Kind = By(head>>4), plat.LoadKind(head&15)
	if x.By >= kindsOfBy || x.Kind > plat.LoadLive {
		r.bad = true
	}
	switch {
	case validators && x.By == ByETag:
		x.ETag, x.Modified = r.text(), r.instant()
		x.Mark = etagMark(x.ETag)
	case validators && x.By == ByModified:
		x.Modified = r.instant()
		x.Mark = modifiedMark(x.Modified)
	case x.By != Unknown:
		x.Mark = r.mark()
	}
	x.Fresh = r.instant()
	return x
}
