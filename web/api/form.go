package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"plat/plat"
	"plat/plat/decodeerror"
)

// Form holds the fields of a sent form. Err keeps the first error; values read after it are
// invalid.
type Form struct {
	Values url.Values
	Err    error
}

// ReadForm reads the known fields of a form; any other field is an error.
func ReadForm(r *http.Request, known ...string) *Form {
	f := &Form{}
	if err := r.ParseForm(); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			f.Err = &Mistake{Code: http.StatusRequestEntityTooLarge, Detail: "the form is too large"}
			return f
		}
		f.Fail("the form cannot be read")
		return f
	}
	f.Values = r.PostForm
	for name := range f.Values {
		if !slices.Contains(known, name) {
			f.Fail("there is no field %.40q", name)
		}
	}
	return f
}

// Fail notes an error of the client.
func (f *Form) Fail(format string, args ...any) {
	if f.Err == nil {
		f.Err = BadRequest(format, args...)
	}
}

// Text is a field without space around it.
func (f *Form) Text(name string) string { return strings.TrimSpace(f.Values.Get(name)) }

// Number is a whole number from 0 on; otherwise if the field is empty.
func (f *Form) Number(name string, otherwise int) int {
	v := f.Text(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		f.Fail("%s=%.40q: write a number, 0 or more", name, v)
		return otherwise
	}
	return n
}

// URL returns the canonical form of the field url; drop are the parameters that are removed.
func (f *Form) URL(drop []string) string {
	u, err := plat.Canonical(f.Text("url"), drop)
	if err != nil && f.Err == nil {
		f.Err = err
	}
	return u
}

// Lines are the lines of a text that are not empty.
func (f *Form) Lines(name string) []string {
	var all []string
	for l := range strings.Lines(f.Values.Get(name)) {
		if l = strings.TrimSpace(l); l != "" {
			all = append(all, l)
		}
	}
	return all
}

// Body reads JSON; unknown fields are an error.
func Body(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil && d.More() {
		err = errors.New("there is text after it")
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return &Mistake{Code: http.StatusRequestEntityTooLarge, Detail: "the body is too large"}
	}
	if err != nil {
		return BadRequest("the body is not the JSON that is asked for: %s", decodeerror.JSON(err))
	}
	return nil
}
