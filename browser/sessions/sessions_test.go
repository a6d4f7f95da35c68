package sessions

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/browser/steps"
	"plat/plat"
)

var key = []byte("correct horse battery")

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path, key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sample(name string) *steps.Kept {
	return &steps.Kept{
		Session: plat.HashOf([]byte(name)), Saved: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Cookies: []steps.Cookie{{Name: "sid", Value: "value of " + name, Domain: ".news.example", Path: "/", Secure: true, HTTPOnly: true, SameSite: "Lax", Expires: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}},
		Storage: map[string]steps.Values{"https://news.example": {"token": "token of " + name}},
	}
}

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions")
	s := open(t, path)
	if k, err := s.Load("a"); k != nil || err != nil {
		t.Errorf("an empty store has %v, %v", k, err)
	}
	for _, name := range []string{"a", "b"} {
		if err := s.Save(name, sample(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []*Store{s, open(t, path)} {
		for _, name := range []string{"a", "b"} {
			if k, err := s.Load(name); err != nil || !reflect.DeepEqual(k, sample(name)) {
				t.Errorf("%s is %+v, %v", name, k, err)
			}
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, no := range []string{"value of", "token of", "news.example", "sid", string(key)} {
		if bytes.Contains(b, []byte(no)) {
			t.Errorf("the file contains %q in plain text", no)
		}
	}
	if i, err := os.Stat(path); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("the file mode is %v, %v", i.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWrongKeyOrDamageIsRejected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions")
	if err := open(t, path).Save("a", sample("a")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, []byte("another key than it")); !errors.Is(err, ErrKey) {
		t.Errorf("another key: %v", err)
	}
	if _, err := Open(path, []byte("short")); err == nil || !strings.Contains(err.Error(), "8 or more") {
		t.Errorf("a short key: %v", err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 1
		if i >= headSize && i%17 != 0 { // the derivation of a key for each byte of the salt is slow enough
			continue
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, key); err == nil {
			t.Errorf("Open succeeds with byte %d changed", i)
		}
	}
	for _, n := range []int{0, 1, headSize - 1, headSize, len(whole) - 1} {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, key); err == nil {
			t.Errorf("Open succeeds with %d of %d bytes", n, len(whole))
		}
	}
}

func TestEveryWriteHasItsOwnNonce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions")
	s := open(t, path)
	seen := map[string]bool{}
	for range 5 {
		if err := s.Save("a", sample("a")); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		nonce := string(b[len(magic)+saltSize : headSize])
		if seen[nonce] {
			t.Error("a nonce was reused")
		}
		seen[nonce] = true
	}
}

func TestConcurrentStoresOfOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions")
	var work sync.WaitGroup
	for i := range 4 {
		s := open(t, path)
		work.Go(func() {
			for j := range 10 {
				if err := s.Save(fmt.Sprint(i, "-", j), sample("x")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	s := open(t, path)
	for i := range 4 {
		for j := range 10 {
			if k, err := s.Load(fmt.Sprint(i, "-", j)); k == nil || err != nil {
				t.Errorf("%d-%d is lost: %v", i, j, err)
			}
		}
	}
}

func TestOtherFilesAreRejected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte("dear diary, today I wrote forty bytes and more of text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, key); err == nil || !strings.Contains(err.Error(), "is not a file of sessions") {
		t.Errorf("error %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "no", "folder"), key); err == nil {
		t.Error("a missing folder gave no error")
	}
}
