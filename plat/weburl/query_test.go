package weburl

import (
	"strings"
	"testing"
)

// The special-query percent-encode set has the controls, blank, DEL and what is beyond ASCII, and five marks (URL standard, section 1.3).
func TestCharactersOfQueriesAreEscaped(t *testing.T) {
	var to strings.Builder
	escapeQuery(&to, "\x1f !\"#$%&'()~\x7f\x80é;<=>?@[\\]^_`{|}")
	if got, want := to.String(), "%1F%20!%22%23$%&%27()~%7F%80%C3%A9;%3C=%3E?@[\\]^_`{|}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
