package follow

import (
	"fmt"

	"plat/plat"
	"plat/plat/saferegexp"
)

// Filter selects the items that match a subscription's conditions.
type Filter struct {
	kinds         map[plat.ItemKind]bool
	match, except []string
}

// NewFilter checks a subscription's conditions. It compiles nothing, so that the check takes a
// few milliseconds at most. The error names the wrong condition.
func NewFilter(s *plat.Subscription) (*Filter, error) {
	f := &Filter{kinds: map[plat.ItemKind]bool{}}
	for _, k := range s.Kinds {
		switch k {
		case plat.ItemNew, plat.ItemChanged, plat.ItemRemoved, plat.ItemText:
			f.kinds[k] = true
		default:
			return nil, fmt.Errorf("kind %q: write new, changed, removed or text", k)
		}
	}
	if len(s.Kinds) == 0 {
		f.kinds[plat.ItemNew] = true
		f.kinds[plat.ItemText] = len(s.Blocks) > 0
	}
	f.kinds[plat.ItemPresent] = f.kinds[plat.ItemNew]
	var total saferegexp.Total
	var err error
	if f.match, err = checked(s.Match, &total); err != nil {
		return nil, err
	}
	f.except, err = checked(s.Except, &total)
	return f, err
}

// checked returns conditions in the form in which they are compiled: they ignore case.
func checked(all []string, total *saferegexp.Total) ([]string, error) {
	var out []string
	for _, text := range all {
		if err := total.Add("(?i)" + text); err != nil {
			return nil, fmt.Errorf("%.60q is not a regular expression that plat accepts: %w; see https://golang.org/s/re2syntax", text, err)
		}
		out = append(out, "(?i)"+text)
	}
	return out, nil
}

// wants reports whether a subscription selects an item of a kind with the added text. found
// reports whether an expression matches a text.
func (f *Filter) wants(kind plat.ItemKind, text string, found func(expression, text string) (bool, error)) (bool, error) {
	if !f.kinds[kind] {
		return false, nil
	}
	matches := len(f.match) == 0
	for i := 0; i < len(f.match) && !matches; i++ {
		var err error
		if matches, err = found(f.match[i], text); err != nil {
			return false, err
		}
	}
	for i := 0; i < len(f.except) && matches; i++ {
		excepted, err := found(f.except[i], text)
		if err != nil {
			return false, err
		}
		matches = !excepted
	}
	return matches, nil
}
