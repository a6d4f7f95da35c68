package subscribe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"plat/plat/decodeerror"
	"plat/plat/metered"
)

// kind is the kind of a JSON document.
type kind int

const (
	isList   kind = iota + 1 // a list of URLs and objects
	isWatch                  // a single object with a URL
	isIndex                  // url-watches.json of changedetection.io
	isAnswer                 // objects by UUID: the list of the API of changedetection.io
)

// json reads a JSON document. done is false if the file is not a single document, but may be
// JSON Lines.
func (r *reader) json(from source) (done bool, err error) {
	x := newExport()
	kind, err := r.survey(from, x)
	switch {
	case r.ends(err):
		return true, err
	case err != nil:
		return false, nil
	}
	return true, r.document(from, kind, x)
}

// survey reads a whole document to detect its kind, to check that all of it is JSON, and to
// find its settings, which may come last.
func (r *reader) survey(from source, x *export) (kind, error) {
	is := isAnswer
	err := r.walk(from, func(in, name string, raw json.RawMessage) error {
		switch {
		case in == "[":
			is = isList
		case in != "":
		case name == "url" && (watch{name: raw}).text(name) != "":
			is = isWatch
		case is == isAnswer && (name == "watching" || name == "settings"):
			is = isIndex
		}
		if in == "" && name == "settings" {
			w, err := r.watchOf(raw)
			if r.ends(err) {
				return err
			}
			x.app = w.object("application")
		}
		return nil
	})
	return is, err
}

// document takes over a document that has been surveyed.
func (r *reader) document(from source, is kind, x *export) error {
	switch is {
	case isList:
		r.Format = "JSON list"
		return r.walk(from, func(in, name string, raw json.RawMessage) error {
			if in == "" || raw == nil {
				return nil
			}
			if err := r.record(name); err != nil {
				return err
			}
			var address string
			if json.Unmarshal(raw, &address) != nil {
				_, err := r.entry(name, raw, "it is neither a URL nor a JSON object with one")
				return err
			}
			if s := r.subscription(name, address); s != nil {
				r.add(name, s)
			}
			return nil
		})
	case isWatch:
		r.Format = "JSON"
		in, done, err := r.decoded(from, maxRecord)
		if err != nil {
			return err
		}
		defer done()
		raw, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		if n, err := r.entry("entry 1", raw, "it is not a JSON object"); n == 0 {
			if err != nil {
				return err
			}
			return r.nothing()
		}
		return nil
	case isIndex:
		r.Format = "url-watches.json of changedetection.io"
		if err := r.settings(x); err != nil {
			return err
		}
		if err := r.index(from, x); err != nil {
			return err
		}
		if r.sort(); len(x.taken) == 0 {
			return fmt.Errorf("%w: there are only settings in it; give the backup, changedetection-backup-….zip", ErrUnknown)
		}
		return nil
	}
	r.Format = "list of the API of changedetection.io"
	err := r.walk(from, func(in, name string, raw json.RawMessage) error {
		one, err := r.watchOf(raw)
		if r.ends(err) {
			return err
		}
		if one.text("url") == "" {
			return r.record(name)
		}
		return r.take(name, raw, x)
	})
	if err != nil {
		return err
	}
	if r.sort(); len(x.taken) == 0 {
		return r.nothing()
	}
	return nil
}

// index takes over the watches of url-watches.json.
func (r *reader) index(from source, x *export) error {
	return r.walk(from, func(in, name string, raw json.RawMessage) error {
		if in != "watching" {
			return nil
		}
		return r.take(name, raw, x)
	})
}

// entry takes over a record that is a JSON object with a URL, and returns the number of
// subscriptions.
func (r *reader) entry(where string, raw []byte, otherwise string) (int, error) {
	w, err := r.watchOf(raw)
	if r.ends(err) {
		return 0, err
	}
	if err != nil {
		r.omit(where, "", "%s: %s", otherwise, err)
		r.lacks()
		return 0, nil
	}
	return r.watch(where, w, nil)
}

// errDocument is returned for more than one document, and for a document that is not a list or
// an object.
var errDocument = errors.New("it is neither a JSON list nor a JSON object")

// walk calls each with the elements of a list (in is "["), or with the members of an object (in
// is empty). For the member "watching" raw is nil, and its own members follow (in is
// "watching"). It keeps one of them at a time in memory.
func (r *reader) walk(from source, each func(in, name string, raw json.RawMessage) error) error {
	in, done, err := r.decoded(from, maxRecord)
	if err != nil {
		return err
	}
	defer done()
	w := &walker{reader: r, in: in, d: json.NewDecoder(in), each: each}
	open, err := w.d.Token()
	if err == nil {
		switch open {
		case json.Delim('['):
			err = each("[", "", nil) // it may be empty
			if err == nil {
				err = w.list()
			}
		case json.Delim('{'):
			err = w.members("")
		default:
			err = errDocument
		}
	}
	if err == nil {
		in.Next(w.d.InputOffset())
		if _, err = w.d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err == nil {
			err = errDocument
		}
	}
	if r.ends(err) {
		return err
	}
	return decodeerror.JSON(err)
}

// walker goes through one document.
type walker struct {
	*reader
	in   *metered.Reader
	d    *json.Decoder
	each func(in, name string, raw json.RawMessage) error
}

func (w *walker) list() error {
	for n := 1; w.more(); n++ {
		if err := w.value("[", fmt.Sprintf("entry %d", n)); err != nil {
			return err
		}
	}
	_, err := w.d.Token()
	return err
}

func (w *walker) members(in string) error {
	for w.more() {
		t, err := w.d.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		if in != "" || name != "watching" {
			if err := w.value(in, name); err != nil {
				return err
			}
			continue
		}
		if err := w.each("", name, nil); err != nil {
			return err
		}
		switch open, err := w.d.Token(); {
		case err != nil:
			return err
		case open == json.Delim('{'):
			if err := w.members(name); err != nil {
				return err
			}
		case open == json.Delim('['):
			return errDocument
		}
	}
	_, err := w.d.Token()
	return err
}

// more reports whether there is a further element, which is the next record.
func (w *walker) more() bool {
	w.in.Next(w.d.InputOffset())
	return w.d.More()
}

// value reads an element.
func (w *walker) value(in, name string) error {
	w.at = line(name, 100)
	var raw json.RawMessage
	if err := w.d.Decode(&raw); err != nil {
		return err
	}
	return w.each(in, name, raw)
}
