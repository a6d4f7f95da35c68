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
