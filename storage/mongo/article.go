package mongo

import "plat/plat"

// articleDoc is the article of a version: its main text and metadata.
type articleDoc struct {
	Kind    text         `bson:"kind,omitempty"`
	Title   text         `bson:"title,omitempty"`
	Authors []text       `bson:"authors,omitempty"`
	Date    text         `bson:"date,omitempty"`
	Text    []passageDoc `bson:"text,omitempty"`
	Sum     int64        `bson:"crc32"` // of the text
}

// passageDoc is a part of the text: a range of the texts of blocks, or a literal.
type passageDoc struct {
	Before  text   `bson:"before,omitempty"` // separator from the previous passage
	First   *int32 `bson:"first,omitempty"`  // index in blocks, or -1: the layout's text; absent: literal
	From    int    `bson:"from,omitempty"`   // offset in the text of first
	Last    *int32 `bson:"last,omitempty"`   // absent: same as first
	To      int    `bson:"to,omitempty"`     // offset in the text of last
	Line    text   `bson:"line,omitempty"`   // replacement of the ends of lines and blocks
	Literal text   `bson:"literal,omitempty"`

	Verbatim bool `bson:"verbatim,omitempty"`
}

func newArticleDoc(a *plat.Article) *articleDoc {
	if a == nil {
		return nil
	}
	d := &articleDoc{Kind: text(a.Kind), Title: text(a.Title), Date: text(a.Date), Sum: int64(a.Sum)}
	for _, name := range a.Authors {
		d.Authors = append(d.Authors, text(name))
	}
	for i := range a.Text {
		p := a.Text[i]
		x := passageDoc{Before: text(p.Before.String()), From: p.From, To: p.To, Line: text(p.Line.String()), Verbatim: p.Verbatim, Literal: text(p.Literal)}
		if p.First != plat.Literally {
			x.First = &p.First
			if p.Last != p.First {
				x.Last = &p.Last
			}
		}
		d.Text = append(d.Text, x)
	}
	return d
}

// article converts a document back.
func (d *articleDoc) article() *plat.Article {
	if d == nil {
		return nil
	}
	a := &plat.Article{Kind: plat.PageKind(d.Kind), Title: string(d.Title), Date: string(d.Date), Sum: uint32(d.Sum)}
	for _, name := range d.Authors {
		a.Authors = append(a.Authors, string(name))
	}
	for i := range d.Text {
		x := &d.Text[i]
		p := plat.Passage{Before: gapOf(x.Before), First: plat.Literally, Last: plat.Literally, From: x.From, To: x.To, Line: gapOf(x.Line), Verbatim: x.Verbatim, Literal: string(x.Literal)}
		if x.First != nil {
			p.First, p.Last = *x.First, *x.First
		}
		if x.Last != nil {
			p.Last = *x.Last
		}
		a.Text = append(a.Text, p)
	}
	return a
}

func gapOf(s text) plat.Gap {
	for g := range plat.Gap(plat.Gaps) {
		if g.String() == string(s) {
			return g
		}
	}
	return plat.NoGap
}
