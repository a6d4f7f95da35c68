package decodeerror

import (
	"errors"
	"fmt"
	"strconv"
)

// Value returns an error of a value parser in plain words; kind is its kind, as flags name kinds:
// "int", "duration" and so on. Errors of plat's own kinds are returned unchanged.
func Value(kind, text string, err error) error {
	if err == nil {
		return nil
	}
	what := ""
	switch kind {
	case "int", "int64":
		what = "a whole number, as 8"
	case "uint", "uint64":
		what = "a whole number from 0, as 8"
	case "float32", "float64":
		what = "a number, as 0.5"
	case "bool":
		what = "true or false"
	case "duration":
		what = "a duration, as 30s, 5m or 24h"
	case "uintSlice":
		what = "whole numbers from 0, separated by commas, as 80,8080"
	case "float64Slice":
		what = "numbers, separated by commas, as 0.5,1,2"
	default:
		return err
	}
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%q is out of range; write %s", text, what)
	}
	return fmt.Errorf("%q cannot be used; write %s", text, what)
}
