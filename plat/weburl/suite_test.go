package weburl

import (
	"encoding/json"
	"os"
	"testing"
)

// exceptions lists cases of the standard's suite whose result differs, by base and input, with the
// reason.
var exceptions = map[[2]string]string{}

// suiteCase is a case of the standard's suite.
type suiteCase struct {
	Input, Base, Href string
	Failure           bool
}

// suite reads the cases.
func suite(t *testing.T) (cases []suiteCase) {
	text, err := os.ReadFile("testdata/urltestdata.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, raw := range all {
		if raw[0] == '"' {
			continue // a comment
		}
		var c suiteCase
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

// TestSuite runs the test suite of the standard. Cases that fail without being listed, and listed
// cases that pass, are errors.
func TestSuite(t *testing.T) {
	cases, passed, plain := 0, 0, 0
	for _, c := range suite(t) {
		cases++
		b := NewBase(c.Base)
		if c.Base != "" && b.String() == "" && !c.Failure {
			t.Errorf("base %q is invalid", c.Base)
		}
		reason, excepted := exceptions[[2]string{c.Base, c.Input}]
		got := b.Resolve(c.Input)
		if _, ok := b.plain(trim(c.Input)); ok {
			plain++
		}
		if got == c.Href {
			passed++
		}
		switch {
		case got == c.Href && excepted:
			t.Errorf("%q against %q passes; it is listed as an exception: %s", c.Input, c.Base, reason)
		case got != c.Href && !excepted:
			t.Errorf("%q against %q = %q, want %q", c.Input, c.Base, got, c.Href)
		}
	}
	if cases < 800 {
		t.Errorf("only %d cases", cases)
	}
	t.Logf("%d of %d cases pass, %d without the parser; %d exceptions", passed, cases, plain, len(exceptions))
}
