package main

import (
	"os"
	"strings"
	"testing"

	"github.com/go-rod/stealth"
)

// Scripts of go-rod/stealth are split without a rest, and the wanted ones need no eval, which the policies of many
// pages forbid.
func TestThePartsOfGoRodAreFound(t *testing.T) {
	parts, err := splitRod(stealth.JS)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Count(stealth.JS, `_mainFunction:"`) + strings.Count(stealth.JS, "_mainFunction:'"); len(parts) != want || want < 10 {
		t.Errorf("%d parts of %d", len(parts), want)
	}
	text, err := script(stealth.JS)
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range wanted {
		if n := strings.Count(text, mark); n != 1 {
			t.Errorf("%q is there %d times", mark, n)
		}
	}
	if strings.Contains(text, "eval(") || strings.Contains(text, "new Proxy") {
		t.Error("the script uses eval or proxies")
	}
	if _, err := splitRod("f({_mainFunction: \"\\q{\"})("); err == nil {
		t.Error("a script with a syntax error is read")
	}
	if now, err := os.ReadFile("../gorod.js"); err != nil || string(now) != text {
		t.Errorf("gorod.js differs from the script of go-rod: run go generate ./browser/stealth (%v)", err)
	}
}
