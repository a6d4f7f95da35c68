package mongo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plat/storage"
	"plat/storage/storagetest"
)

// server is the URI of the MongoDB that the tests use; none is why there is none.
var server, none string

// TestMain starts a server, unless PLAT_TEST_MONGODB_URI names one: FerretDB,
// built from the module beside this file.
func TestMain(m *testing.M) {
	server = os.Getenv("PLAT_TEST_MONGODB_URI")
	stop := func() {}
	if server == "" {
		var err error
		if server, stop, err = startFerretDB(); err != nil {
			none = fmt.Sprintf("no MongoDB to test with: %v; set PLAT_TEST_MONGODB_URI to one", err)
		}
	}
	code := m.Run()
	stop()
	os.Exit(code)
}

func startFerretDB() (uri string, stop func(), err error) {
	dir, err := os.MkdirTemp("", "plat-mongo-test-")
	if err != nil {
		return "", nil, err
	}
	bin := filepath.Join(dir, "ferretdb")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Dir = "ferretdb"
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		return "", func() {}, fmt.Errorf("building FerretDB: %w: %s", err, out)
	}
	cmd := exec.Command(bin)
	cmd.Dir = dir
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", func() {}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", func() {}, err
	}
	if err := cmd.Start(); err != nil {
		return "", func() {}, err
	}
	stop = func() {
		in.Close()
		cmd.Wait()
		os.RemoveAll(dir)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", func() {}, fmt.Errorf("FerretDB did not say where it listens: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

var databases atomic.Int64

// openTemp opens a store in a database of its own, dropped at the end.
func openTemp(t testing.TB) storage.Store { return open(t, Options{}) }

func open(t testing.TB, o Options) *Store {
	t.Helper()
	if none != "" {
		if os.Getenv("CI") == "true" || os.Getenv("PLAT_REQUIRE_MONGODB") == "1" {
			t.Fatal(none)
		}
		t.Skip(none)
	}
	if o.Database == "" {
		o.Database = fmt.Sprintf("plat_test_%d_%d", os.Getpid(), databases.Add(1))
	}
	s, err := Open(t.Context(), server, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := errors.Join(s.db.Drop(ctx), s.Close()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// FerretDB looks through a collection for every document, so histories are short.
func TestStoreKeepsTheContract(t *testing.T) { storagetest.Test(t, openTemp, 24) }

// BenchmarkStore says something of the store only against a MongoDB.
func BenchmarkStore(b *testing.B) { storagetest.Bench(b, openTemp) }

func TestAnArchiveIsOpenedAgain(t *testing.T) {
	s := open(t, Options{})
	again, err := Open(t.Context(), server, Options{Database: s.db.Name()})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
