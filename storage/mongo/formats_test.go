package mongo

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/plat"
	"plat/storage/history"
	"plat/storage/storagetest"
)

func TestOlderFormatsCanBeReadAndContinued(t *testing.T) {
	s := open(t, Options{})
	var all map[string][]json.RawMessage
	if err := json.Unmarshal(storagetest.OldMongo(t), &all); err != nil {
		t.Fatal(err)
	}
	for name, docs := range all {
		for _, text := range docs {
			var d bson.D
			if err := bson.UnmarshalExtJSON(text, true, &d); err != nil {
				t.Fatal(err)
			}
			if _, err := s.db.Collection(name).InsertOne(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
	}
	forgetJobs(t, s)
	forgetFormat(t, s)
	if _, err := Open(t.Context(), server, Options{Database: s.db.Name()}); !errors.Is(err, plat.ErrOlder) || !strings.Contains(err.Error(), "run plat migrate") {
		t.Errorf("an archive without a note is opened: %v, want plat.ErrOlder and what to do", err)
	}
	s = migrated(t, s.db.Name())
	storagetest.TestOldFormat(t, s, func(url string, n int) ([]byte, error) { return history.Restore(t.Context(), s, url, n) })
	// Documents written since have no old fields.
	n, err := s.urls.CountDocuments(t.Context(), bson.D{{Key: "plan", Value: bson.D{{Key: "$exists", Value: true}}}, {Key: "every_ms", Value: bson.D{{Key: "$exists", Value: true}}}})
	if err != nil || n != 0 {
		t.Errorf("%d documents have both plan and every_ms, %v", n, err)
	}
}

// closeable is a dialer of connections that a test closes, as a server does that is restarted.
type closeable struct {
	mu    sync.Mutex
	conns []net.Conn
}

func (d *closeable) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		d.conns = append(d.conns, c)
	}
	return c, err
}

func (d *closeable) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.conns {
		c.Close()
	}
	d.conns = nil
}

// The server is restarted before the commands that ask it for its time: the look at the format of a visit, and others.
func TestARestartOfTheServerBeforeItsTimeIsAsked(t *testing.T) {
	t.Parallel()
	d := &closeable{}
	s := openAt(t, server, Options{Dialer: d})
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	visit := func() error {
		at = at.Add(time.Minute)
		return s.Record(t.Context(), plat.Visit{URL: "https://a.test/", Time: at, Outcome: plat.OutcomeTimeout}, 0)
	}
	if err := visit(); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func() error{
		"a visit":            visit,
		"a visit that looks": func() error { s.checked.Store(int64(uptime() - time.Minute)); return visit() },
		"Now":                func() error { _, err := s.Now(t.Context()); return err },
		"GC":                 func() error { _, err := s.GC(t.Context(), at); return err },
		"a commit that looks": func() error {
			s.checked.Store(int64(uptime() - time.Minute))
			_, err := s.Commit(t.Context(), storagetest.NewPage("https://b.test/", 1).Next())
			return err
		},
	} {
		d.close()
		if err := do(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
