package traps

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"plat/plat"
)

// NotePrefix begins the names of the notes in an archive that hold the data of hosts; the host
// follows.
const NotePrefix = "traps/"

// noteVersion is the version of the encoding.
const noteVersion = 1

// note is the data of a Site, as text.
type note struct {
	V        int                   `json:"v"`
	Patterns map[string][4]float64 `json:"patterns,omitempty"` // visits, fruitful, redirects, grown
	Params   map[string][2]int     `json:"params,omitempty"`   // pro, con
	Pieces   []pieceNote           `json:"pieces,omitempty"`
}

type pieceNote struct {
	piece
	Pro int
	Con int `json:",omitempty"`
}

// notedPatterns is the number of patterns kept as text: those with the most visits.
const notedPatterns = 500

// Text returns the data of the site, empty if there is none. The phrases of pages are not part of
// it.
func (s *Site) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := note{V: noteVersion, Patterns: map[string][4]float64{}, Params: map[string][2]int{}}
	keys := slices.SortedFunc(maps.Keys(s.patterns), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.patterns[b].visits, s.patterns[a].visits), cmp.Compare(a, b))
	})
	for _, key := range keys[:min(len(keys), notedPatterns)] {
		p := s.patterns[key]
		n.Patterns[key] = [4]float64{p.visits, p.fruitful, p.redirects, p.grown}
	}
	for name, e := range s.params {
		n.Params[name] = [2]int{e.pro, e.con}
	}
	for p, e := range s.pieces {
		if e.pro+e.con > 1 { // one page does not make a rule
			n.Pieces = append(n.Pieces, pieceNote{p, e.pro, e.con})
		}
	}
	slices.SortFunc(n.Pieces, func(a, b pieceNote) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	if len(n.Patterns)+len(n.Params)+len(n.Pieces) == 0 {
		return ""
	}
	text, err := json.Marshal(n)
	if err != nil {
		panic(fmt.Sprintf("traps: encode: %v", err)) // strings and numbers can be encoded
	}
	return string(text)
}

// Learn adds the data of a different Site, or an earlier state of this one, as returned by Text.
// Of data in both it takes the larger numbers, so that adding it twice changes nothing. The error
// is [plat.ErrCorrupt] for an invalid text, [plat.ErrNewer] for one of a newer version.
func (s *Site) Learn(text string) error {
	if text == "" {
		return nil
	}
	var n note
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		return fmt.Errorf("note of a site: %v: %w", err, plat.ErrCorrupt)
	}
	if n.V > noteVersion {
		return fmt.Errorf("note of a site: version %d: %w", n.V, plat.ErrNewer)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, x := range n.Patterns {
		p := s.patterns[key]
		if p == nil {
			if len(s.patterns) >= maxPatterns {
				continue
			}
			p = &pattern{}
			s.patterns[key] = p
		}
		if x[0] > p.visits && x[1] >= 0 {
			*p = pattern{visits: x[0], fruitful: min(x[0], x[1]), redirects: min(x[0], x[2]), grown: x[3]}
		}
	}
	for name, x := range n.Params {
		if s.params[name] == nil && len(s.params) < maxEvidence {
			s.params[name] = &evidence{}
		}
		s.params[name].raise(x[0], x[1])
	}
	for _, x := range n.Pieces {
		if x.From != "" && s.pieces[x.piece] == nil && len(s.pieces) < maxEvidence {
			s.pieces[x.piece] = &evidence{}
		}
		s.pieces[x.piece].raise(x.Pro, x.Con)
	}
	s.place()
	return nil
}

func (e *evidence) raise(pro, con int) {
	if e != nil {
		e.pro, e.con = max(e.pro, pro), max(e.con, con)
	}
}
