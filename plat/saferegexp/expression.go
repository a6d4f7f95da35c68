// Package saferegexp compiles regular expressions (RE2) of untrusted input: those of scopes, rules,
// filters, subscriptions and feeds. A few characters, such as (a|b|c){1000}, can make an expression
// that takes seconds and hundreds of megabytes to compile, and more for each text that it searches.
// Many small ones can do the same together, see [Total].
package saferegexp

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

const (
	// MaxText is the maximum length of the text of an expression, in bytes.
	MaxText = 2000

	// MaxSize is the maximum size of an expression, in instructions of the compiled program: slightly
	// more than the letters of the longest text. An expression of this size takes at most 0.3 ms and
	// half a megabyte to compile, after up to 70 ms to parse, and at worst 4 µs per byte of searched
	// text.
	MaxSize = 2500

	// MaxTotal is the maximum total size, see [Total], of all expressions that search one text: 500
	// words, or four expressions of MaxSize.
	MaxTotal = 10_000
)

const (
	// wideSize is the size of a range or class beyond ASCII. If case is ignored, the parser folds
	// each of its characters, which takes as long as compiling this number of instructions, and often
	// longer: (?i)[B-\x{1e942}] takes 2 ms.
	wideSize = 80

	// wideEffort is the same in steps of parsing.
	wideEffort = 8_000

	// runesPerStep is the number of bounds of a class that take as much memory as an instruction: \pL
	// has 1,300.
	runesPerStep = 50

	// fixedSize is the minimum size of an expression, in instructions.
	fixedSize = 20
)

// Compile compiles an expression unless it is too long or too large, which it checks before
// compiling.
func Compile(text string) (*regexp.Regexp, error) {
	if _, err := Size(text); err != nil {
		return nil, err
	}
	return regexp.Compile(text)
}

// Size returns the size of an expression. It returns an error if the size is above MaxSize, if the
// text is too long, or if it is not a regular expression. An expression that has a size compiles.
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

// Add adds an expression. It returns an error and adds nothing if the expression does not compile, or
// if the expressions have more than MaxTotal together.
func (t *Total) Add(text string) error {
	if *t >= MaxTotal {
		return ErrTotal // not parsed
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
var ErrTotal = fmt.Errorf("the expressions are too large together: %[2]d steps are allowed, one per letter with repetitions written out, and %[1]d per expression; write fewer or shorter ones", fixedSize, MaxTotal)

// wideRanges returns an upper bound of the number of ranges and classes in a text with characters
// beyond ASCII. Those of a text in ASCII take hardly any time.
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

// Effort returns the maximum cost of finding the size of an expression with this text, in steps of
// some tens of nanoseconds.
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

// sizeOf returns an upper bound of the number of instructions of an expression, as [syntax.Compile]
// makes them of its simplified form, in which counted repetitions are written out. It is MaxSize+1
// for all larger ones.
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
