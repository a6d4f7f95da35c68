// Package limits says how much memory and disk is left to this process.
//
// A guard is a function that says what there is not enough of: its error names what is left,
// what is to be left, and what to do; nil is enough. Workers begin nothing new as long as a
// guard has an error. All sizes are bytes.
package limits
