package tables

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Limits of a row group, which is in memory until it is written.
const (
	groupBytes = 8 << 20 // of values, uncompressed
	groupRows  = 50_000
)

// pageBytes is the size of a page, uncompressed. With pages of 256 kB, the library's default, files are 7 %
// smaller, and Zstandard takes 30 MB more memory.
const pageBytes = 64 << 10

// Parquet returns a writer of Parquet, compressed by Zstandard.
func (t *Table[R]) Parquet(w io.Writer) Writer[R] {
	options := []parquet.WriterOption{t.schema(), parquet.Compression(&parquet.Zstd), parquet.PageBufferSize(pageBytes), parquet.KeyValueMetadata("plat.table", t.Name)}
	for _, c := range t.Columns {
		if c.Long {
			options = append(options, parquet.SkipPageBounds(c.Name))
		}
	}
	return &parquetWriter[R]{table: t, out: parquet.NewGenericWriter[any](w, options...)}
}

// schema returns the schema of the table in Parquet. It is made from a struct, because groups that are made
// of nodes sort their columns.
func (t *Table[R]) schema() *parquet.Schema {
	var fields []reflect.StructField
	for i, c := range t.Columns {
		tag, of := []string{c.Name}, reflect.TypeFor[string]()
		switch c.Type {
		case Integer:
			of = reflect.TypeFor[int64]()
		case Number:
			of = reflect.TypeFor[float32]()
		case Boolean:
			of = reflect.TypeFor[bool]()
		case Instant:
			tag, of = append(tag, "timestamp(millisecond)"), reflect.TypeFor[int64]()
		case Integers:
			tag, of = append(tag, "list"), reflect.TypeFor[[]int64]()
		}
		if c.Null != "" {
			tag = append(tag, "optional")
		}
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("C%d", i), Type: of, Tag: reflect.StructTag(`parquet:"` + strings.Join(tag, ",") + `"`)})
	}
	return parquet.NewSchema(t.Name, parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface()))
}

type parquetWriter[R any] struct {
	table *Table[R]
	out   *parquet.GenericWriter[any]
	row   parquet.Row
	rows  int // in the row group
	bytes int // approximate size of their values
}

func (p *parquetWriter[R]) Write(row *R) error {
	p.row = p.row[:0]
	for i := range p.table.Columns {
		c := &p.table.Columns[i]
		v, err := c.value(row)
		if err != nil {
			return err
		}
		p.row = v.appendTo(p.row, c.Type, i, c.Null != "")
		p.bytes += 8 + len(v.text) + 4*len(v.list)
	}
	if _, err := p.out.WriteRows([]parquet.Row{p.row}); err != nil {
		return err
	}
	if p.rows++; p.bytes < groupBytes && p.rows < groupRows {
		return nil
	}
	p.rows, p.bytes = 0, 0
	return p.out.Flush()
}

func (p *parquetWriter[R]) Close() error { return p.out.Close() }

// appendTo appends a value of a column. Levels are those of "Dremel", section 5: a value that can be null
// has definition level 1, elements of a list too, those after the first have repetition level 1.
func (v *value) appendTo(row parquet.Row, t Type, column int, optional bool) parquet.Row {
	defined := 0
	if optional {
		defined = 1
	}
	switch {
	case v.null || t == Integers && len(v.list) == 0:
		return append(row, parquet.NullValue().Level(0, 0, column))
	case t == Integers:
		for i, n := range v.list {
			row = append(row, parquet.Int64Value(int64(n)).Level(min(i, 1), 1, column))
		}
		return row
	case t == Number:
		return append(row, parquet.FloatValue(v.number).Level(0, defined, column))
	case t == Boolean:
		return append(row, parquet.BooleanValue(v.integer == 1).Level(0, defined, column))
	case t == Text:
		return append(row, parquet.ByteArrayValue([]byte(strings.ToValidUTF8(v.text, "\uFFFD"))).Level(0, defined, column))
	}
	return append(row, parquet.Int64Value(v.integer).Level(0, defined, column))
}
