package tables

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"plat/plat/excerpt"
)

// CSV returns a writer of CSV (RFC 4180) in UTF-8, with the names of the columns in the first row. Null
// and empty texts are both empty. Texts are as [excerpt.Cell] returns them.
func (t *Table[R]) CSV(w io.Writer) Writer[R] { return &csvWriter[R]{table: t, w: w} }

type csvWriter[R any] struct {
	table  *Table[R]
	w      io.Writer
	row    []string
	line   bytes.Buffer
	header bool // written
}

func (c *csvWriter[R]) Write(row *R) error {
	if err := c.head(); err != nil {
		return err
	}
	c.row = c.row[:0]
	for i := range c.table.Columns {
		v, err := c.table.Columns[i].value(row)
		if err != nil {
			return err
		}
		c.row = append(c.row, v.cell(c.table.Columns[i].Type))
	}
	return c.write()
}

func (c *csvWriter[R]) Close() error { return c.head() }

// head writes the first row.
func (c *csvWriter[R]) head() error {
	if c.header {
		return nil
	}
	c.header, c.row = true, c.row[:0]
	for i := range c.table.Columns {
		c.row = append(c.row, c.table.Columns[i].Name)
	}
	return c.write()
}

// write writes c.row. Lines within a text end as they did; csv.Writer.UseCRLF would change them.
func (c *csvWriter[R]) write() error {
	c.line.Reset()
	enc := csv.NewWriter(&c.line)
	if err := enc.Write(c.row); err != nil {
		return err
	}
	enc.Flush()
	c.line.Truncate(c.line.Len() - 1)
	c.line.WriteString("\r\n")
	_, err := c.w.Write(c.line.Bytes())
	return err
}

// value returns the value of a column in a row. A null where the column has none is an error.
func (c *Column[R]) value(row *R) (value, error) {
	v := c.of(row)
	if v.null && c.Null == "" {
		return v, fmt.Errorf("the column %s has no value", c.Name)
	}
	return v, nil
}

// cell returns the text of a value in CSV.
func (v *value) cell(t Type) string {
	if v.null {
		return ""
	}
	switch t {
	case Integer:
		return strconv.FormatInt(v.integer, 10)
	case Number:
		return strconv.FormatFloat(float64(v.number), 'f', -1, 32)
	case Boolean:
		return strconv.FormatBool(v.integer == 1)
	case Instant:
		return time.UnixMilli(v.integer).UTC().Format("2006-01-02T15:04:05.000Z")
	case Integers:
		all := make([]string, len(v.list))
		for i, n := range v.list {
			all[i] = strconv.Itoa(int(n))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	return excerpt.Cell(v.text)
}
