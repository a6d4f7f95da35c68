// Command mongosh runs one script like MongoDB's shell, for the tests of docs/mongo.md, without
// Node or the real shell. It supports the functions of shell.js, which these scripts use, and
// fails on the rest.
//
// It has no driver. It communicates in lines of JSON, with BSON as Extended JSON:
//
//	in   {"now": 1763640000000, "script": "db.urls.find({host: \"a.org\"})"}
//	out  {"call": {"op": "find", "collection": "urls", "filter": {"host": "a.org"}}}
//	in   {"docs": [{"_id": "…"}]}, or {"error": "…"}
//	out  {"result": [{"_id": "…"}]}, or {"error": "…"}
//
// Between the first and the last line there is one call for each database call of the script.
// now is the script's current time, in milliseconds since 1970.
//
// This is a separate module, to keep its dependencies out of plat.
package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dop251/goja"
)

//go:embed shell.js
var shell string

func main() {
	if err := run(bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, "mongosh:", err)
		os.Exit(1)
	}
}

type reply struct {
	Docs  json.RawMessage `json:"docs"`
	Error string          `json:"error"`
}

type outcome struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

func run(in *bufio.Reader, out *json.Encoder) error {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("no script: %w", err)
	}
	var job struct {
		Now    int64  `json:"now"`
		Script string `json:"script"`
	}
	if err := json.Unmarshal(line, &job); err != nil {
		return err
	}
	result, err := eval(job.Script, time.UnixMilli(job.Now), func(op string) (string, error) {
		if err := out.Encode(map[string]json.RawMessage{"call": json.RawMessage(op)}); err != nil {
			return "", err
		}
		line, err := in.ReadBytes('\n')
		if err != nil {
			return "", fmt.Errorf("no reply: %w", err)
		}
		var r reply
		if err := json.Unmarshal(line, &r); err != nil {
			return "", err
		}
		if r.Error != "" {
			return "", errors.New(r.Error)
		}
		return string(r.Docs), nil
	})
	if errors.Is(err, io.EOF) {
		return err
	}
	if err != nil {
		return out.Encode(outcome{Error: err.Error()})
	}
	return out.Encode(outcome{Result: json.RawMessage(result)})
}

// eval returns the value of a script's last expression, as JSON.
func eval(script string, now time.Time, call func(op string) (string, error)) (string, error) {
	vm := goja.New()
	vm.SetTimeSource(func() time.Time { return now })
	if err := vm.Set("__call", call); err != nil {
		return "", err
	}
	show, err := vm.RunScript("shell.js", shell)
	if err != nil {
		return "", err
	}
	v, err := vm.RunScript("script", script)
	if err != nil {
		return "", err
	}
	f, ok := goja.AssertFunction(show)
	if !ok {
		return "", errors.New("shell.js does not end in a function")
	}
	s, err := f(goja.Undefined(), v)
	if err != nil {
		return "", err
	}
	return s.String(), nil
}
