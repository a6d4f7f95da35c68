package traps

import (
	"slices"
	"strings"
	"unicode"
)

// evidence counts the pages for and against a rule that a part of an address changes nothing.
type evidence struct {
	pro, con int      // pages that had one address by the rule, and pages that differed
	mains    []uint64 // the last pages in favour: each counts once
}

const (
	// enough is the number of pages with two addresses that a rule needs before it is applied;
	// weight is the number of them that each page that differs cancels.
	enough = 3
	weight = 10

	maxEvidence = 500  // rules of a kind
	maxMains    = 16   // pages remembered per rule
	checkShare  = 0.02 // of links whose address a rule changes, visited nevertheless
)

func (e *evidence) holds() bool { return e != nil && e.pro >= enough && e.pro >= weight*e.con }

// add counts a page in favour, and reports whether the rule holds since then.
func (e *evidence) add(main uint64) bool {
	if slices.Contains(e.mains, main) {
		return false
	}
	held := e.holds()
	if e.pro++; len(e.mains) >= maxMains {
		e.mains = e.mains[1:]
	}
	e.mains = append(e.mains, main)
	return e.holds() && !held
}

// A piece is a part of path and query that may be replaced by a second text without changing the
// page: "print/" by "", "view?id=" by "page/". It begins after a separator; if root, at the
// beginning of the path; if end, it is the end of the URL.
type piece struct {
	From, To  string
	Root, End bool
}

// Sorted returns a URL with its parameters in order of their names. Addresses that
// differ only in the order of parameters have one such form.
func Sorted(url string) string {
	head, query, ok := strings.Cut(url, "?")
	if !ok || !strings.Contains(query, "&") {
		return url
	}
	params := strings.Split(query, "&")
	slices.SortStableFunc(params, func(a, b string) int { return strings.Compare(name(a), name(b)) })
	return head + "?" + strings.Join(params, "&")
}

func name(param string) string { n, _, _ := strings.Cut(param, "="); return n }

// Plain returns the address under which a link is to be followed, without the parts that change
// nothing on this site.
func (s *Site) Plain(url string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plain(url)
}

// Replaced records that a link was followed under its plain address.
func (s *Site) Replaced(link, plain string) {
	s.mu.Lock()
	s.links.Put(keyOf(plain), link)
	s.mu.Unlock()
}

// Link returns the link that was followed under this plain address lately, empty if unknown.
func (s *Site) Link(plain string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	link, _ := s.links.Get(keyOf(plain))
	return link
}

// Check reports whether to follow a link under its own address although its Plain address differs,
// to check the rules.
func (s *Site) Check() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.luck() < checkShare
}

// maxRules is the number of rules that may be applied in sequence.
const maxRules = 20

func (s *Site) plain(url string) string {
	drops := func(name string) bool { return s.params[name].holds() }
	best := Without(url, drops)
	for range maxRules {
		from := best
		for p, e := range s.pieces {
			if !e.holds() {
				continue
			}
			if to, ok := p.apply(from); ok {
				if to = Without(to, drops); better(to, best) {
					best = to
				}
			}
		}
		if best == from {
			return best
		}
	}
	return url
}

// better orders addresses of one page, so that rules cannot lead in circles.
func better(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }

// Without removes parameters from query and path.
func Without(url string, drop func(name string) bool) string {
	head, query, ok := strings.Cut(url, "?")
	if strings.Contains(head, ";") {
		segments := strings.Split(head, "/")
		for i, segment := range segments {
			parts := strings.Split(segment, ";")
			kept := slices.DeleteFunc(parts[1:], func(p string) bool { return drop(name(p)) })
			segments[i] = strings.Join(parts[:1+len(kept)], ";")
		}
		head = strings.Join(segments, "/")
	}
	if !ok {
		return head
	}
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(p string) bool { return drop(name(p)) })
	if len(kept) == 0 {
		return head
	}
	return head + "?" + strings.Join(kept, "&")
}

// apply replaces the first place of a piece.
func (p piece) apply(url string) (string, bool) {
	host, _, _ := split(url)
	x := strings.TrimPrefix(url[len(host):], "/")
	for at := 0; at <= len(x); at++ {
		i := strings.Index(x[at:], p.From)
		if i < 0 {
			return url, false
		}
		at += i
		end := at + len(p.From)
		switch {
		case p.Root && at > 0, at > 0 && !separates(x[at-1]) && !separates(x[at]), p.End && end < len(x):
			if p.Root {
				return url, false
			}
			continue
		}
		return host + "/" + x[:at] + p.To + x[end:], true
	}
	return url, false
}

func separates(c byte) bool {
	return c < 0x80 && !unicode.IsLetter(rune(c)) && !unicode.IsDigit(rune(c))
}

// tokens cuts a text into words and separators.
func tokens(s string) []string {
	var all []string
	from := 0
	for i := 0; i < len(s); i++ {
		if separates(s[i]) {
			if i > from {
				all = append(all, s[from:i])
			}
			all = append(all, s[i:i+1])
			from = i + 1
		}
	}
	if from < len(s) {
		all = append(all, s[from:])
	}
	return all
}

// Same records that two addresses led to the same page, and learns rules from it.
func (s *Site) Same(a, b string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a == b {
		return
	}
	if better(a, b) {
		a, b = b, a
	}
	hostA, _, _ := split(a)
	hostB, _, _ := split(b)
	if hostA != hostB {
		return
	}
	main := keyOf(s.plain(b))
	if names := Differing(a, b); len(names) > 0 {
		if len(names) > 2 {
			return
		}
		for _, n := range names {
			if s.params[n] == nil && len(s.params) < maxEvidence {
				s.params[n] = &evidence{}
			}
			if e := s.params[n]; e != nil && e.add(main) {
				s.place()
			}
		}
		return
	}
	any := func(name string) bool { return s.params[name].holds() }
	p, ok := pieceOf(Without(a, any)[len(hostA):], Without(b, any)[len(hostB):])
	if !ok {
		return
	}
	if s.pieces[p] == nil {
		if len(s.pieces) >= maxEvidence {
			for old, e := range s.pieces {
				if e.pro < enough {
					delete(s.pieces, old)
				}
			}
		}
		if len(s.pieces) >= maxEvidence {
			return
		}
		s.pieces[p] = &evidence{}
	}
	if s.pieces[p].add(main) {
		s.place()
	}
}

// place stores the known pages under their plain addresses, after rules have changed.
func (s *Site) place() {
	placed := memory[string]()
	for _, url := range s.pages.All {
		placed.Put(keyOf(s.plain(url)), url)
	}
	s.pages = placed
}

// Known returns the URL of a page that has the same plain address and was visited lately; empty if
// there is no such URL besides url.
func (s *Site) Known(url string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, _ := s.pages.Get(keyOf(s.plain(url))); other != url {
		return other
	}
	return ""
}

// Differing returns the names of the parameters in which two URLs differ, nil if they
// differ in something else.
func Differing(a, b string) (names []string) {
	all := func(string) bool { return true }
	if Without(a, all) != Without(b, all) {
		return nil
	}
	params := func(url string) map[string]string {
		_, path, query := split(url)
		_, more := pathParams(path)
		m := map[string]string{}
		for _, p := range append(more, strings.Split(query, "&")...) {
			if p != "" {
				m[name(p)] += p + "&"
			}
		}
		return m
	}
	pa, pb := params(a), params(b)
	for n, v := range pa {
		if pb[n] != v {
			names = append(names, n)
		}
	}
	for n := range pb {
		if _, ok := pa[n]; !ok {
			names = append(names, n)
		}
	}
	return names
}

// pieceOf returns the piece in which two paths with queries differ; ok is false if no
// rule can be made of it: numbers tell pages apart.
func pieceOf(a, b string) (p piece, ok bool) {
	x, y := tokens(strings.TrimPrefix(a, "/")), tokens(strings.TrimPrefix(b, "/"))
	i, k := 0, 0
	for i < min(len(x), len(y)) && x[i] == y[i] {
		i++
	}
	for k < min(len(x), len(y))-i && x[len(x)-1-k] == y[len(y)-1-k] {
		k++
	}
	from, to := x[i:len(x)-k], y[i:len(y)-k]
	if len(from) == 0 || len(from) > 12 || slices.ContainsFunc(slices.Concat(from, to), func(t string) bool { return numeric([]string{t}) }) {
		return p, false
	}
	return piece{From: strings.Join(from, ""), To: strings.Join(to, ""), Root: i == 0, End: k == 0}, true
}

// Differ records that two addresses that are equal by the rules lead to different pages.
func (s *Site) Differ(a, b string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range Differing(a, b) {
		if e := s.params[n]; e != nil {
			e.con++
		}
	}
	for p, e := range s.pieces {
		if to, ok := p.apply(a); ok && to == b {
			e.con++
		} else if to, ok := p.apply(b); ok && to == a {
			e.con++
		}
	}
}

// Own records a page without known aliases, by its fingerprint. It counts against rules that would
// give it the address of a different page.
func (s *Site) Own(url string, fingerprint uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	against := func(e *evidence, keys ...string) {
		k := keyOf(keys...)
		if other, ok := s.prints.Get(k); ok && other != fingerprint && e != nil {
			e.con++
		}
	}
	for p, e := range s.pieces {
		if to, ok := p.apply(url); ok {
			against(e, to)
		}
	}
	_, path, query := split(url)
	_, params := pathParams(path)
	if query != "" {
		params = append(params, strings.Split(query, "&")...)
	}
	for _, param := range params[:min(len(params), 10)] {
		n := name(param)
		rest := Without(url, func(other string) bool { return other == n })
		if _, ok := s.prints.Get(keyOf(rest, n)); ok && s.params[n] == nil && len(s.params) < maxEvidence {
			s.params[n] = &evidence{} // it may count before anything speaks in favour
		}
		against(s.params[n], rest, n)
		against(s.params[n], rest)
		s.prints.Put(keyOf(rest, n), fingerprint)
	}
	s.prints.Put(keyOf(url), fingerprint)
	s.pages.Put(keyOf(s.plain(url)), url)
}
