package revalidate

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

func TestStatesRoundTrip(t *testing.T) {
	big := known(true)
	for i := range MaxLoads - len(big.Loads) {
		url := fmt.Sprintf("http://a.test/assets/image-%d.png", i)
		tag := fmt.Sprintf(`"%08x-%x"`, i*7919, i)
		big.Loads = append(big.Loads, Resource{URL: url, Kind: plat.LoadImage, By: ByETag, ETag: tag, Mark: etagMark(tag)})
	}
	masked := known(false)
	masked.Document = Resource{By: ByBody, Mark: MarkOf("body")}
	masked.Skeleton, masked.Tokens, masked.Volatile, masked.NoMask = MarkOf("skeleton"), []uint32{1, 2, 3}, 5, true
	fresh := known(false)
	fresh.Loads[0].Fresh = noon
	for name, s := range map[string]*State{"nothing": {}, "inert": known(false), "scripts": known(true), "masked": masked, "fresh": fresh,
		"ended": {Version: 3, Setup: setup, Ended: Unproven, Trials: 2}} {
		got, err := Decode(s.Encode())
		if err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, s)
		}
	}
	if b := big.encode(false, false); len(b) <= MaxState {
		t.Errorf("%d loads take %d bytes: nothing has to be compressed", len(big.Loads), len(b))
	}
	b := big.Encode()
	got, err := Decode(b)
	if err != nil || len(b) > MaxState {
		t.Fatalf("a state of %d bytes: %v", len(b), err)
	}
	if len(got.Loads) != len(big.Loads) || got.Unfit != NoReason || got.Loads[50].URL != big.Loads[50].URL || got.Loads[50].Mark != big.Loads[50].Mark {
		t.Errorf("%d of %d loads came back, unfit %q", len(got.Loads), len(big.Loads), got.Unfit)
	}
	// Without room for their validators, loads are still compared.
	some := known(true)
	some.Loads = append(some.Loads, big.Loads[2:88]...)
	if got, err = Decode(some.Encode()); err != nil || len(got.Loads) != 88 || got.Loads[20].ETag != "" || got.Loads[20].Mark != some.Loads[20].Mark {
		t.Errorf("%d loads, the 21st %+v, %v", len(got.Loads), got.Loads[20], err)
	}
	if got.Document.ETag != some.Document.ETag {
		t.Errorf("the document has lost its validator: %+v", got.Document)
	}
	for i := range big.Loads {
		big.Loads[i].URL = fmt.Sprintf("http://a.test/%x", MarkOf(fmt.Sprint(i)))
	}
	if got, err = Decode(big.Encode()); err != nil || got.Unfit != Many || len(got.Loads) != 0 {
		t.Errorf("what does not fit came back as %+v, %v", got, err)
	}
	for i := range big.Loads {
		big.Loads[i].URL = strings.Repeat("x", 2000)
	}
	if got, err = Decode(big.Encode()); err != nil || got.Unfit != Many {
		t.Errorf("what is too long came back as %+v, %v", got, err)
	}
}

// sealed returns b with the checksum of the preceding bytes.
func sealed(b []byte) []byte {
	if len(b) < 5 {
		return b
	}
	body := b[:len(b)-4]
	sum := sha256.Sum256(body)
	return append(slices.Clone(body), sum[:4]...)
}

func FuzzDecode(f *testing.F) {
	f.Add((&State{}).Encode())
	f.Add(known(true).Encode())
	s := known(false)
	s.Document = Resource{By: ByBody, Mark: MarkOf("body")}
	s.Skeleton, s.Tokens, s.Volatile = MarkOf("skeleton"), []uint32{1, 2, 3}, 5
	f.Add(s.Encode())
	f.Add(known(true).encode(false, true))
	f.Fuzz(func(t *testing.T, b []byte) {
		// The checksum detects corruption, not forgery.
		for _, b := range [][]byte{b, sealed(b)} {
			s, err := Decode(b)
			if err != nil {
				continue
			}
			again, err := Decode(s.Encode())
			if err != nil {
				t.Fatalf("what was decoded, %+v, does not come back: %v", s, err)
			}
			if again.Version != s.Version || again.Ended != s.Ended || again.Unfit == NoReason && len(again.Loads) != len(s.Loads) {
				t.Fatalf("%+v came back as %+v", s, again)
			}
			s.Asks(s.Version, s.Setup, true)
			Decide(s, same(s), 0.5)
			Learn(s, same(s), rendered(s))
		}
	})
}

func TestAStateOfUnknownValuesIsRefused(t *testing.T) {
	whole := known(false).Encode()
	if _, err := Decode(whole); err != nil {
		t.Fatal(err)
	}
	flags, n := binary.Uvarint(whole[1:])
	reasons := func(ended, unfit Reason) []byte {
		s := known(false)
		s.Ended, s.Unfit = ended, unfit
		return s.Encode()
	}
	longer := append(slices.Clone(whole[:len(whole)-4]), 0)
	for name, b := range map[string][]byte{
		"a flag of a later encoding":         slices.Concat(whole[:1], binary.AppendUvarint(nil, flags|uint64(allFlags+1)), whole[1+n:]),
		"a reason to end that is none":       reasons(numReasons, NoReason),
		"a reason of unfitness that is none": reasons(NoReason, numReasons),
		"a byte after its end":               append(longer, 0, 0, 0, 0),
		"without its last byte":              slices.Concat(whole[:len(whole)-5], whole[len(whole)-4:]),
	} {
		if s, err := Decode(sealed(b)); err != errMemory || s != nil {
			t.Errorf("%s: %+v, %v; want %v", name, s, err, errMemory)
		}
	}
	for _, r := range []Reason{NoReason, numReasons - 1} {
		if s, err := Decode(reasons(r, r)); err != nil || s.Ended != r || s.Unfit != r {
			t.Errorf("reasons %v: %+v, %v", r, s, err)
		}
	}
}
