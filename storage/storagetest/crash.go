package storagetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"plat/storage"
)

// ErrFault is the error of all writes after a simulated crash.
var ErrFault = errors.New("simulated crash")

// Crash simulates a crash before each of the writes of every [CrashCase] in turn. After each
// crash, Verify must find no damage, no operation may be half done, and repeating it, or doing
// a different operation, must work.
//
// Only one in every writes of a case is tested. Different cases test different writes, so that
// cases with the same operation together test all of its writes.
//
// open returns an empty store that calls fault with a name before every write, and
// fails the write with its error, if any.
func Crash(t *testing.T, every int, open func(t testing.TB, fault func(step string) error) storage.Store) {
	crash(t, every, false, open)
}

// Interrupt is [Crash] for a process that goes on: one write fails, as far as the process knows, and the next
// ones succeed. The store may apply the failing write nevertheless, and the operation may succeed.
func Interrupt(t *testing.T, every int, open func(t testing.TB, fault func(step string) error) storage.Store) {
	crash(t, every, true, open)
}

func crash(t *testing.T, every int, once bool, open func(t testing.TB, fault func(step string) error) storage.Store) {
	for i, doom := range Dooms() {
		for k, died := 1, true; died; k++ {
			if (k+i)%every != 0 {
				continue
			}
			died = false // also if -run excludes this subtest
			t.Run(fmt.Sprintf("%s, crash before write %d", doom.Name, k), func(t *testing.T) {
				d := &death{at: k, once: once}
				s := open(t, d.fault)
				was := doom.Ready(t, s)
				d.armed = true
				err := doom.Write(t.Context(), s)
				d.armed = false
				switch {
				case d.step == "" && err != nil:
					t.Fatalf("without a fault: %v", err)
				case d.step == "":
					if k <= 1+min(every, 3) {
						t.Errorf("it made %d writes; is fault called?", k-1)
					}
				case err == nil && !once:
					t.Fatalf("no error despite a crash before %s", d.step)
				default:
					died = true
					t.Logf("crashed before %s: %v", d.step, err)
					doom.After(t, s, was)
				}
			})
			if t.Failed() || k > 100 {
				t.Fatalf("stopped after write %d", k)
			}
		}
	}
}

// death is a simulated crash before write number at, counted while armed. All writes from then
// on fail, or only this one.
type death struct {
	at, n int
	once  bool
	armed bool
	step  string // name of the write before which it came
}

func (d *death) fault(step string) error {
	if !d.armed {
		return nil
	}
	if d.n++; d.n < d.at || d.once && d.step != "" {
		return nil
	}
	if d.step == "" {
		d.step = step
	}
	return ErrFault
}

func instantOf(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }
