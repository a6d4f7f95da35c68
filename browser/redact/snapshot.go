package redact

import (
	"mime"
	"slices"
	"strings"

	"plat/plat"
)

// Snapshot removes the secrets from a snapshot: from its URLs, headers, nodes and generated
// texts. Texts of one document are searched as one. Loads that contain a secret are dropped, and
// LoadsKnown becomes false: without its URL, a load cannot be repeated.
func (r *Redactor) Snapshot(s *plat.Snapshot) {
	if r == nil {
		return
	}
	for _, text := range []*string{&s.FinalURL, &s.Title, &s.Language, &s.ContentType} {
		*text = r.Text(*text)
	}
	for i := range s.Redirects {
		s.Redirects[i].URL = r.Text(s.Redirects[i].URL)
	}
	for i := range s.Header {
		s.Header[i] = [2]string{r.name(s.Header[i][0]), r.Text(s.Header[i][1])}
	}
	for i := range s.Failed {
		s.Failed[i].URL, s.Failed[i].Why = r.Text(s.Failed[i].URL), r.Text(s.Failed[i].Why)
	}
	known := len(s.Loads)
	s.Loads = slices.DeleteFunc(s.Loads, func(l plat.Load) bool { return r.inLoad(&l) })
	s.LoadsKnown = s.LoadsKnown && len(s.Loads) == known
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind == plat.CommentNode {
			n.Value = r.Text(n.Value)
		}
		n.Name = r.name(n.Name)
		for j := range n.Attrs {
			n.Attrs[j] = plat.Attr{Name: r.name(n.Attrs[j].Name), Value: r.Text(n.Attrs[j].Value)}
		}
	}
	for _, parts := range runs(s) {
		r.Parts(parts)
	}
}

// inLoad reports whether a load has a secret.
func (r *Redactor) inLoad(l *plat.Load) bool {
	return slices.ContainsFunc([]string{l.URL, l.Location, l.ETag, l.LastModified, l.ContentType, l.CacheControl, l.Expires, l.Vary}, func(s string) bool {
		return r.Text(s) != s
	})
}

// name is Text for the name of an element, an attribute or a header, which has no brackets.
func (r *Redactor) name(s string) string {
	if text := r.Text(s); text != s {
		return strings.ReplaceAll(text, Mark, strings.Trim(Mark, "[]"))
	}
	return s
}

// runs returns the consecutive texts of a snapshot: those of a document with its shadow roots and
// generated texts, of the contents of a template, and of each element whose text is separate from
// the page's.
func runs(s *plat.Snapshot) (all [][]Part) {
	type open struct {
		end   int32
		run   int       // index in all of the run inside; -1: the outer run continues
		after []*string // generated texts at its end
	}
	all = append(all, nil)
	stack := []open{{end: int32(len(s.Nodes)), run: 0}}
	current := func() int {
		for i := len(stack) - 1; ; i-- {
			if stack[i].run >= 0 {
				return stack[i].run
			}
		}
	}
	add := func(text *string, shown bool) {
		at := current()
		all[at] = append(all[at], Part{text, shown})
	}
	leave := func(i int32) {
		for len(stack) > 1 && stack[len(stack)-1].end <= i {
			for _, text := range stack[len(stack)-1].after {
				add(text, true)
			}
			stack = stack[:len(stack)-1]
		}
	}
	generated := s.Generated
	for i := range int32(len(s.Nodes)) {
		leave(i)
		n := &s.Nodes[i]
		inside := open{end: n.End, run: -1}
		if n.Kind == plat.DocumentNode || n.Kind == plat.TemplateNode || n.Kind == plat.ElementNode && apart[n.Name] {
			inside.run = len(all)
			all = append(all, nil)
		}
		for len(generated) > 0 && generated[0].Node <= i {
			g := &s.Generated[len(s.Generated)-len(generated)]
			generated = generated[1:]
			if g.Kind == plat.After {
				inside.after = append(inside.after, &g.Text)
			} else {
				add(&g.Text, true)
			}
		}
		if n.Kind == plat.TextNode {
			add(&n.Value, n.HasBox && !s.Styles[n.Style].Hidden)
		} else if n.End > i+1 || inside.after != nil {
			stack = append(stack, inside)
		}
	}
	leave(int32(len(s.Nodes)))
	return all
}

// apart are the elements whose text is separate from the page's.
var apart = map[string]bool{"script": true, "style": true, "noscript": true, "noembed": true, "noframes": true, "iframe": true, "xmp": true, "title": true}

// Resources removes the secrets from resources: from their URLs, which stay unique, and from their
// texts.
func (r *Redactor) Resources(all []plat.Resource) []plat.Resource {
	if r == nil {
		return all
	}
	seen := map[string]bool{}
	for i := range all {
		x := &all[i]
		x.URL, x.Type = r.Text(x.URL), r.Text(x.Type)
		if x.Left != "" || !isText(x.Type) {
			continue
		}
		if text := r.Text(string(x.Data)); text != string(x.Data) {
			x.Data, x.Size, x.Hash = []byte(text), int64(len(text)), plat.HashOf([]byte(text))
		}
	}
	return slices.DeleteFunc(all, func(x plat.Resource) bool {
		was := seen[x.URL]
		seen[x.URL] = true
		return was
	})
}

// isText reports whether a media type is textual.
func isText(name string) bool {
	t, _, err := mime.ParseMediaType(name)
	if err != nil {
		t = name
	}
	kind, sub, _ := strings.Cut(t, "/")
	return kind == "text" || kind == "" || strings.HasSuffix(sub, "xml") || strings.HasSuffix(sub, "json") || strings.Contains(sub, "javascript")
}
