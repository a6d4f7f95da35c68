package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	netmail "net/mail"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/emersion/go-smtp"
	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// moment is a moment of telling at which plat may be killed once.
type moment struct {
	name string
	kill atomic.Value // func()
}

// come kills plat, if it is to be killed now.
func (m *moment) come() {
	if f, ok := m.kill.Swap(func() {}).(func()); ok {
		f()
	}
}

// received is the received messages, by ID.
type received struct {
	mu       sync.Mutex
	messages map[string][]string // IDs of its items; empty for a mail
	repeated int
	wrong    []string
}

func (r *received) add(id string, items []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.messages[id]; ok {
		r.repeated++
	}
	r.messages[id] = items
}

func (r *received) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.messages)
}

// hook is a receiver of webhooks.
type hook struct {
	received
	url, secret   string
	verify        *webhooks.Webhook
	down          atomic.Bool
	before, after moment
}

func listenHook() (*hook, error) {
	key := make([]byte, 24)
	rand.Read(key)
	h := &hook{secret: "whsec_" + base64.StdEncoding.EncodeToString(key)}
	h.messages, h.before.name, h.after.name = map[string][]string{}, "before a webhook is answered", "after a webhook was answered"
	var err error
	if h.verify, err = webhooks.NewWebhook(h.secret); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h.url = fmt.Sprintf("http://%s/#$HOOK_SECRET", l.Addr())
	go http.Serve(l, h)
	return h, nil
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.down.Load() {
		panic(http.ErrAbortHandler)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	h.before.come()
	var m struct {
		Data struct {
			Items []struct{ ID string }
		}
	}
	if err = h.verify.Verify(body, r.Header); err == nil {
		err = json.Unmarshal(body, &m)
	}
	if err != nil {
		h.mu.Lock()
		h.wrong = append(h.wrong, err.Error())
		h.mu.Unlock()
	}
	var items []string
	for _, it := range m.Data.Items {
		items = append(items, it.ID)
	}
	h.add(r.Header.Get("Webhook-Id"), items)
	w.WriteHeader(http.StatusNoContent)
	w.(http.Flusher).Flush()
	h.after.come()
}

// mail is a mail server.
type mail struct {
	received
	url           string
	before, after moment
}

func listenMail() (*mail, error) {
	m := &mail{}
	m.messages, m.before.name, m.after.name = map[string][]string{}, "before a mail is accepted", "after a mail was accepted"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{m}, nil }))
	s.Domain = "localhost"
	go s.Serve(l)
	m.url = fmt.Sprintf("smtp://%s/?from=plat@example.org&to=reader@example.org", l.Addr())
	return m, nil
}

type session struct{ m *mail }

func (s *session) Reset()                               {}
func (s *session) Logout() error                        { return nil }
func (s *session) Mail(string, *smtp.MailOptions) error { return nil }
func (s *session) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (s *session) Data(r io.Reader) error {
	s.m.before.come()
	msg, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	id, _, ok := strings.Cut(strings.Trim(msg.Header.Get("Message-ID"), "<>"), "@")
	if !ok {
		return errors.New("no Message-ID")
	}
	if _, err := io.Copy(io.Discard, msg.Body); err != nil {
		return err
	}
	s.m.add(id, nil)
	go s.m.after.come()
	return nil
}
