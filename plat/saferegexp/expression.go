// Package saferegexp compiles regular expressions (RE2) of untrusted input: those
// of scopes, rules, filters, subscriptions and feeds. A few characters, as (a|b|c){1000}, may make
// an expression that takes seconds and hundreds of megabytes to compile, and more with each text
// that it is searched in; and many that are small each may do the same together, see [Total].
package saferegexp

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

const (
	// MaxText is the longest text of an expression, in bytes.
	MaxText = 2000

	// MaxSize is the largest size of an expression, in instructions of the compiled
	// program: a little more than letters are in the longest text. One of this size takes
	// at most 0.3 ms and half a megabyte to compile, after up to 70 ms to parse, and at worst
	// 4 µs for each byte of a text that it is searched in.
	MaxSize = 2500

	// MaxTotal is the largest size, see [Total], of all expressions that are searched in one text:
	// 500 words, or four expressions of MaxSize.
	MaxTotal = 10_000
)

const (
	// wideSize is the size of a range or class beyond ASCII. Where case is ignored, the parser
	// folds each of its characters, which takes as long as compiling so many instructions, and
	// often longer: (?i)[B-\x{1e942}] takes 2 ms.
	wideSize = 80

	// wideEffort is the same in steps of parsing.
	wideEffort = 8_000

	// runesPerStep is how many bounds of a class take as much memory as an instruction: \pL has
	// 1,300.
	runesPerStep = 50

	// fixedSize is what an expression takes however short it is, in instructions.
	fixedSize = 20
)

// Compile compiles an expression if it is not too long or too large, which it finds out
// before it compiles it.
func Compile(text string) (*regexp.Regexp, error) {
	if _, err := Size(text); err != nil {
		return nil, err
	}
	return regexp.Compile(text)
}

// Size returns the size of an expression; an error if that is above MaxSize, if the text is too
// long, or if it is not a regular expression. An expression that has a size compiles.
func Size(text string) (int, error) {
	if len(text) > MaxText {
		return 0, fmt.Errorf("it has %d characters; write at most %d", len(text), MaxText)
	}
	wide := wideSize * wideRanges(text)
	if wide > MaxSize {
		return 0, fmt.Errorf("it has more than %d ranges and classes beyond ASCII, as [а-я] and \\pL; write fewer", MaxSize/wideSize)
	}
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	n := sizeOf(re) + wide + runesOf(re)/runesPerStep
	if n > MaxSize {
		return 0, fmt.Errorf("it is too large: with its repetitions it comes to more than %d steps; write smaller counts", MaxSize)
	}
	return n, nil
}

// Total adds the sizes of expressions that are used together. The zero Total is ready.
type Total int

// Add adds an expression. The error says why it does not compile, or that the expressions have
// more than MaxTotal together; nothing is added then.
func (t *Total) Add(text string) error {
	if *t >= MaxTotal {
		return ErrTotal // not even parsed
	}
	n, err := Size(text)
	if err != nil {
		return err
	}
	if n += fixedSize; int(*t)+n > MaxTotal {
		return ErrTotal
	}
	*t += Total(n)
	return nil
}

// ErrTotal is returned by [Total.Add].
var ErrTotal = fmt.Errorf("the expressions are too large together: each letter, repetitions written out, is a step, each expression %d more, and %d are allowed; write fewer or shorter ones", fixedSize, MaxTotal)

// wideRanges returns an upper bound of the ranges and classes of a text that has characters beyond
// ASCII. Those of a text of ASCII alone take next to no time.
func wideRanges(text string) int {
	classes, ranges, ascii, in := 0, 0, true, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] == 'p' || text[i] == 'P' {
				classes++
			}
			ascii = ascii && text[i] != 'x' && text[i] < utf8.RuneSelf
		case c == '[':
			in = true
		case c == '-' && in:
			ranges++
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	if ascii && classes == 0 {
		return 0
	}
	return classes + ranges
}

// Effort returns what it takes at most to find the size of an expression, and that of its text, in
// steps of some tens of nanoseconds.
func Effort(text string) int { return len(text) + wideEffort*min(wideRanges(text), MaxSize/wideSize) }

// runesOf returns the number of bounds of all classes: repetitions share them.
func runesOf(re *syntax.Regexp) (n int) {
	if re.Op == syntax.OpCharClass {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += runesOf(sub)
	}
	return n
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
