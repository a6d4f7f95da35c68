package metadata_test

import (
	"fmt"
	"strings"
	"testing"

	"plat/fixtures"
	"plat/plat"
	"plat/segment/metadata"
)

func TestSelectorsIgnorePagesTooDeepForTheParser(t *testing.T) {
	rules, err := metadata.Read(strings.NewReader("rules: [{set: {lead: {select: p}, site: here}}]"))
	if err != nil {
		t.Fatal(err)
	}
	s := &plat.Snapshot{Nodes: []plat.Node{{Kind: plat.DocumentNode, Parent: -1}}}
	for i := range int32(2000) {
		s.Nodes = append(s.Nodes, plat.Node{Kind: plat.ElementNode, Name: "div", Parent: i})
	}
	for i := range s.Nodes {
		s.Nodes[i].End = int32(len(s.Nodes))
	}
	if got := rules.Apply("http://a.test/", s); got["lead"] != "" || got["site"] != "here" {
		t.Errorf("%v", got)
	}
}

func TestMetadataRules(t *testing.T) {
	rules, err := metadata.Read(strings.NewReader(`
rules:
  - set:
      publisher: The harbour office
      token: {meta: csrf-token, match: '^(.{4})'}
  - url: ^http://a\.test/
    set:
      site: {url: '^http://([^/]+)/'}
      lead: {select: 'article h2'}
      style: {select: 'link[rel=stylesheet]', attr: href}
      server: {header: Server}
  - url: ^http://b\.test/
    set: {publisher: somebody else}
`))
	if err != nil {
		t.Fatal(err)
	}
	s := fixtures.Snapshot(t, "site-1")
	s.Header = [][2]string{{"server", "  lighthouse/1 "}}
	got := rules.Apply("http://a.test/", s)
	want := map[string]string{"publisher": "The harbour office", "token": "a91f", "site": "a.test", "lead": "North pier closes for repairs", "style": "/style.css?v=a91f3c", "server": "lighthouse/1"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	for _, bad := range []string{"rules: [{}]", "rules: [{set: {a: {}}}]", "rules: [{url: '(', set: {a: b}}]", "rules: [{set: {a: {select: '['}}}]", "rules: [{set: {a: {meta: x, header: y}}}]", "rule: []", "rules: [{set: {a: {meta: x, attr: y}}}]", "rules: [{set: {a: {shape: x}}}]",
		"rules: [{url: '(a|b|c){1000}', set: {a: b}}]", "rules: [{set: {a: {meta: x, match: '(a|b|c){1000}'}}}]", "rules: [{set: {a: [1]}}]", "rules: 5"} {
		if _, err := metadata.Read(strings.NewReader(bad)); err == nil || strings.Contains(err.Error(), "map[") || strings.Contains(err.Error(), "struct") {
			t.Errorf("%s: no error, or one that is not in words: %v", bad, err)
		}
	}
}

func TestValuesOfSettings(t *testing.T) {
	rules, err := metadata.Read(strings.NewReader(`
rules:
  - set:
      first: {meta: author}
      social: {meta: 'OG:Title'}
      item: {meta: price}
      equiv: {meta: refresh}
      none: {meta: other}
      header: {header: X-Name}
      lang: {select: p, attr: lang}
      missing: {select: p, attr: title}
      text: {select: p}
      whole: {select: p, match: 'o\w+'}
      group: {select: p, match: '(t)w'}
      unmatched: {select: p, match: 'x+'}
      absent: {select: table}
`))
	if err != nil {
		t.Fatal(err)
	}
	element := func(name string, attrs ...string) plat.Node {
		n := plat.Node{Kind: plat.ElementNode, Name: name}
		for i := 0; i < len(attrs); i += 2 {
			n.Attrs = append(n.Attrs, plat.Attr{Name: attrs[i], Value: attrs[i+1]})
		}
		return n
	}
	s := &plat.Snapshot{
		Header: [][2]string{{"other", "no"}, {"x-name", " a \n b "}, {"X-Name", "second"}},
		Nodes: []plat.Node{{Kind: plat.DocumentNode, Parent: -1}, element("meta", "name", "author", "content", "A. Author"), element("meta", "name", "author", "content", "second"),
			element("meta", "property", "og:title", "content", "Title"), element("meta", "itemprop", "price", "content", "7"), element("meta", "http-equiv", "Refresh", "content", "5"),
			element("div", "name", "other", "content", "no"), element("p", "lang", "de", "id", "x"), {Kind: plat.TextNode, Value: " one  two "}},
	}
	for i := range s.Nodes {
		s.Nodes[i].End = int32(i + 1)
	}
	s.Nodes[0].End, s.Nodes[7].End, s.Nodes[8].Parent = 9, 9, 7
	want := map[string]string{"first": "A. Author", "social": "Title", "item": "7", "equiv": "5", "header": "a b", "lang": "de", "text": "one two", "whole": "one", "group": "t"}
	if got := rules.Apply("http://a.test/", s); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("values %v, want %v", got, want)
	}
	var none *metadata.Rules
	if got := none.Apply("http://a.test/", s); got != nil {
		t.Errorf("without rules: %v", got)
	}
}

func TestLongValuesAreCutBetweenCharacters(t *testing.T) {
	rules, err := metadata.Read(strings.NewReader("rules: [{set: {name: {header: x}}}]"))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		strings.Repeat("a", 1024):        strings.Repeat("a", 1024),
		strings.Repeat("a", 1025):        strings.Repeat("a", 1024),
		"a" + strings.Repeat("ä", 512):   "a" + strings.Repeat("ä", 511),
		strings.Repeat("a", 1022) + "日本": strings.Repeat("a", 1022),
		strings.Repeat("a", 1021) + "日本": strings.Repeat("a", 1021) + "日",
		"a\xffb":                         "ab",
	} {
		if got := rules.Apply("http://a.test/", &plat.Snapshot{Header: [][2]string{{"x", value}}})["name"]; got != want {
			t.Errorf("a value of %d bytes has %d, want %d", len(value), len(got), len(want))
		}
	}
}
