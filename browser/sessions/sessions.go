// Package sessions stores login sessions in an encrypted file.
//
// The file is
//
//	magic   "plat sessions 1\n"
//	salt    16 bytes
//	nonce   24 bytes
//	data    XChaCha20-Poly1305 of JSON, sessions by name; the preceding fields are
//	        authenticated with it
//
// The cipher's key is derived by Argon2id (RFC 9106) from the user's key and the
// salt: a memorable key is allowed, a random one is better. Every write uses a new
// nonce. The file is replaced atomically, so that a crash leaves the old or the new
// one, and is readable by its owner only.
package sessions

import (
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/chacha20poly1305"

	"plat/browser/steps"
)

const (
	magic    = "plat sessions 1\n"
	saltSize = 16
	headSize = len(magic) + saltSize + chacha20poly1305.NonceSizeX

	// MinKey is the minimum length of a key, in bytes.
	MinKey = 8

	// maxFile is the maximum size of a file, in bytes.
	maxFile = 256 << 20

	// The parameters of Argon2id: two passes over 19 MiB, as recommended by OWASP's Password
	// Storage Cheat Sheet. A store derives its cipher at the first use of the file, and again
	// only if the file has a different salt, not for every write.
	argonTime, argonMemory, argonThreads = 2, 19 << 10, 1
)

// ErrKey is returned if the file cannot be decrypted with the key.
var ErrKey = errors.New("wrong key, or the file is damaged")

// Store is a file of sessions. It is safe for concurrent use by goroutines and by
// processes of one machine.
type Store struct {
	path string
	key  []byte

	mu   sync.Mutex
	salt []byte      // from which aead was derived; guarded by mu
	aead cipher.AEAD // guarded by mu
}

// Open returns the store in a file, which need not exist. A file that cannot be
// decrypted with the key gives [ErrKey].
func Open(path string, key []byte) (*Store, error) {
	if len(key) < MinKey {
		return nil, fmt.Errorf("sessions: the key has %d bytes; use %d or more, preferably random ones", len(key), MinKey)
	}
	s := &Store{path: path, key: bytes.Clone(key)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.read(); err != nil {
		return nil, err
	}
	// Detect an unwritable file now, not after a login.
	release, err := s.lock()
	if err != nil {
		return nil, err
	}
	release()
	return s, nil
}

// Load returns the session saved under a name, nil if absent.
func (s *Store) Load(name string) (*steps.Kept, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.read()
	if err != nil {
		return nil, err
	}
	return all[name], nil
}

// Save stores a session under a name, replacing the old one. Other sessions in the
// file are unchanged.
func (s *Store) Save(name string, k *steps.Kept) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	release, err := s.lock()
	if err != nil {
		return err
	}
	defer release()
	all, err := s.read()
	if err != nil {
		return err
	}
	if all == nil {
		all = map[string]*steps.Kept{}
	}
	all[name] = k
	return s.write(all)
}

// lock excludes writes by other processes.
func (s *Store) lock() (release func(), err error) {
	f, err := os.OpenFile(s.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("sessions: lock %s: %w", s.path, err)
	}
	return func() { f.Close() }, nil // which unlocks it
}

// cipherFor derives the cipher of a salt. mu is held.
func (s *Store) cipherFor(salt []byte) (cipher.AEAD, error) {
	if s.aead != nil && bytes.Equal(salt, s.salt) {
		return s.aead, nil
	}
	aead, err := chacha20poly1305.NewX(argon2.IDKey(s.key, salt, argonTime, argonMemory, argonThreads, chacha20poly1305.KeySize))
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	s.salt, s.aead = bytes.Clone(salt), aead
	return aead, nil
}

// read reads all sessions; nil if there is no file. mu is held.
func (s *Store) read() (map[string]*steps.Kept, error) {
	f, err := os.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	if len(b) < headSize || string(b[:len(magic)]) != magic {
		return nil, fmt.Errorf("sessions: %s is not a file of sessions; name a different one", s.path)
	}
	head, nonce := b[:headSize], b[headSize-chacha20poly1305.NonceSizeX:headSize]
	aead, err := s.cipherFor(b[len(magic) : len(magic)+saltSize])
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, nonce, b[headSize:], head)
	if err != nil {
		return nil, fmt.Errorf("sessions: %s: %w", s.path, ErrKey)
	}
	all := map[string]*steps.Kept{}
	if err := json.Unmarshal(plain, &all); err != nil {
		return nil, fmt.Errorf("sessions: %s: written by a different version of plat; delete it to create a new one", s.path)
	}
	return all, nil
}

// write replaces the file. mu is held.
func (s *Store) write(all map[string]*steps.Kept) error {
	plain, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	salt := s.salt
	if salt == nil {
		salt = make([]byte, saltSize)
		rand.Read(salt) // never fails
	}
	aead, err := s.cipherFor(salt)
	if err != nil {
		return err
	}
	nonce := make([]byte, chacha20poly1305.NonceSizeX)
	rand.Read(nonce)
	head := append(append([]byte(magic), salt...), nonce...)
	b := aead.Seal(bytes.Clone(head), nonce, plain, head)

	f, err := os.CreateTemp(filepath.Dir(s.path), "."+filepath.Base(s.path)+"-*") // 0600
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if failed := f.Close(); err == nil {
		err = failed
	}
	if err == nil {
		err = os.Rename(f.Name(), s.path)
	}
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	return nil
}
