package replay

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"sync"

	"plat"
)

// Key signs references from replayed pages to what belongs to them.
type Key []byte

// ownKey signs where there is no token: chance that lasts as long as the process,
// so that nobody else can name what belongs to a page.
var ownKey = sync.OnceValue(func() Key {
	key := make(Key, 32)
	rand.Read(key) // never fails, says its documentation
	return key
})

// NewKey is the key of a server with a token, or for "" of this process. It follows
// from the token, so that all servers of a fleet sign alike; slowly (some
// hundredths of a second), so that nobody finds the token from what was signed.
func NewKey(token string) Key {
	if token == "" {
		return ownKey()
	}
	key, err := pbkdf2.Key(sha256.New, token, []byte("plat assets"), 100_000, 32)
	if err != nil {
		panic(err) // of key lengths that FIPS does not know
	}
	return key
}

// Sign signs a manifest: who has the signature was shown a page that uses it. It is
// 24 characters of base64url (RFC 4648 section 5).
func (k Key) Sign(manifest plat.Hash) string {
	m := hmac.New(sha256.New, k)
	m.Write(manifest[:])
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil)[:18])
}

// Signed reports whether Sign has made a signature, in constant time.
func (k Key) Signed(manifest plat.Hash, signature string) bool {
	return hmac.Equal([]byte(k.Sign(manifest)), []byte(signature))
}

// Assets are the resources of the manifest m, whose sum is h, each served at
// root + signature + "/" + h + "/" + its index in m.
func (k Key) Assets(root string, h plat.Hash, m plat.Manifest) *Assets {
	return &Assets{manifest: m, prefix: root + k.Sign(h) + "/" + h.String() + "/"}
}
