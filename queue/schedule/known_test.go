package schedule

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"plat/plat"
)

func TestTheRateOfAnUnknownPage(t *testing.T) {
	var k Known
	if got := k.Rate(); got != unknownRate || got <= 0 {
		t.Errorf("without a second visit: %v, want %v", got, unknownRate)
	}
	k.Visit(1, true)
	changed := k.Rate()
	if changed != k.Intervals.Rate() || changed <= unknownRate {
		t.Errorf("after a change: %v", changed)
	}
	var still Known
	still.Visit(1, false)
	if got := still.Rate(); got != still.Intervals.Rate() || got >= changed || still.Age != 1 {
		t.Errorf("after a visit without one: %v", got)
	}
	if k.Visit(1, false); k.Rate() >= changed {
		t.Error("the rate of before is kept")
	}
}

// A wait is a minute at least and, by the constant, at most so long.
func TestWaitsHaveBounds(t *testing.T) {
	const minute = 1.0 / 24 / 60
	m := &Model{Known: Known{wait: minute / 2, took: minute / 2}}
	if m.abc(true); math.Abs(m.wait-minute) > 1e-12 || math.Abs(m.took-minute) > 1e-12 {
		t.Errorf("waits %v and %v minutes", m.wait/minute, m.took/minute)
	}
	if got := stretched(minute, true, 0.5, 2); math.Abs(got-minute) > 1e-12 {
		t.Errorf("half a minute is %v minutes", got/minute)
	}
	if got := stretched(minute, false, 0.5, 2); math.Abs(got-2*minute) > 1e-12 {
		t.Errorf("two minutes are %v", got/minute)
	}
	if got := stretched(mostWait, false, 0.5, 2); got != mostWait {
		t.Errorf("the longest wait grows to %v", got)
	}
	m = &Model{Known: Known{wait: 2, took: 4, still: 3}}
	if m.abc(false); m.still != 5 || m.wait != 4 || m.took != 4 {
		t.Errorf("without a change %+v", m)
	}
	if m.abc(true); m.still != 0 || math.Abs(m.wait-7.2) > 1e-9 || m.took != 9 {
		t.Errorf("with a change %+v", m)
	}
}

func TestNumbersThatAreNoneAreCorrupt(t *testing.T) {
	b := &Blocks{Usual: &Turning{}}
	text := b.Encode()
	if _, err := DecodeBlocks(text); err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), -1} {
		bad := []byte(text)
		binary.BigEndian.PutUint32(bad[4:], math.Float32bits(float32(x)))
		if _, err := DecodeBlocks(string(bad)); !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("%v: %v", x, err)
		}
	}
	for n := 1; n < len(text); n++ {
		if _, err := DecodeBlocks(text[:n]); !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	if _, err := DecodeBlocks(text + "\x00"); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("a byte more: %v", err)
	}
}
