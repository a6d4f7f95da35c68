package topic

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func parse(t testing.TB, s string) *Tree {
	t.Helper()
	tree, err := Parse(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

const pets = `
topics:
  - id: cats
    parent: Q95
    names: {en: Cats, ZH: 猫}
    description: "Domestic cats,\n not big cats."
    terms:
      en: [kitten, " litter  box", Kitten, "no", 2024]
      zh-Hant: [小貓]
    positive:
      - text: |
          The cat is a domesticated species
          of small mammal.
      - url: HTTPS://Example.org:443/cats#top
      - {url: https://example.org/pets, block: 12, version: 3}
    negative:
      - {url: https://example.org/lions, block: 7}
    topics:
      - {id: siamese, names: Siamese cats, topics: [{id: blue-point, terms: [blue point]}]}
  - {id: persian, parent: cats, names: "Persian \e[31mcats", terms: ["a\u202eb"]}
`

func TestATreeIsReadAsItIsWritten(t *testing.T) {
	tree := parse(t, pets)
	want := &Topic{
		ID: "cats", Parent: "Q95", Names: map[string]string{"en": "Cats", "zh": "猫"}, Description: "Domestic cats, not big cats.",
		Terms: map[string][]string{"en": {"kitten", "litter box", "no", "2024"}, "zh-hant": {"小貓"}},
		Positive: []Example{
			{Text: "The cat is a domesticated species of small mammal."},
			{URL: "https://example.org/cats"},
			{Block: Block{URL: "https://example.org/pets", Lineage: 12, Version: 3}},
		},
		Negative: []Example{{Block: Block{URL: "https://example.org/lions", Lineage: 7}}},
		Topics: []*Topic{
			{ID: "siamese", Parent: "cats", Names: map[string]string{"und": "Siamese cats"}, Terms: map[string][]string{}, Topics: []*Topic{
				{ID: "blue-point", Parent: "siamese", Names: map[string]string{}, Terms: map[string][]string{"und": {"blue point"}}},
			}},
			{ID: "persian", Parent: "cats", Names: map[string]string{"und": "Persian [31mcats"}, Terms: map[string][]string{"und": {"ab"}}},
		},
	}
	if len(tree.Roots) != 1 || !reflect.DeepEqual(tree.Roots[0], want) {
		t.Errorf("the tree is\n%s", tree.YAML())
	}
	var order []string
	for _, o := range tree.All() {
		order = append(order, o.ID)
	}
	if got := strings.Join(order, " "); got != "cats siamese blue-point persian" {
		t.Errorf("the order is %s", got)
	}
}

func TestYAMLIsReadBack(t *testing.T) {
	odd := parse(t, `{topics: [{id: "1.0", names: {no: "yes", en: "null", de: "~", fr: "- a: b # c", it: "'\"", es: "*x", pt: "&x", pl: "[a, b]", ru: "\uFEFFa\uFFFD\U0001F600"},
		terms: {en: ["a, b", "]", "c: d", "# e", "0x1F", "2001-01-01", "!!str", "@", "|", ">", "%", "?", "-", "x"]}, positive: [{text: "--- ..."}]}, {id: D33/37, parent: T-0, names: x},
		{id: both, names: {und: x, de: y}, terms: {und: [a], en: [b], de: [c]}}]}`)
	for name, tree := range map[string]*Tree{"ready": Ready(), "pets": parse(t, pets), "odd": odd} {
		again, err := Parse(bytes.NewReader(tree.YAML()))
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, tree.YAML())
		} else if !reflect.DeepEqual(tree, again) {
			t.Errorf("%s is\n%s\nand was\n%s", name, again.YAML(), tree.YAML())
		}
	}
}

func TestBadTreesAreRefused(t *testing.T) {
	deep := strings.Repeat("{topics: [", MaxDepth+1) + strings.Repeat("]}", MaxDepth+1)
	below := "topics:\n"
	for i := range MaxDepth + 1 {
		below += fmt.Sprintf("  - {id: t%d, parent: t%d, names: x}\n", i, i-1)
	}
	many := func(n int, s string) string { return strings.Repeat(s+",", n) }
	for name, tc := range map[string][2]string{
		"nothing":                    {"", `begins with "topics:"`},
		"a comment":                  {"# topics", `begins with "topics:"`},
		"no YAML":                    {"topics: [", "yaml: line"},
		"a text":                     {"topics", "line 1: a tree is a mapping"},
		"a list":                     {"- id: a", "line 1: a tree is a mapping"},
		"no topics":                  {"topics: []", "there are no topics"},
		"two documents":              {"topics: [{id: a, names: a}]\n---\n{}", "more than one document"},
		"an unknown key":             {"topics:\n  - id: a\n    name: a", `line 3: a topic has no "name"; write id, names`},
		"a long unknown key":         {strings.Repeat("é", 500) + ": 1", "…"},
		"a key twice":                {"topics:\n  - id: a\n    names: a\n    names: b", `line 4: "names" is given twice`},
		"a language twice":           {"topics: [{id: a, names: {en: a, EN: b}}]", `"EN" is given twice`},
		"a mapping as a key":         {"topics: [{{a: b}: c}]", "a key of a topic is a text"},
		"a merge":                    {"topics: [{id: a, names: a, <<: {description: b}}]", `a topic has no "<<"`},
		"an alias":                   {"topics:\n  - {id: a, names: &n {en: a}}\n  - {id: b, names: *n}", "line 3: *n is an alias"},
		"an alias as a key":          {"topics: [{&k id: a, *k : b}]", "*k is an alias"},
		"an alias of a text":         {"topics: [{id: &k a, names: *k}]", "*k is an alias"},
		"an alias of itself":         {"topics: &t [{id: a, names: a, topics: *t}]", "*t is an alias"},
		"no id":                      {"topics:\n  - names: a", "line 2: the topic has no id"},
		"an empty id":                {"topics: [{id: ' ', names: a}]", "id is empty"},
		"an id of null":              {"topics: [{id: , names: a}]", "id is a text"},
		"an id with a space":         {"topics:\n  - {id: a b, names: a}", `line 2: topic "a b": an ID is of letters`},
		"a long id":                  {"topics: [{id: " + strings.Repeat("a", maxID+1) + ", names: a}]", "at most 100 bytes"},
		"an id twice":                {"topics:\n  - {id: a, names: a}\n  - {id: b, names: b, topics: [{id: a, names: c}]}", `line 3: topic "a": a second topic has this ID`},
		"a bad parent":               {"topics: [{id: a, parent: 'b c', names: a}]", `the parent "b c": an ID is of`},
		"a parent in topics":         {"topics:\n  - id: a\n    names: a\n    topics:\n      - {id: b, parent: a, names: b}", "line 5: a topic nested in a topic cannot name a parent"},
		"its own parent":             {"topics: [{id: a, parent: a, names: a}]", `topic "a" is below itself`},
		"parents in a circle":        {"topics: [{id: x, names: x}, {id: a, parent: b, names: a}, {id: b, names: b, parent: a}]", `topic "a" is below itself`},
		"a parent inside":            {"topics: [{id: a, parent: b, names: a, topics: [{id: b, names: b}]}]", `topic "a" is below itself`},
		"no words":                   {"topics:\n  - {id: a, names: a}\n  - {id: b}", `line 3: topic "b": it has no words`},
		"a name of punctuation":      {"topics: [{id: b, names: {en: '***', zh: 。}, negative: [{url: 'https://a.test/'}]}]", `topic "b": it has no words`},
		"terms of punctuation":       {"topics: [{id: b, names: '-', terms: ['...'], description: '?'}]", `topic "b": it has no words`},
		"an empty name":              {"topics: [{id: a, names: {en: ''}}]", "a name is empty"},
		"names in a list":            {"topics: [{id: a, names: [a]}]", "names by language is a mapping"},
		"no language":                {"topics: [{id: a, names: {English: a}}]", `"English" is not a language code; write one such as en`},
		"too many languages":         {"topics: [{id: a, terms: {" + languages(maxLanguages+1) + "}}]", "more than 50 languages"},
		"a long name":                {"topics: [{id: a, names: " + strings.Repeat("a", maxName+1) + "}]", "the name in und has more than 300 bytes"},
		"a long term":                {"topics: [{id: a, terms: [" + strings.Repeat("a", maxName+1) + "]}]", "more than 300 bytes"},
		"a long description":         {"topics: [{id: a, names: a, description: " + strings.Repeat("a", maxText+1) + "}]", "the description has more than 20000 bytes"},
		"an empty term":              {"topics: [{id: a, names: a, terms: [b, ]}, {id: c, terms: ['']}]", "a term is empty"},
		"a term that is a list":      {"topics: [{id: a, terms: [[b]]}]", "a term is a text"},
		"a binary term":              {"topics: [{id: a, terms: [!!binary aGk=]}]", "a term is a text"},
		"terms in a text":            {"topics: [{id: a, terms: 'b, c'}]", "terms by language is a mapping"},
		"too many terms":             {"topics: [{id: a, terms: [" + many(maxTerms+1, "b") + "]}]", "terms has 2001 entries"},
		"an example of nothing":      {"topics: [{id: a, positive: [{}]}]", "an example is a text, a url, or a url and a block"},
		"an example of two":          {"topics:\n  - id: a\n    positive:\n      - {text: b, url: 'https://a.test/'}", "line 4: an example is a text, a url"},
		"an example in a text":       {"topics: [{id: a, positive: [b]}]", "an example is a mapping"},
		"a block of a text":          {"topics: [{id: a, positive: [{text: b, block: 3}]}]", "an example is a text, a url"},
		"a block of no page":         {"topics: [{id: a, positive: [{block: 3}]}]", "an example is a text, a url"},
		"block zero":                 {"topics: [{id: a, positive: [{url: 'https://a.test/', block: 0}]}]", `block is "0"; write a number`},
		"a large block":              {"topics: [{id: a, positive: [{url: 'https://a.test/', block: 4294967297}]}]", `block is "4294967297"`},
		"a version of no block":      {"topics: [{id: a, positive: [{url: 'https://a.test/', version: 2}]}]", "add the block"},
		"a URL of a file":            {"topics: [{id: a, positive: [{url: 'file:///etc/passwd'}]}]", "bad URL"},
		"a long URL":                 {"topics: [{id: a, positive: [{url: 'https://a.test/" + strings.Repeat("a", maxURL) + "'}]}]", "the URL has more than"},
		"a long text":                {"topics: [{id: a, positive: [{text: " + strings.Repeat("a", maxText+1) + "}]}]", "the text has more than"},
		"an example of what is left": {`topics: [{id: a, positive: [{text: "\u0001"}]}]`, "the text is empty"},
		"too many examples":          {"topics: [{id: a, negative: [" + many(maxExamples+1, "{text: b}") + "]}]", "negative has 501 entries"},
		"too deep":                   {deep, "topics are nested more than 16 deep"},
		"too deep by parents":        {below, "topics are nested more than 16 deep"},
		"too many topics":            {"topics: [" + many(MaxTopics+1, "{}") + "]", "topics has 10001 entries"},
		"too many below":             {"topics: [{id: a, names: a, topics: [" + many(6000, "{id: 1, names: 1}") + "]}, {topics: [" + many(6000, "{id: 1, names: 1}") + "]}]", "more than 10000 topics"},
		"too long":                   {"topics: [" + strings.Repeat(" ", MaxBytes), "more than 4 MB"},
		"invalid UTF-8":              {"topics: [{id: a, names: \"\xff\"}]", "yaml"},
	} {
		tree, err := Parse(strings.NewReader(tc[0]))
		if err == nil {
			t.Errorf("%s: read as\n%s", name, tree.YAML())
		} else if !strings.Contains(err.Error(), tc[1]) {
			t.Errorf("%s: %v, want %q", name, err, tc[1])
		} else if len(err.Error()) > 500 {
			t.Errorf("%s: the error has %d bytes", name, len(err.Error()))
		}
	}
	if _, err := Parse(iotest.ErrReader(errors.ErrUnsupported)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an error of the reader is %v", err)
	}
}

func languages(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%c%c: [x], ", 'a'+i/26, 'a'+i%26)
	}
	return b.String()
}

// The longest allowed documents of the constructs that cost parsers most.
func TestHostileDocumentsAreRefusedInTime(t *testing.T) {
	bomb := "topics:\n- {id: a, terms: &a [x, x, x, x, x, x, x, x, x]}\n"
	for c := 'b'; c <= 'z'; c++ {
		bomb += fmt.Sprintf("- {id: %c, terms: &%c [%s]}\n", c, c, strings.Repeat(fmt.Sprintf("*%c , ", c-1), 9))
	}
	for name, s := range map[string]string{
		"aliases":   bomb,
		"lists":     strings.Repeat("[", MaxBytes-1),
		"mappings":  strings.Repeat("{", MaxBytes-1),
		"dashes":    strings.Repeat("- ", MaxBytes/2-1),
		"questions": strings.Repeat("? ", MaxBytes/2-1),
		"keys":      strings.Repeat("a: ", MaxBytes/3-1),
		"anchors":   strings.Repeat("&a ", MaxBytes/3-1),
		"tags":      strings.Repeat("!a ", MaxBytes/3-1),
		"comments":  strings.Repeat("#\n", MaxBytes/2-1),
		"remarks":   "topics:\n" + strings.Repeat("- a #\n", MaxBytes/6-10),
		"entries":   "topics:\n" + strings.Repeat("- a\n", MaxBytes/4-10),
		"quotes":    strings.Repeat("'", MaxBytes-1),
		"blanks":    "topics: |\n" + strings.Repeat(" \n", MaxBytes/2-10),
		"documents": strings.Repeat("---\n", MaxBytes/4-1),
	} {
		start := time.Now()
		if _, err := Parse(strings.NewReader(s)); err == nil {
			t.Errorf("%s are read", name)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s take %v", name, took)
		} else {
			t.Logf("%s: %v", name, took.Round(time.Millisecond))
		}
	}
}

func TestTreesAreJoined(t *testing.T) {
	joined, err := Ready().Join(parse(t, pets))
	if err != nil {
		t.Fatal(err)
	}
	siamese, err := joined.Find("siamese CATS")
	if err != nil {
		t.Fatal(err)
	}
	var path []string
	for _, o := range joined.Path(siamese) {
		path = append(path, o.ID)
	}
	if got := strings.Join(path, " "); got != "Q Q95 cats siamese" || len(joined.All()) != 257+4 || len(joined.Roots) != 22 {
		t.Errorf("the path is %s of %d topics below %d roots", got, len(joined.All()), len(joined.Roots))
	}
	if _, err := Ready().Find("cats"); err == nil || len(Ready().All()) != 257 {
		t.Error("joining has changed the ready tree")
	}
	if again, err := Parse(bytes.NewReader(joined.YAML())); err != nil || !reflect.DeepEqual(again, joined) {
		t.Errorf("a joined tree is not read back: %v", err)
	}
	if alone, err := (&Tree{}).Join(parse(t, "topics: [{id: a, names: a}]")); err != nil || len(alone.All()) != 1 {
		t.Errorf("the empty tree: %v", err)
	}
	for name, tc := range map[string][2]string{
		"an ID of both":    {"topics: [{id: TP, names: a}]", `topic "TP": a second topic has this ID`},
		"a missing parent": {"topics: [{id: a, parent: TPX, names: a}]", `topic "a": its parent "TPX" does not exist`},
	} {
		if _, err := Ready().Join(parse(t, tc[0])); err == nil || !strings.Contains(err.Error(), tc[1]) {
			t.Errorf("%s: %v, want %q", name, err, tc[1])
		}
	}
	var deep strings.Builder
	deep.WriteString("topics:\n  - {id: d0, parent: TP, names: x}\n")
	for i := range MaxDepth - 1 {
		fmt.Fprintf(&deep, "  - {id: d%d, parent: d%d, names: x}\n", i+1, i)
	}
	if _, err := Ready().Join(parse(t, deep.String())); !errors.Is(err, errDepth) {
		t.Errorf("a tree that is too deep when joined: %v", err)
	}
}

func TestNewCopiesWhatItIsGiven(t *testing.T) {
	sub := &Topic{ID: "b", Names: map[string]string{"EN": " B  b "}}
	top := &Topic{ID: "a", Names: map[string]string{"en": "A"}, Topics: []*Topic{sub}}
	tree, err := New(top)
	if err != nil {
		t.Fatal(err)
	}
	if got := tree.Roots[0].Topics[0]; got.Parent != "a" || got.Names["en"] != "B b" || sub.Parent != "" || got == sub {
		t.Errorf("the copy is %+v of %+v", got, sub)
	}
	var many []*Topic
	for i := range MaxTopics {
		many = append(many, &Topic{ID: fmt.Sprint(i), Names: map[string]string{"en": "x"}})
	}
	full, err := New(many...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Ready().Join(full); err == nil || !strings.Contains(err.Error(), "more than 10000 topics") {
		t.Errorf("joined trees with too many topics: %v", err)
	}
	loop := &Topic{ID: "l", Names: map[string]string{"en": "L"}}
	loop.Topics = []*Topic{loop}
	for name, topics := range map[string][]*Topic{
		"a topic in itself":       {loop},
		"the same topic twice":    {sub, sub},
		"nil":                     {nil},
		"nil below":               {{ID: "a", Names: map[string]string{"en": "A"}, Topics: []*Topic{nil}}},
		"another parent":          {{ID: "a", Names: map[string]string{"en": "A"}, Topics: []*Topic{{ID: "b", Parent: "c", Names: map[string]string{"en": "A"}}}}},
		"a language twice":        {{ID: "a", Names: map[string]string{"en": "A", "EN": "B"}}},
		"terms twice":             {{ID: "a", Terms: map[string][]string{"en": {"a"}, "EN": {"b"}}}},
		"an example of two kinds": {{ID: "a", Positive: []Example{{Text: "a", URL: "https://a.test/"}}}},
		"a block of no number":    {{ID: "a", Positive: []Example{{Block: Block{URL: "https://a.test/"}}}}},
	} {
		if _, err := New(topics...); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestTopicsAreFound(t *testing.T) {
	for in, want := range map[string]string{
		"TP":                                  "TP",
		"d33/37":                              `no topic has the ID or the name "d33/37"; similar: D33/37 (Politics and law › Communist parties of other countries)`,
		"自动化技术、计算机技术":                         "TP",
		"automation and COMPUTER  technology": "TP",
		"系统科学":                                `2 topics have the name "系统科学"; write the ID of one: C94 (Social sciences in general › Systems science (social sciences)), N94 (Natural sciences in general › Systems science)`,
		"计算机技术":                               `no topic has the ID or the name "计算机技术"; similar: TP (Industrial technology › Automation and computer technology)`,
		"zzz":                                 `no topic has the ID or the name "zzz"`,
		"":                                    `no topic has the ID or the name ""`,
		"languages":                           "H", // the whole name wins, although more topics contain it
	} {
		found, err := Ready().Find(in)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = found.ID
		}
		if got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
	if _, err := Ready().Find("e"); err == nil || !strings.Contains(err.Error(), " more") {
		t.Errorf("of many similar topics the error is %v", err)
	}
	// An ID comes before a name, and two languages of a topic are one topic.
	tree := parse(t, "topics: [{id: a, names: {en: b, fr: b}}, {id: b, names: ΣΊΣΥΦΟΣ}, {id: c, names: c, topics: [{id: d, names: e}]}]")
	for in, want := range map[string]string{"b": "b", "B": "a", "σίσυφος": "b", "E": "d"} {
		if found, err := tree.Find(in); err != nil || found.ID != want {
			t.Errorf("%q is %v, %v, want %s", in, found, err, want)
		}
	}
	if _, err := (&Tree{}).Find("a"); err == nil {
		t.Error("the empty tree has a topic")
	}
}

func TestNamesAreInTheLanguageAskedFor(t *testing.T) {
	tree := parse(t, "topics: [{id: a, names: {en: e, zh: z, pt-BR: p}}, {id: b, names: {zh: z, fr: f}}, {id: c, names: x}, {id: d, terms: [x]}]")
	for _, tc := range [][]string{
		{"a", "", "e"}, {"a", "zh", "z"}, {"a", "pt-BR", "p"}, {"a", "de", "e"}, {"a", "de zh", "z"},
		{"b", "", "f"}, {"b", "zh", "z"}, {"c", "zh", "x"}, {"d", "en", "d"},
	} {
		o, err := tree.Find(tc[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Name(strings.Fields(tc[1])...); got != tc[2] {
			t.Errorf("the name of %s in %q is %q, want %q", tc[0], tc[1], got, tc[2])
		}
	}
}

func TestTextsWeighLessBelow(t *testing.T) {
	tree := parse(t, `
topics:
  - id: a
    names: {en: A, de: A}
    description: About a.
    terms: {en: [one, sub]}
    positive: [{text: An example.}, {url: 'https://a.test/'}]
    negative: [{text: Not this.}]
    topics:
      - id: b
        names: {en: Sub}
        terms: {en: [One, two], de: [one]}
        topics: [{id: c, terms: {en: [two, three]}}]`)
	want := []Text{
		{"A", 2, "de", "a"}, {"A", 2, "en", "a"}, {"About a.", .5, "und", "a"},
		{"one", 1, "en", "a"}, {"sub", 1, "en", "a"}, {"An example.", 1, "und", "a"},
		{"one", .5, "de", "b"}, {"two", .5, "en", "b"}, {"three", .25, "en", "c"},
	}
	if got := tree.Roots[0].Texts(); !reflect.DeepEqual(got, want) {
		t.Errorf("the texts are\n%v, want\n%v", got, want)
	}
	// A name below that is a term above, and weighs more there.
	tree = parse(t, "topics: [{id: a, names: a, description: x, topics: [{id: b, names: X}]}]")
	if got := tree.Roots[0].Texts()[1]; got != (Text{"X", 1, "und", "b"}) {
		t.Errorf("the heavier of two texts is %v", got)
	}
	if n := len(Ready().Roots[0].Texts()); n < 9*(2+1+24) {
		t.Errorf("class A has %d texts", n)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(pets))
	f.Add([]byte("topics: [{id: a, parent: b, names: {en: x}}, {id: b, names: &n y, topics: [{id: c, terms: [*n]}]}]"))
	f.Add([]byte("%YAML 1.1\n---\n{topics: [{id: TP9, parent: TP, names: !!str 12, positive: [{url: 'http://a.test/?b', block: 0x1}]}]}\n..."))
	f.Fuzz(func(t *testing.T, b []byte) {
		start := time.Now()
		tree, err := Parse(bytes.NewReader(b))
		if took := time.Since(start); took > 5*time.Second {
			t.Fatalf("%d bytes take %v", len(b), took)
		}
		if err != nil {
			return
		}
		again, err := Parse(bytes.NewReader(tree.YAML()))
		if err != nil {
			t.Fatalf("%v\n%s", err, tree.YAML())
		}
		if !reflect.DeepEqual(tree, again) {
			t.Fatalf("the tree is\n%s\nand was\n%s", again.YAML(), tree.YAML())
		}
		for _, o := range tree.All() {
			if found, err := tree.Find(o.ID); err != nil || found != o {
				t.Fatalf("%q is %v, %v", o.ID, found, err)
			}
			if path := tree.Path(o); len(path) > MaxDepth || path[len(path)-1] != o {
				t.Fatalf("the path of %q has %d topics", o.ID, len(path))
			}
			o.Texts()
		}
		if joined, err := Ready().Join(tree); err == nil && len(joined.All()) != len(Ready().All())+len(tree.All()) {
			t.Fatalf("joined to %d topics", len(joined.All()))
		}
	})
}

// A name in no certain language is written as it was read: without one.
func TestOneNameIsWrittenWithoutItsLanguage(t *testing.T) {
	out := string(parse(t, `{topics: [{id: a, names: Ships, terms: [ship]}, {id: b, names: {und: Boats, de: Boote}, terms: {en: [boat]}}]}`).YAML())
	for _, want := range []string{"names: Ships\n", "terms: [ship]\n", "de: Boote\n", "und: Boats\n", "en: [boat]\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
