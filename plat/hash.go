package plat

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Hash is the SHA-256 of some stored bytes: a block's content, a layout, a screenshot. It is
// comparable, so it is used as a map key. The zero Hash means "no hash".
type Hash [32]byte

// HashOf returns the hash of b.
func HashOf(b []byte) Hash { return sha256.Sum256(b) }

// IsZero reports whether h is the zero Hash.
func (h Hash) IsZero() bool { return h == Hash{} }

// String returns the hash in lower-case hexadecimal, 64 digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Short returns the first 12 digits of String, enough to identify a block to a
// reader.
func (h Hash) Short() string { return hex.EncodeToString(h[:6]) }

// ParseHash parses the output of String.
func ParseHash(s string) (Hash, error) {
	var h Hash
	if len(s) != 2*len(h) {
		return h, fmt.Errorf("hash %q: want %d hexadecimal digits, got %d", s, 2*len(h), len(s))
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return Hash{}, fmt.Errorf("hash %q: %w", s, err)
	}
	return h, nil
}

// MarshalText encodes the hash as String does; the zero hash is empty text.
func (h Hash) MarshalText() ([]byte, error) {
	if h.IsZero() {
		return nil, nil
	}
	return []byte(h.String()), nil
}

// UnmarshalText decodes the output of MarshalText.
func (h *Hash) UnmarshalText(b []byte) (err error) {
	if len(b) == 0 {
		*h = Hash{}
		return nil
	}
	*h, err = ParseHash(string(b))
	return err
}
