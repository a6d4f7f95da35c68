// Package expression compiles regular expressions (RE2) that strangers may have written:
// those of scopes, rules, filters and feeds. A few characters, as (a|b|c){1000}, may stand
// for an expression that takes seconds and hundreds of megabytes to compile, and more
// with each text that it is searched in.
package expression

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

const (
	// MaxText is the longest text of an expression, in bytes.
	MaxText = 2000

	// MaxSize is the largest size of an expression, in instructions of the compiled
	// program: a little more than letters are in the longest text. One of this size takes
	// 0.3 ms and half a megabyte to compile, and at worst 4 µs for each byte of a text
	// that it is searched in.
	MaxSize = 2500
)

// Compile compiles an expression if it is not too long or too large, which it finds out
// before it compiles it.
func Compile(text string) (*regexp.Regexp, error) {
	if _, err := Size(text); err != nil {
		return nil, err
	}
	return regexp.Compile(text)
}

// Size is the size of an expression; an error if that is above MaxSize, the text too long,
// or no regular expression.
func Size(text string) (int, error) {
	if len(text) > MaxText {
		return 0, fmt.Errorf("it has %d characters; write at most %d", len(text), MaxText)
	}
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	n := sizeOf(re)
	if n > MaxSize {
		return 0, fmt.Errorf("it is too large: with its repetitions it comes to more than %d steps; write smaller counts", MaxSize)
	}
	return n, nil
}

// sizeOf estimates the instructions of an expression from above, as [syntax.Compile] makes
// them of its simplified form, in which counted repetitions are written out. It is
// MaxSize+1 for all that are larger.
func sizeOf(re *syntax.Regexp) int {
	n := 0
	for _, sub := range re.Sub {
		n = min(n+sizeOf(sub), MaxSize+1)
	}
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpCapture, syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		n += 2
	case syntax.OpAlternate:
		n += len(re.Sub) - 1
	case syntax.OpRepeat:
		n = n*max(1, re.Min, re.Max) + max(2, re.Max-re.Min)
	}
	return max(1, min(n, MaxSize+1))
}
