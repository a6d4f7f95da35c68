package storagetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"plat/storage"
)

// ErrFault is what a store meets in the writes after it was told to die.
var ErrFault = errors.New("the store was told to die here")

// Crash lets a store die before each of the writes of every [CrashCase] in turn. Whatever
// was written until then, the store verifies clean, nothing is left half, and the
// same once more, or something else, goes on from there.
//
// open returns an empty store that calls fault before every write, with a name for
// it, and fails the write with the error, if there is one.
func Crash(t *testing.T, open func(t testing.TB, fault func(step string) error) storage.Store) {
	for _, doom := range Dooms() {
		for k, died := 1, true; died; k++ {
			died = false // stays so, too, if -run leaves this one out
			t.Run(fmt.Sprintf("%s, dies before write %d", doom.Name, k), func(t *testing.T) {
				d := &death{at: k}
				s := open(t, d.fault)
				was := doom.Ready(t, s)
				d.armed = true
				err := doom.Write(t.Context(), s)
				d.armed = false
				switch {
				case d.step == "" && err != nil:
					t.Fatalf("without a fault: %v", err)
				case d.step == "":
					if k <= 2 {
						t.Errorf("it made %d writes; is fault called?", k-1)
					}
				case err == nil:
					t.Fatalf("it did not fail though it died before %s", d.step)
				default:
					died = true
					t.Logf("died before %s", d.step)
					doom.After(t, s, was)
				}
			})
			if t.Failed() || k > 100 {
				t.Fatalf("stopped after write %d", k)
			}
		}
	}
}

// A death comes before write number at, counted while armed. From then on every
// write fails: who is dead does not write.
type death struct {
	at, n int
	armed bool
	step  string // before which it came
}

func (d *death) fault(step string) error {
	if !d.armed {
		return nil
	}
	if d.n++; d.n < d.at {
		return nil
	}
	if d.step == "" {
		d.step = step
	}
	return ErrFault
}

func instantOf(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }
