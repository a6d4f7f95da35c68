package subscribe

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"plat/plat/decodeerror"
)

// watch is a JSON object whose fields may have any type: the formats have changed over the
// years.
type watch map[string]json.RawMessage

// watchOf reads a record that is a JSON object.
func (r *reader) watchOf(raw []byte) (watch, error) {
	if err := r.values(valuesOf(raw)); err != nil {
		return nil, err
	}
	return objectOf(raw)
}

func objectOf(raw []byte) (w watch, err error) {
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, decodeerror.JSON(err)
	}
	if w == nil {
		return nil, errors.New("it is null")
	}
	return w, nil
}

// valuesOf returns an upper bound of the number of values and names in JSON: each needs a
// comma, a colon or a bracket.
func valuesOf(raw []byte) int {
	n, quoted := 1, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case !quoted && (c == ',' || c == ':' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

// text returns a string field, or "".
func (w watch) text(name string) (s string) {
	if json.Unmarshal(w[name], &s) != nil {
		return ""
	}
	return s
}

func (w watch) flag(name string) bool { return string(w[name]) == "true" }

// number returns a field that is a number or a string of digits, or 0.
func (w watch) number(name string) (n float64) {
	raw := w[name]
	if s := w.text(name); s != "" {
		raw = json.RawMessage(s)
	}
	if json.Unmarshal(raw, &n) != nil {
		return 0
	}
	return n
}

// texts returns the strings of a list, the keys of an object, or a single string.
func (w watch) texts(name string) (all []string) {
	raw := w[name]
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, one := range list {
			var s string
			if json.Unmarshal(one, &s) == nil {
				all = append(all, s)
			}
		}
		return all
	}
	if s := w.text(name); s != "" {
		return []string{s}
	}
	return sortedKeys(w.object(name))
}

// object returns a field that is an object, or nil.
func (w watch) object(name string) (o watch) {
	if json.Unmarshal(w[name], &o) != nil {
		return nil
	}
	return o
}

// objects returns the objects in a field that is an object.
func (w watch) objects(name string) map[string]watch {
	all := map[string]watch{}
	for key, raw := range w.object(name) {
		if o, err := objectOf(raw); err == nil {
			all[key] = o
		}
	}
	return all
}

// empty reports whether a field is missing or has an empty value.
func (w watch) empty(name string) bool {
	switch strings.Join(strings.Fields(string(w[name])), "") {
	case "", "null", "false", `""`, "[]", "{}", "0", "0.0", `[""]`:
		return true
	}
	return false
}

func known[V any](m map[string]V, key string) bool { _, ok := m[key]; return ok }

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
