package replay

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"sync"

	"plat/plat"
)

// Key signs references from replayed pages to their resources.
type Key []byte

// ownKey is the key used without a token: random for each process, so that references cannot be
// forged.
var ownKey = sync.OnceValue(func() Key {
	key := make(Key, 32)
	rand.Read(key) // documented to never fail
	return key
})

// NewKey derives the key from a server's token, or returns this process's
// random key for "". All servers of a fleet with the same token make the same
// signatures. The derivation is slow (some hundredths of a second) to prevent
// guessing the token from signatures.
func NewKey(token string) Key {
	if token == "" {
		return ownKey()
	}
	key, err := pbkdf2.Key(sha256.New, token, []byte("plat assets"), 100_000, 32)
	if err != nil {
		panic(err) // only for key lengths that FIPS forbids
	}
	return key
}

// Sign signs a manifest: the signature proves that its bearer was shown a page
// that uses it. It is 24 characters of base64url (RFC 4648 section 5).
func (k Key) Sign(manifest plat.Hash) string {
	m := hmac.New(sha256.New, k)
	m.Write(manifest[:])
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil)[:18])
}

// Signed reports whether Sign made a signature, in constant time.
func (k Key) Signed(manifest plat.Hash, signature string) bool {
	return hmac.Equal([]byte(k.Sign(manifest)), []byte(signature))
}

// Assets returns the resources of the manifest m, whose sum is h. Each is served at root +
// signature + "/" + h + "/" + its index in m.
func (k Key) Assets(root string, h plat.Hash, m plat.Manifest) *Assets {
	return &Assets{manifest: m, prefix: root + k.Sign(h) + "/" + h.String() + "/"}
}
