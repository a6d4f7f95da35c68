package act

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"plat/browser/steps"
)

// A SessionStore stores login sessions across runs. It must be safe for concurrent use.
type SessionStore interface {
	// Load returns the session saved under a name, nil if absent.
	Load(name string) (*steps.Kept, error)
	Save(name string, k *steps.Kept) error
}

// Sessions are the login sessions of all pages. They are safe for concurrent use.
type Sessions struct {
	store SessionStore // nil: they are kept as long as this

	mu  sync.Mutex
	all map[string]*kept // guarded by mu
}

// kept is one session. Only one page at a time logs in; pages that find themselves logged out
// meanwhile wait, and use the session of that login.
type kept struct {
	turn chan struct{} // holds a token

	mu      sync.Mutex
	loaded  bool
	state   *steps.Kept // guarded by mu; nil: not logged in yet
	edition int         // guarded by mu: of state; rises with every login
	failed  error       // guarded by mu: why the last login was refused
	until   time.Time   // guarded by mu: no other is tried before
}

// NewSessions returns the sessions stored in store; nil: no stored sessions.
func NewSessions(store SessionStore) *Sessions {
	return &Sessions{store: store, all: map[string]*kept{}}
}

// of returns the session, loaded from the store on its first use.
func (l *Sessions) of(s *steps.Session) (*kept, error) {
	l.mu.Lock()
	k := l.all[s.Name]
	if k == nil {
		k = &kept{turn: make(chan struct{}, 1)}
		k.turn <- struct{}{}
		l.all[s.Name] = k
	}
	l.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.loaded && l.store != nil {
		state, err := l.store.Load(s.Name)
		if err != nil {
			return nil, fmt.Errorf("session %q: %w", s.Name, err)
		}
		// A session stored for other hosts, or by a different login, is not used.
		if state != nil && state.Session == s.Hash() {
			k.state = state
		}
	}
	k.loaded = true
	return k, nil
}

// save keeps a state.
func (l *Sessions) save(s *steps.Session, k *kept, state *steps.Kept) error {
	k.mu.Lock()
	k.state, k.failed = state, nil
	k.edition++
	k.mu.Unlock()
	if l.store == nil {
		return nil
	}
	if err := l.store.Save(s.Name, state); err != nil {
		return fmt.Errorf("session %q: %w", s.Name, err)
	}
	return nil
}

// sameKept reports whether two states restore the same.
func sameKept(a, b *steps.Kept) bool {
	if a == nil || b == nil || a.Session != b.Session || len(a.Cookies) != len(b.Cookies) || !maps.EqualFunc(a.Storage, b.Storage, maps.Equal[steps.Values, steps.Values]) {
		return false
	}
	for _, c := range a.Cookies {
		// A date that moves by less than an hour is renewed by every response.
		if !slices.ContainsFunc(b.Cookies, func(d steps.Cookie) bool {
			near := d.Expires.IsZero() == c.Expires.IsZero() && d.Expires.Sub(c.Expires).Abs() < time.Hour
			d.Expires = c.Expires
			return near && c == d
		}) {
			return false
		}
	}
	return true
}
