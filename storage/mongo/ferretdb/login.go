package main

import (
	"crypto/md5"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"github.com/xdg-go/scram"
	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/primitive"
)

// users is the one user of a server with a password, by mechanism: FerretDB, where it is embedded, has none.
type users map[string]*scram.Server

// newUsers returns nil, for a server without users, if there is no name.
func newUsers(name, password string) (users, error) {
	if name == "" {
		return nil, nil
	}
	salt := make([]byte, 16)
	rand.Read(salt)
	digest := md5.Sum([]byte(name + ":mongo:" + password)) // as MongoDB has it for SCRAM-SHA-1
	u := users{}
	for mechanism, of := range map[string]struct {
		hash   scram.HashGeneratorFcn
		secret string
	}{"SCRAM-SHA-1": {scram.SHA1, hex.EncodeToString(digest[:])}, "SCRAM-SHA-256": {scram.SHA256, password}} {
		client, err := of.hash.NewClientUnprepped(name, of.secret, "")
		if err != nil {
			return nil, err
		}
		stored := client.GetStoredCredentials(scram.KeyFactors{Salt: string(salt), Iters: 10000})
		u[mechanism], err = of.hash.NewServer(func(who string) (scram.StoredCredentials, error) {
			if who != name {
				return scram.StoredCredentials{}, fmt.Errorf("unknown user %q", who)
			}
			return stored, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return u, nil
}

// login is the state of a connection to a server with users.
type login struct {
	users        users
	conversation *scram.ServerConversation
	done         bool
}

// answer returns the reply to a command of a login, or to one that needs a login before; nil if the server is to answer.
func (l *login) answer(c *command) []byte {
	if l.users == nil || c == nil {
		return nil
	}
	payload := func() string {
		_, b, _ := c.body.Lookup("payload").BinaryOK()
		return string(b)
	}
	switch c.name() {
	case "hello", "isMaster", "ismaster", "ping", "endSessions", "buildInfo":
		return nil
	case "saslStart":
		l.conversation, l.done = nil, false
		mechanism, _ := c.body.Lookup("mechanism").StringValueOK()
		if s := l.users[mechanism]; s != nil {
			l.conversation = s.NewConversation()
		}
		return l.step(c, payload())
	case "saslContinue":
		return l.step(c, payload())
	}
	if l.done {
		return nil
	}
	return failure(c, 13, "Unauthorized", fmt.Sprintf("command %s requires authentication", c.name()))
}

// step answers the next message of a conversation.
func (l *login) step(c *command, said string) []byte {
	if l.conversation == nil {
		return failure(c, 18, "AuthenticationFailed", "Authentication failed.")
	}
	answer := ""
	if !l.conversation.Done() { // a driver may confirm the end with an empty message
		var err error
		if answer, err = l.conversation.Step(said); err != nil {
			l.conversation = nil
			return failure(c, 18, "AuthenticationFailed", "Authentication failed.")
		}
	}
	l.done = l.conversation.Valid()
	reply, err := c.reply(bson.D{{Key: "conversationId", Value: int32(1)}, {Key: "done", Value: l.conversation.Done()},
		{Key: "payload", Value: primitive.Binary{Data: []byte(answer)}}, {Key: "ok", Value: 1.0}})
	if err != nil {
		return nil
	}
	return reply
}

// failure returns the reply to a command that failed.
func failure(c *command, code int32, name, message string) []byte {
	reply, err := c.reply(bson.D{{Key: "ok", Value: 0.0}, {Key: "errmsg", Value: message}, {Key: "code", Value: code}, {Key: "codeName", Value: name}})
	if err != nil {
		return nil
	}
	return reply
}
