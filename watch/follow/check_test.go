package follow

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

func TestWhichSubscriptionsCanBeFollowed(t *testing.T) {
	for name, s := range map[string]plat.Subscription{
		"of nothing more": {},
		"of depth 3":      {Depth: 3},
		"of labels":       {Labels: []plat.Label{plat.LabelMain}},
		"of blocks":       {Blocks: []int32{1}, Muted: []int32{1}},
		"with channels":   {Tell: []string{"Büro 1._-", strings.Repeat("a", 64)}},
		"with a digest":   {Digest: "daily 07:30"},
		"of kinds":        {Kinds: []plat.ItemKind{plat.ItemNew, plat.ItemChanged, plat.ItemRemoved, plat.ItemText}},
	} {
		if err := Check(&s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for want, s := range map[string]plat.Subscription{
		"depth -1:":            {Depth: -1},
		"depth 4:":             {Depth: 4},
		`label "x"`:            {Labels: []plat.Label{plat.LabelMain, "x"}},
		"block 0":              {Blocks: []int32{1, 0}},
		"block -1":             {Muted: []int32{-1}},
		`channel "":`:          {Tell: []string{"a", ""}},
		`channel "-a"`:         {Tell: []string{"-a"}},
		`channel "a/b"`:        {Tell: []string{"a/b"}},
		`channel "aaaa`:        {Tell: []string{strings.Repeat("a", 65)}},
		"sometimes":            {Digest: "sometimes"},
		"on one page alone":    {Blocks: []int32{1}, Depth: 2},
		`kind "present"`:       {Kinds: []plat.ItemKind{plat.ItemPresent}},
		`"(" is not a regular`: {Match: []string{"a", "("}},
		`"[" is not a regular`: {Except: []string{"["}},
	} {
		if err := Check(&s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %s", err, want)
		}
	}
	if err := CheckURL("file:///etc/passwd"); err == nil {
		t.Error("a channel may be a file")
	}
	if got := Names([]string{" b ", "a", "", "b", "  "}); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("names %q", got)
	}
	if got := Names(nil); got != nil {
		t.Errorf("no names are %q", got)
	}
}

func TestWhichItemsASubscriptionWants(t *testing.T) {
	contains := func(expression, text string) (bool, error) {
		if expression == "(?i)boom" {
			return false, errors.New("boom")
		}
		return strings.Contains(text, strings.TrimPrefix(expression, "(?i)")), nil
	}
	for _, tc := range []struct {
		name string
		s    plat.Subscription
		kind plat.ItemKind
		text string
		want bool
	}{
		{"new items by default", plat.Subscription{}, plat.ItemNew, "", true},
		{"those that were there from the start, too", plat.Subscription{}, plat.ItemPresent, "", true},
		{"no others by default", plat.Subscription{}, plat.ItemChanged, "", false},
		{"no texts by default", plat.Subscription{}, plat.ItemText, "", false},
		{"texts of blocks", plat.Subscription{Blocks: []int32{1}}, plat.ItemText, "", true},
		{"no texts of blocks if kinds are chosen", plat.Subscription{Blocks: []int32{1}, Kinds: []plat.ItemKind{plat.ItemNew}}, plat.ItemText, "", false},
		{"chosen kinds", plat.Subscription{Kinds: []plat.ItemKind{plat.ItemRemoved}}, plat.ItemRemoved, "", true},
		{"only chosen kinds", plat.Subscription{Kinds: []plat.ItemKind{plat.ItemRemoved}}, plat.ItemNew, "", false},
		{"present only with new", plat.Subscription{Kinds: []plat.ItemKind{plat.ItemRemoved}}, plat.ItemPresent, "", false},
		{"a word", plat.Subscription{Match: []string{"x", "y"}}, plat.ItemNew, "a y", true},
		{"the first word", plat.Subscription{Match: []string{"x", "boom"}}, plat.ItemNew, "x", true},
		{"none of the words", plat.Subscription{Match: []string{"x", "y"}}, plat.ItemNew, "z", false},
		{"an exception", plat.Subscription{Except: []string{"x", "y"}}, plat.ItemNew, "y", false},
		{"the first exception", plat.Subscription{Except: []string{"x", "boom"}}, plat.ItemNew, "x", false},
		{"no exception", plat.Subscription{Except: []string{"x", "y"}}, plat.ItemNew, "z", true},
		{"a word with an exception", plat.Subscription{Match: []string{"x"}, Except: []string{"y"}}, plat.ItemNew, "x y", false},
		{"no word, no look at exceptions", plat.Subscription{Match: []string{"x"}, Except: []string{"boom"}}, plat.ItemNew, "z", false},
	} {
		f, err := NewFilter(&tc.s)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.wants(tc.kind, tc.text, contains); got != tc.want || err != nil {
			t.Errorf("%s: %v, %v", tc.name, got, err)
		}
	}
	for _, s := range []plat.Subscription{{Match: []string{"boom"}}, {Except: []string{"boom"}}} {
		f, err := NewFilter(&s)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.wants(plat.ItemNew, "x", contains); got || err == nil {
			t.Errorf("an error of an expression: %v, %v", got, err)
		}
	}
}
