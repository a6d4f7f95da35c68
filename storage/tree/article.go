package tree

import (
	"encoding/binary"

	"plat/plat"
)

// The place of a passage, from the fifth bit of its first number on. The lower bits are its
// gaps.
const (
	passageOfBlocks = iota << 4
	passageOfLayout
	passageLiteral
	passageVerbatim // inside one block, with the blanks of its content; since format 14
)

// The first number of a version's article.
const (
	noArticle = iota
	articleWithoutKind
	articleWithKind
)

// article writes the article of a version: whether it is known, the kind of page, the title as
// a difference to the title of the page, the authors, the date, the sum of the text, and its
// passages. The start of a passage is relative to the end of the previous one, so that an
// insertion above changes only one of them.
func (w *writer) article(a *plat.Article, title string) {
	if a == nil {
		w.Uint(noArticle)
		return
	}
	if a.Kind == "" {
		w.Uint(articleWithoutKind)
	} else {
		w.Uint(articleWithKind)
		w.Text(string(a.Kind))
	}
	w.TextAs(a.Title, title)
	w.Uint(uint64(len(a.Authors)))
	for _, name := range a.Authors {
		w.Text(name)
	}
	w.Text(a.Date)
	w.B = binary.LittleEndian.AppendUint32(w.B, a.Sum)
	w.Uint(uint64(len(a.Text)))
	var last passageEnd
	for i := range a.Text {
		p := &a.Text[i]
		how := uint64(p.Before&3) | uint64(p.Line&3)<<2
		switch {
		case p.First == plat.Literally:
			w.Uint(how | passageLiteral)
			w.Text(p.Literal)
			continue
		case p.First == plat.OfLayout:
			w.Uint(how | passageOfLayout)
		case p.Verbatim:
			w.Uint(how | passageVerbatim)
			w.Int(int64(p.First) - int64(last.block))
		default:
			w.Uint(how | passageOfBlocks)
			w.Int(int64(p.First) - int64(last.block))
			w.Int(int64(p.Last) - int64(p.First))
		}
		w.Int(int64(p.From - last.before(p)))
		w.Int(int64(p.To - beginning(p)))
		last.set(p)
	}
}

func (r *reader) article(title string) *plat.Article {
	a := &plat.Article{}
	switch r.Uint() {
	case noArticle:
		return nil
	case articleWithoutKind:
	case articleWithKind: // since format 13
		a.Kind = plat.PageKind(r.Text())
	default:
		r.Fail("unknown kind of text")
		return nil
	}
	a.Title = r.TextAs(title)
	if n := r.Count(); n > 0 {
		a.Authors = make([]string, n)
	}
	for i := range a.Authors {
		a.Authors[i] = r.Text()
	}
	a.Date, a.Sum = r.Text(), uint32(r.color())
	if n := r.Count(); n > 0 {
		a.Text = make([]plat.Passage, n)
	}
	var last passageEnd
	for i := range a.Text {
		p := &a.Text[i]
		how := r.Uint()
		p.Before, p.Line = plat.Gap(how&3), plat.Gap(how>>2&3)
		switch how &^ 15 {
		case passageLiteral:
			p.First, p.Last, p.Literal = plat.Literally, plat.Literally, r.Text()
			continue
		case passageOfLayout:
			p.First, p.Last = plat.OfLayout, plat.OfLayout
		case passageVerbatim:
			p.Verbatim = true
			if p.First = r.Int32(int64(last.block)); p.First < 0 {
				r.Fail("a passage is in no block")
				return nil
			}
			p.Last = p.First
		case passageOfBlocks:
			p.First = r.Int32(int64(last.block))
			if p.Last = r.Int32(int64(p.First)); p.First < 0 || p.Last < p.First {
				r.Fail("a passage is in no block")
				return nil
			}
		default:
			r.Fail("unknown place of a passage")
			return nil
		}
		p.From = last.before(p) + int(r.Int())
		p.To = beginning(p) + int(r.Int())
		last.set(p)
	}
	return a
}

// passageEnd holds the ends of the last passage of blocks and the last passage of the layout.
type passageEnd struct {
	block    int32
	at       int // offset in the block
	inLayout int
}

// before returns the base of the start of a passage: the end of the previous one, if that is in
// the same text.
func (e *passageEnd) before(p *plat.Passage) int {
	switch p.First {
	case plat.OfLayout:
		return e.inLayout
	case e.block:
		return e.at
	}
	return 0
}

func (e *passageEnd) set(p *plat.Passage) {
	if p.First == plat.OfLayout {
		e.inLayout = p.To
		return
	}
	e.block, e.at = p.Last, p.To
}

// beginning returns the base of the end of a passage.
func beginning(p *plat.Passage) int {
	if p.First == p.Last {
		return p.From
	}
	return 0
}
