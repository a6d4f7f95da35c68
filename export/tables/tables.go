// Package tables describes the archive as tables with typed columns, for data frames, databases and
// spreadsheets: blocks and their changes, versions, results of searches, and items of subscriptions.
//
// Each table is one list of columns. CSV and Parquet files are written from it, and docs/tables.md is
// compared with it. Rows are written one by one: memory does not grow with their number.
package tables

import (
	"time"

	"plat/plat"
	"plat/storage/history"
)

// Type is the type of a column.
type Type int

// The types. In Parquet, texts are of type STRING and instants of type TIMESTAMP(MILLIS, UTC).
const (
	Text     Type = iota
	Integer       // 64 bits, signed
	Number        // 32 bits, IEEE 754
	Boolean       //
	Instant       // with milliseconds; in CSV as RFC 3339, UTC
	Integers      // a list; in CSV as JSON
)

// String returns the name of the type in Parquet.
func (t Type) String() string {
	return [...]string{"STRING", "INT64", "FLOAT", "BOOLEAN", "TIMESTAMP", "LIST of INT64"}[t]
}

// Table is a table with rows of type R.
type Table[R any] struct {
	Name    string
	Columns []Column[R]
}

// Column is a column of a table.
type Column[R any] struct {
	Name  string
	Type  Type
	Unit  string // empty: none
	Null  string // the meaning of null; empty: the column has no null
	About string
	Long  bool // texts of any length, without statistics in Parquet

	of func(*R) value
}

// value is the value of a column in a row.
type value struct {
	null    bool
	text    string
	integer int64   // also of booleans (0 or 1), and of instants in milliseconds since 1970
	number  float32 //
	list    []int32
}

// A Writer writes the rows of a table. Close writes the rest; it does not close the file.
type Writer[R any] interface {
	Write(row *R) error
	Close() error
}

func text[R any, T ~string](name, about string, of func(*R) T) Column[R] {
	return Column[R]{Name: name, Type: Text, About: about, of: func(r *R) value { return value{text: string(of(r))} }}
}

func integer[R any, T ~int | ~int32 | ~int64 | ~uint8](name, about string, of func(*R) T) Column[R] {
	return Column[R]{Name: name, Type: Integer, About: about, of: func(r *R) value { return value{integer: int64(of(r))} }}
}

func number[R any, T ~float32 | ~float64](name, about string, of func(*R) T) Column[R] {
	return Column[R]{Name: name, Type: Number, About: about, of: func(r *R) value { return value{number: float32(of(r))} }}
}

func boolean[R any](name, about string, of func(*R) bool) Column[R] {
	return Column[R]{Name: name, Type: Boolean, About: about, of: func(r *R) value {
		if of(r) {
			return value{integer: 1}
		}
		return value{}
	}}
}

func instant[R any](name, about string, of func(*R) time.Time) Column[R] {
	return Column[R]{Name: name, Type: Instant, About: about, of: func(r *R) value {
		t := of(r)
		return value{null: t.IsZero(), integer: t.UnixMilli()}
	}}
}

func integers[R any](name, about string, of func(*R) []int32) Column[R] {
	return Column[R]{Name: name, Type: Integers, About: about, of: func(r *R) value { return value{list: of(r)} }}
}

// optionalText is a column of texts that may be absent, and may be long.
func optionalText[R any](name, null, about string, of func(*R) *string) Column[R] {
	return Column[R]{Name: name, Type: Text, Null: null, About: about, Long: true, of: func(r *R) value {
		if t := of(r); t != nil {
			return value{text: *t}
		}
		return value{null: true}
	}}
}

// in returns the column with the unit of its values.
func (c Column[R]) in(unit string) Column[R] { c.Unit = unit; return c }

// long returns the column for texts of any length.
func (c Column[R]) long() Column[R] { c.Long = true; return c }

// orNull returns the column with null for zero values: empty texts, 0, and the zero time.
func (c Column[R]) orNull(meaning string) Column[R] {
	of := c.of
	c.Null = meaning
	c.of = func(r *R) value {
		v := of(r)
		v.null = v.null || v.text == "" && v.integer == 0 && v.number == 0
		return v
	}
	return c
}

// place returns the columns of a rectangle.
func place[R any](of func(*R) history.Box) []Column[R] {
	return []Column[R]{
		number("x", "left edge", func(r *R) float32 { return of(r).X }).in("CSS px"),
		number("y", "top edge, from the top of the page", func(r *R) float32 { return of(r).Y }).in("CSS px"),
		number("w", "width", func(r *R) float32 { return of(r).W }).in("CSS px"),
		number("h", "height", func(r *R) float32 { return of(r).H }).in("CSS px"),
	}
}

// hashOf returns a hash as text, empty for the zero hash.
func hashOf(h plat.Hash) string {
	if h.IsZero() {
		return ""
	}
	return h.String()
}
