package schedule

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"
	"time"

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

// Pages of a site are checked together: at times with one offset, soon after they are due.
func TestPagesOfASiteAreGrouped(t *testing.T) {
	at := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	const wait, high = 40 * time.Hour, 1000 * time.Hour
	const every = 128 * time.Minute // the power of two of minutes below a sixteenth of 40 hours
	offset := func(url string, last time.Time) time.Duration {
		v := visit(plat.Schedule{Budget: "b"}, at, at)
		v.State.URL = url
		due := v.grouped(last, wait, high)
		if late := due.Sub(last.Add(wait)); late < -time.Millisecond || late >= every {
			t.Errorf("%s is visited %v after it is due", url, late)
		}
		return time.Duration(due.UnixMilli()%every.Milliseconds()) * time.Millisecond
	}
	first := offset("https://a.test/1", at)
	others := 0
	for i := range 50 {
		last := at.Add(time.Duration(i)*37*time.Minute + time.Duration(i)*time.Microsecond)
		if got := offset("https://a.test/2", last); got != first {
			t.Errorf("a page of the same site has the offset %v, want %v", got, first)
		}
		if offset("https://"+string(rune('a'+i%26))+"b.test/", last) != first {
			others++
		}
	}
	if others < 25 {
		t.Errorf("%d of 50 pages of other sites have other offsets", others)
	}
	v := visit(plat.Schedule{Budget: "b"}, at, at)
	v.State.URL = "https://a.test/"
	if got := v.grouped(at, wait, wait); !got.Equal(at.Add(wait)) {
		t.Errorf("beyond the longest wait: %v", got)
	}
	if got := v.grouped(at, 15*time.Minute, high); !got.Equal(at.Add(15 * time.Minute)) {
		t.Errorf("a short wait: %v", got)
	}
	v.State.Schedule.Budget = ""
	if got := v.grouped(at, wait, high); !got.Equal(at.Add(wait)) {
		t.Errorf("without a budget: %v", got)
	}
}

func TestSignalsAreCountedAndForgotten(t *testing.T) {
	var h Heard
	for range 3 {
		h.visit(1, true)
	}
	h.visit(1, false)
	h.visit(2, false)
	h.visit(NoSource, true)
	h.visit(NoSource, false)
	if h.Changes != 4 || h.Right[0] != 3 || h.Wrong[0] != 1 || h.Wrong[1] != 1 || h.Recall(1) != 0.75 || h.False(1) != 0.25 || h.Recall(2) != 0 || h.False(2) != 1 || h.False(3) != 0 {
		t.Errorf("counts %+v", h)
	}
	h = Heard{Changes: mostHeard - 2, Right: [sources]float64{400, 0, 20}, Wrong: [sources]float64{0, 1, 0}}
	before := h
	if h.visit(NoSource, false); h != before {
		t.Errorf("one below the most: %+v", h)
	}
	h.visit(3, true)
	if h.Changes != (mostHeard-1)/2.0 || h.Right[0] != 200 || h.Right[2] != 10.5 || h.Wrong[1] != 0.5 {
		t.Errorf("halved: %+v", h)
	}
}
