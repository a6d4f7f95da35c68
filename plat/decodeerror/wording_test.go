package decodeerror_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"plat/plat/decodeerror"
)

// form has a field of every kind that users write.
type form struct {
	URL   string         `json:"url" yaml:"url"`
	Rank  *float32       `json:"rank" yaml:"rank"`
	Depth int16          `json:"depth" yaml:"depth"`
	Size  uint32         `json:"size" yaml:"size"`
	Again bool           `json:"again" yaml:"again"`
	Tags  []string       `json:"tags" yaml:"tags"`
	Of    map[string]int `json:"of" yaml:"of"`
	In    *form          `json:"in" yaml:"in"`
}

func TestErrorsOfJSONAreInWords(t *testing.T) {
	for text, want := range map[string]string{
		`{"url": 5}`:             `"url" is a number; write a text, in quotes`,
		`{"rank": "high"}`:       `"rank" is a text; write a number`,
		`{"depth": 1.5}`:         `"depth" is the number 1.5; write a whole number of at most 15 bits`,
		`{"depth": 99999}`:       `"depth" is the number 99999; write a whole number of at most 15 bits`,
		`{"size": -1}`:           `"size" is the number -1; write a whole number from 0, of at most 32 bits`,
		`{"again": {}}`:          `"again" is an object; write true or false`,
		`{"tags": true}`:         `"tags" is true or false; write a list`,
		`{"of": []}`:             `"of" is a list; write an object`,
		`{"in": {"url": false}}`: `"in.url" is true or false; write a text, in quotes`,
		`[]`:                     `it is a list; write an object`,
		`{"colour": 1}`:          `unknown field "colour"`,
		``:                       `it is empty`,
		`{"url"`:                 `it ends too early`,
		`{"url": x}`:             `invalid character 'x' looking for beginning of value`,
	} {
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		err := decodeerror.JSON(d.Decode(&form{}))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := decodeerror.JSON(json.Unmarshal([]byte(`{"url"`), &form{})); err == nil || err.Error() != "it ends too early" {
		t.Errorf("an end in the middle: %v", err)
	}
	other := errors.New("other")
	if decodeerror.JSON(other) != other || decodeerror.JSON(nil) != nil || decodeerror.YAML(other) != other || decodeerror.YAML(nil) != nil {
		t.Error("other errors do not stay as they are")
	}
}

func TestNoNameOfATypeIsLeft(t *testing.T) {
	var into struct {
		A []struct{ B map[string]int }
	}
	for _, text := range []string{"c: 1", "a: 5", "a: [5]", "a: [{b: 5}]", "a: [{b: {c: x}}]", "[]"} {
		d := yaml.NewDecoder(strings.NewReader(text))
		d.KnownFields(true)
		if err := decodeerror.YAML(d.Decode(&into)); err == nil || strings.ContainsAny(err.Error(), "{}\n") || strings.Contains(err.Error(), "type") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestErrorsOfYAMLAreInWords(t *testing.T) {
	for text, want := range map[string]string{
		"url: [1]":                 `line 1: write a text, not a list`,
		"rank: high":               `line 1: write a number, not "high"`,
		"depth: 2026-01-01":        `line 1: write a whole number, not "2026-01-01"`,
		"size: -1":                 `line 1: write a whole number, not "-1"`,
		"again: 1":                 `line 1: write true or false, not "1"`,
		"tags: a: b":               ``, // is not YAML
		"tags: {a: b}":             `line 1: write a list, not a mapping`,
		"of: x":                    `line 1: write a mapping, KEY: VALUE, not "x"`,
		"url: a\nin: x\ndepth: []": `line 2: write a mapping, KEY: VALUE, not "x"; line 3: write a whole number, not a list`,
		"colour: 1":                `line 1: there is no key "colour"`,
		"- 1":                      `line 1: write a mapping, KEY: VALUE, not a list`,
	} {
		d := yaml.NewDecoder(strings.NewReader(text))
		d.KnownFields(true)
		err := decodeerror.YAML(d.Decode(&form{}))
		if err == nil || want != "" && err.Error() != want || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "form") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
