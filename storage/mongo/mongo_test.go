package mongo

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// server is the URI of the MongoDB used by the tests, or empty; none is then the reason.
var server, none string

// ferretdb is the program of the server that the tests have built, empty if they have not.
var ferretdb string

// deny revokes permissions of all users of the server. It is nil if the tests did not start it.
var deny func(what string) error

// TestMain starts a server, unless PLAT_TEST_MONGODB_URI names one: FerretDB,
// built from the module beside this file.
func TestMain(m *testing.M) {
	server = os.Getenv("PLAT_TEST_MONGODB_URI")
	stop := func() {}
	if server == "" {
		// FerretDB decodes the JSON of a version each time it examines it. PLAT_LONG=1 uses
		// pages of all sizes.
		storagetest.Slow = fixtures.OneIn(2) > 1
		var err error
		if server, stop, err = startFerretDB(); err != nil {
			none = fmt.Sprintf("no MongoDB to test with: %v; set PLAT_TEST_MONGODB_URI to one", err)
		}
	}
	code := m.Run()
	stop()
	whole := code == 0 && none == "" && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == ""
	report := sentPlans.report(allowed, whole)
	if whole {
		unsent, err := sentPlans.unsent(".")
		if err != nil {
			unsent = []string{err.Error()}
		}
		for _, x := range unsent {
			report += "\n" + x + ": no test sends it"
		}
	}
	if report != "" {
		fmt.Fprintln(os.Stderr, "FAIL: no index serves these commands (see allowed in plans_test.go):\n"+report)
		code = max(code, 1)
	}
	os.Exit(code)
}

func startFerretDB() (uri string, stop func(), err error) {
	dir, err := os.MkdirTemp("", "plat-mongo-test-")
	if err != nil {
		return "", func() {}, err
	}
	bin := filepath.Join(dir, "ferretdb")
	build := exec.Command("go", "build", "-tags", "ferretdb_no_postgresql", "-o", bin, ".")
	build.Dir = "ferretdb"
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		return "", func() {}, fmt.Errorf("building FerretDB: %w: %s", err, out)
	}
	ferretdb = bin
	uri, in, end, err := runFerretDB(dir)
	stop = func() { end(); os.RemoveAll(dir) }
	if err != nil {
		stop()
		return "", func() {}, err
	}
	deny = func(what string) error {
		_, err := fmt.Fprintln(in, "deny", what)
		return err
	}
	return uri, stop, nil
}

// runFerretDB runs a server with more variables in its environment. It ends with its input.
func runFerretDB(dir string, env ...string) (uri string, in io.Writer, stop func(), err error) {
	cmd := exec.Command(ferretdb)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	stop = func() {}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, stop, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, stop, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, stop, err
	}
	stop = func() {
		pipe.Close()
		cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", nil, stop, fmt.Errorf("FerretDB did not say where it listens: %w", err)
	}
	return strings.TrimSpace(line), pipe, stop, nil
}

var databases atomic.Int64

// openTemp opens a store in a new database that is dropped at the end.
func openTemp(t testing.TB) storage.Store { return open(t, Options{}) }

// requireServer skips a test if there is no server, except where one is required.
func requireServer(t testing.TB) {
	t.Helper()
	if none != "" {
		if os.Getenv("CI") == "true" || os.Getenv("PLAT_REQUIRE_MONGODB") == "1" {
			t.Fatal(none)
		}
		t.Skip(none)
	}
}

func open(t testing.TB, o Options) *Store {
	t.Helper()
	requireServer(t)
	return openAt(t, server, o)
}

func openAt(t testing.TB, uri string, o Options) *Store {
	t.Helper()
	if o.Database == "" {
		o.Database = fmt.Sprintf("plat_test_%d_%d", os.Getpid(), databases.Add(1))
	}
	s, err := Open(t.Context(), uri, watchPlans(o))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := o.Dialer.(*cutter); ok {
		s.repeats = 0 // a process that dies repeats nothing
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

// FerretDB is slow, so histories are short.
func TestStoreContract(t *testing.T) {
	t.Parallel()
	storagetest.Test(t, openTemp, 24/fixtures.OneIn(2))
}

// BenchmarkStore is meaningful only against MongoDB itself.
func BenchmarkStore(b *testing.B) { storagetest.Bench(b, openTemp) }

func TestProcessesFollowTogether(t *testing.T) {
	for name, together := range map[string]func(t *testing.T, a, b storage.Store){
		"crawled":  storagetest.TogetherCrawled,
		"examined": storagetest.TogetherFollowed,
		"taken":    func(t *testing.T, a, b storage.Store) { storagetest.TogetherTaken(t, a, b, 15) },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, Options{})
			again, err := Open(t.Context(), server, watchPlans(Options{Database: s.db.Name()}))
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			together(t, s, again)
		})
	}
}

func TestMissingPermissionsAreExplained(t *testing.T) {
	s := open(t, Options{})
	if deny == nil {
		t.Skip("cannot revoke permissions on the server of PLAT_TEST_MONGODB_URI")
	}
	until := func(what string, is func() bool) {
		t.Helper()
		if err := deny(what); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(5 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("deny %s has no effect", what)
			}
		}
	}
	defer until("nothing", func() bool { return s.Probe(t.Context()) == nil })

	until("write", func() bool { return s.Probe(t.Context()) != nil })
	const help = "write mongodb://USER:PASSWORD@HOST/DATABASE, of a user with the role readWrite on the database "
	if err := s.Probe(t.Context()); !strings.Contains(err.Error(), help+s.db.Name()) {
		t.Errorf("Probe: %v", err)
	}
	s.login = true
	if err := s.Probe(t.Context()); !strings.Contains(err.Error(), "give the user the role readWrite on the database "+s.db.Name()) {
		t.Errorf("Probe of a user: %v", err)
	}
	s.login = false
	if _, err := s.State(t.Context(), "https://a.test/"); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("read-only user reads: %v", err)
	}
	again, err := Open(t.Context(), server, Options{Database: s.db.Name()})
	if err != nil {
		t.Errorf("read-only user opens an existing archive: %v", err)
	} else {
		again.Close()
	}
	if _, err := Open(t.Context(), server, Options{Database: "plat_other"}); err == nil || strings.Count(err.Error(), help+"plat_other") != 1 || strings.Count(err.Error(), "readWrite") != 1 {
		t.Errorf("read-only user creates an archive: %v", err)
	}

	until("all", func() bool {
		_, err := s.State(t.Context(), "https://a.test/")
		return !errors.Is(err, plat.ErrNotFound)
	})
	if _, err := Open(t.Context(), server, Options{Database: s.db.Name()}); err == nil || !strings.Contains(err.Error(), help) {
		t.Errorf("user without permissions opens an archive: %v", err)
	}
}

func TestAnArchiveThatMustExistIsNotCreated(t *testing.T) {
	s := open(t, Options{})
	if err := s.db.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, migrate := range []bool{false, true} {
		if again, err := Open(t.Context(), server, Options{Database: s.db.Name(), Existing: true, Migrate: migrate}); !errors.Is(err, ErrNoArchive) {
			if err == nil {
				again.Close()
			}
			t.Errorf("Migrate %v: %v, want ErrNoArchive", migrate, err)
		}
	}
	if names, err := s.db.ListCollectionNames(t.Context(), bson.D{}); err != nil || len(names) > 0 {
		t.Errorf("it has created %q, %v", names, err)
	}
	for _, existing := range []bool{false, true} {
		again, err := Open(t.Context(), server, Options{Database: s.db.Name(), Existing: existing})
		if err != nil {
			t.Fatalf("Existing %v: %v", existing, err)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReopen(t *testing.T) {
	s := open(t, Options{})
	again, err := Open(t.Context(), server, Options{Database: s.db.Name()})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
