package metered

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func none() error { return nil }

func TestBytesAreBoundedForAllReadersOfABudget(t *testing.T) {
	for _, tc := range []struct {
		left int64
		want error
	}{{10, nil}, {9, ErrLong}, {5, ErrLong}, {4, ErrLong}, {0, ErrLong}, {11, nil}} {
		left := tc.left
		var err error
		for _, text := range []string{"12345", "67890"} {
			var b []byte
			b, err = io.ReadAll(&Reader{In: iotest.OneByteReader(strings.NewReader(text)), Stop: none, Left: &left})
			if err == nil && string(b) != text {
				t.Errorf("%d: %q is read of %q", tc.left, b, text)
			}
			if err != nil {
				break
			}
		}
		if !errors.Is(err, tc.want) || left < 0 {
			t.Errorf("%d: %v, and %d are left, want %v", tc.left, err, left, tc.want)
		}
	}
}

// A decoder reads ahead: bytes of the next record are not counted for this one.
func TestRecordsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for name, tc := range map[string]struct {
		text string
		want error
	}{
		"many that are short": {strings.Repeat(`"`+long[:90]+`" `, 500), io.EOF},
		"one at the limit":    {`"` + long[:98] + `"`, io.EOF},
		"one beyond it":       {`"a" "b" "` + long + `"`, ErrRecord},
		"blanks without end":  {`"a"` + strings.Repeat(" ", 1000), ErrRecord},
	} {
		left := int64(1 << 20)
		r := &Reader{In: strings.NewReader(tc.text), Stop: none, Left: &left, Record: 100}
		d := json.NewDecoder(r)
		var err error
		for err == nil {
			var s string
			r.Next(d.InputOffset())
			err = d.Decode(&s)
		}
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

func TestReadingEndsWithItsClient(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	left, reads := int64(1<<30), 0
	in := bufio.NewReaderSize(&Reader{In: endless{&reads}, Stop: ctx.Err, Left: &left}, 100)
	for range 1000 {
		if _, err := in.ReadByte(); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	before := reads
	if _, err := io.Copy(io.Discard, in); !errors.Is(err, context.Canceled) || reads != before {
		t.Errorf("%v after %d more reads", err, reads-before)
	}
}

type endless struct{ reads *int }

func (e endless) Read(p []byte) (int, error) { *e.reads++; return len(p), nil }
