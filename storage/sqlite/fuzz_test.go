package sqlite

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"time"

	"plat/plat"
	"plat/storage/delta"
)

func FuzzVisits(f *testing.F) {
	run := []plat.Visit{
		{URL: "u", Time: instant(5), Outcome: plat.OutcomeNew, Version: 1, Status: 200, Duration: time.Second, Bytes: 7},
		{URL: "u", Time: instant(9), Outcome: "other", Status: 503, Error: "no"},
		{URL: "u", Time: instant(70), Outcome: plat.OutcomeUnchanged, Settles: instant(60), Next: instant(90)},
		{URL: "u", Time: instant(75), Outcome: plat.OutcomeTimeout},
		{URL: "u", Time: instant(95), Outcome: plat.OutcomeUnchanged, Settles: instant(90), Next: instant(-90)},
	}
	f.Add(encodeVisits(run, 1)[sumLen:], int64(5))
	f.Fuzz(func(t *testing.T, b []byte, start int64) {
		start %= 1 << 50
		row := append(make([]byte, sumLen), b...)
		if _, err := decodeVisits(row, 1, "u", start); len(b) > 0 && err == nil {
			t.Skip("the checksum happens to be zero")
		}
		setSum(row, 1, start)
		run, err := decodeVisits(row, 1, "u", start)
		if err != nil {
			if !errors.Is(err, plat.ErrCorrupt) {
				t.Fatalf("error = %v, want plat.ErrCorrupt", err)
			}
			return
		}
		if len(run) == 0 {
			return
		}
		again, err := decodeVisits(encodeVisits(run, 1), 1, "u", start)
		if err != nil || !reflect.DeepEqual(again, run) {
			t.Fatalf("visits %v came back as %v, %v", run, again, err)
		}
	})
}

func FuzzPack(f *testing.F) {
	var c delta.Coder
	base := []byte("<p>what was before</p>")
	entries := []entry{entryOf(kindLayout, plat.HashOf([]byte("x")), []byte("x")), entryOf(kindBlock, plat.HashOf(base), base)}
	f.Add(encodePack(&c, entries, base), []byte("x"), base)
	f.Fuzz(func(t *testing.T, row, x, y []byte) {
		in := []entry{entryOf(kindBlock, plat.HashOf(x), x), entryOf(kindLayout, plat.HashOf(y), y), entryOf(kindBlock, plat.Hash{}, nil)}
		out, all, err := decodePack(&c, encodePack(&c, in, base), base)
		if err != nil || len(out) != 3 || !bytes.Equal(out[0].data, x) || !bytes.Equal(out[1].data, y) || len(out[2].data) != 0 ||
			out[0].kind != kindBlock || out[1].kind != kindLayout || len(all) != len(x)+len(y) {
			t.Fatalf("a pack came back as %v, %v", out, err)
		}
		if _, _, err := decodePack(&c, row, base); err != nil && !errors.Is(err, plat.ErrCorrupt) {
			t.Fatalf("error = %v, want plat.ErrCorrupt", err)
		}
	})
}
