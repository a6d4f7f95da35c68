package mongo

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"plat/fixtures"
	"plat/storage"
	"plat/storage/storagetest"
)

// cutter dials connections that are closed before a write command if fault returns an error.
type cutter struct {
	net.Dialer
	fault func(step string) error
}

func (c *cutter) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := c.Dialer.DialContext(ctx, network, addr)
	return &cutConn{conn, c.fault}, err
}

type cutConn struct {
	net.Conn
	fault func(step string) error
}

// Write receives one message per call, because the driver writes each at once.
func (c *cutConn) Write(m []byte) (int, error) {
	if name := command(m); name != "" {
		if err := c.fault(name); err != nil {
			c.Close()
			return 0, err
		}
	}
	return c.Conn.Write(m)
}

// command returns the name and collection of a write command: the first field of the
// body of an OP_MSG, after header (16), flags (4), kind of section (1), length of the
// document (4) and type of the field (1).
func command(m []byte) string {
	if len(m) < 27 || binary.LittleEndian.Uint32(m[12:]) != 2013 {
		return ""
	}
	name, rest, _ := bytes.Cut(m[26:], []byte{0})
	switch string(name) {
	case "bulkWrite":
		return string(name)
	case "insert", "update", "delete", "findAndModify":
		coll, _, _ := bytes.Cut(rest[min(4, len(rest)):], []byte{0})
		return string(name) + " " + string(coll)
	}
	return ""
}

// A server that takes writes of several collections may crash between them, too: then it has done what an older
// one has done before the next command.
func TestCrashBeforeAnyWrite(t *testing.T) {
	t.Parallel()
	for name, bulk := range map[string]bool{"at once": true, "one by one": false} {
		t.Run(name, func(t *testing.T) {
			storagetest.Crash(t, fixtures.OneIn(20), func(t testing.TB, fault func(string) error) storage.Store {
				s := open(t, Options{Dialer: &cutter{fault: fault}})
				s.grace = 0 // every writer that is still registered has crashed
				s.bulk = s.bulk && bulk
				return s
			})
		})
	}
}

// TestInterruptedWrites fails each write of the operations once, before, halfway, or after it was applied,
// without retryable writes: the caller repeats the operation, or the store its write.
func TestInterruptedWrites(t *testing.T) {
	t.Parallel()
	mode := 0
	for _, repeats := range []int{0, maxRepeats} {
		for _, wire := range []int32{bulkWrites - 1, bulkWrites} {
			for _, f := range []failure{refuses, applied, appliedHalf} {
				if mode++; mode%fixtures.OneIn(5) > 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s at version %d of the protocol, with %d repetitions", f, wire, repeats), func(t *testing.T) {
					t.Parallel()
					storagetest.Interrupt(t, fixtures.OneIn(36), func(t testing.TB, fault func(string) error) storage.Store {
						rs := newReplicaSet(t)
						rs.election, rs.wire = time.Millisecond, wire
						s := openAt(t, rs.uri("&retryWrites=false"), Options{})
						s.grace, s.repeats = 0, repeats // every writer that is still registered has given up
						rs.fail = func(name, collection string) failure {
							if fault(name+" "+collection) != nil {
								return f
							}
							return works
						}
						return s
					})
				})
			}
		}
	}
}

func TestErrorsOfListsOfValuesAreTold(t *testing.T) {
	s := open(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.finishItems(ctx, &urlDoc{URL: "https://a.test/"}, false); !errors.Is(err, context.Canceled) {
		t.Errorf("finishItems: %v, want that it was canceled", err)
	}
	if err := s.sweepCrawls(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("sweepCrawls: %v, want that it was canceled", err)
	}
}
