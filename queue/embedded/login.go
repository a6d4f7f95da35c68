package embedded

import (
	"crypto/sha256"
	"crypto/subtle"
	"strings"
)

// login checks the password of a client, if the server has one. It returns the command that is
// left to be executed, or nil.
func (x *session) login(words []string) []string {
	if x.s.password == "" || x.trusted {
		return words
	}
	name := strings.ToUpper(words[0])
	switch {
	case name == "AUTH" && (len(words) == 2 || len(words) == 3):
		user := "default"
		if len(words) == 3 {
			user = words[1]
		}
		if x.give(user, words[len(words)-1]) {
			x.peer.WriteOK()
		}
		return nil
	case name == "HELLO" && len(words) >= 5 && strings.EqualFold(words[2], "AUTH"):
		if !x.give(words[3], words[4]) {
			return nil
		}
		return append([]string{words[0], words[1]}, words[5:]...)
	case x.known.Load(), name == "QUIT":
		return words
	case name == "HELLO":
		x.peer.WriteError("NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time")
		return nil
	}
	x.peer.WriteError("NOAUTH Authentication required.")
	return nil
}

// give checks the password of a client, and sends an error if it is wrong.
func (x *session) give(user, password string) bool {
	got, want := sha256.Sum256([]byte(password)), sha256.Sum256([]byte(x.s.password))
	if subtle.ConstantTimeCompare(got[:], want[:])&subtle.ConstantTimeCompare([]byte(user), []byte("default")) != 1 {
		x.peer.WriteError("WRONGPASS invalid username-password pair or user is disabled.")
		return false
	}
	x.known.Store(true)
	x.stays()
	return true
}
