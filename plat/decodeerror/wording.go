// Package decodeerror describes errors in JSON and YAML written by users: the decoders' own messages
// use Go's types.
package decodeerror

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// JSON returns an error of encoding/json in plain words. It returns any different error unchanged.
func JSON(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		what := "it"
		if wrong.Field != "" {
			what = fmt.Sprintf("%q", wrong.Field)
		}
		return fmt.Errorf("%s is %s; write %s", what, jsonValue(wrong.Value), typeOf(wrong.Type))
	}
	switch {
	case err == io.EOF:
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF), err != nil && err.Error() == "unexpected end of JSON input":
		return errors.New("it ends too early")
	case err != nil && strings.HasPrefix(err.Error(), "json: unknown field "):
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return err
}

// jsonValue describes a value by the name that encoding/json gives it.
func jsonValue(name string) string {
	kind, value, _ := strings.Cut(name, " ")
	switch kind {
	case "bool":
		return "true or false"
	case "string":
		return "a text"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "number":
		if value != "" { // out of range
			return "the number " + value
		}
		return "a number"
	}
	return name
}

// typeOf describes the values of a type.
func typeOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text, in quotes"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("a whole number of at most %d bits", t.Bits()-1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("a whole number from 0, of at most %d bits", t.Bits())
	}
	return "something else"
}

// The forms of the messages in a [yaml.TypeError].
var (
	wrongType = regexp.MustCompile("^(line \\d+: )cannot unmarshal !!(\\w+)(?: `((?s).*)`)? into ((?s).+)$")
	noField   = regexp.MustCompile(`^(line \d+: )field ((?s).*) not found in type (?s).+$`)
	twice     = regexp.MustCompile(`^(line \d+: )field ((?s).*) already set in type (?s).+$`)
)

// YAML returns an error of a YAML decoder in plain words, in one line. It returns any different error
// unchanged.
func YAML(err error) error {
	wrong, ok := errors.AsType[*yaml.TypeError](err)
	if !ok {
		return err
	}
	all := make([]string, len(wrong.Errors))
	for i, text := range wrong.Errors {
		switch {
		case wrongType.MatchString(text):
			m := wrongType.FindStringSubmatch(text)
			all[i] = fmt.Sprintf("%swrite %s, not %s", m[1], yamlType(m[4]), yamlValue(m[2], m[3]))
		case noField.MatchString(text):
			all[i] = noField.ReplaceAllString(text, `${1}there is no key "${2}"`)
		case twice.MatchString(text):
			all[i] = twice.ReplaceAllString(text, `${1}the key "${2}" comes twice`)
		default:
			all[i] = text
		}
	}
	return errors.New(strings.Join(all, "; "))
}

// yamlValue describes a value by its tag. The decoder shortens long values.
func yamlValue(tag, value string) string {
	switch tag {
	case "seq":
		return "a list"
	case "map":
		return "a mapping"
	case "null":
		return "nothing"
	}
	if value == "" {
		return "a value"
	}
	return fmt.Sprintf("%q", value)
}

// yamlType describes the values of a type, given by its name in Go.
func yamlType(name string) string {
	name = strings.TrimLeft(name, "*")
	switch {
	case name == "bool":
		return "true or false"
	case name == "string":
		return "a text"
	case strings.HasPrefix(name, "float"):
		return "a number"
	case strings.HasPrefix(name, "int"), strings.HasPrefix(name, "uint"):
		return "a whole number"
	case strings.HasPrefix(name, "["):
		return "a list"
	}
	return "a mapping, KEY: VALUE" // a map or a struct
}
