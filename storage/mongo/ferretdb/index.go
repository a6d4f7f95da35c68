package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	_ "modernc.org/sqlite" // the driver "sqlite", which FerretDB uses too
)

// FerretDB 1.24 queries SQLite by _sjson->'$._id' but indexes _sjson->"_id", so SQLite scans
// the table for every document, even for writes. An indexer creates the missing index, and
// indexes of further fields, which FerretDB does not use itself.
type indexer struct {
	dir string

	mu   sync.Mutex
	dbs  map[string]*sql.DB
	done map[string]string // the table of "database.collection"
}

// fields lists the fields of collections whose ranges use our own indexes.
var fields = map[string][]string{"urls": {"todo", "at", "died", "url"}, "hosts": {"order", "next"}}

// expression returns the SQL expression of a field's index. FerretDB stores an _id as quoted
// JSON, a date as milliseconds.
func expression(collection, field string) (e string, ok bool) {
	if field == "_id" {
		return "_ferretdb_sjson->'$._id'", true
	}
	return "_ferretdb_sjson->>'$." + field + "'", slices.Contains(fields[collection], field)
}

// index creates the indexes of a collection, if the collection exists.
func (x *indexer) index(db, collection string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	name := db + "." + collection
	if x.done[name] != "" {
		return nil
	}
	if x.dbs == nil {
		x.dbs, x.done = map[string]*sql.DB{}, map[string]string{}
	}
	file := x.dbs[db]
	if file == nil {
		var err error
		if file, err = sql.Open("sqlite", "file:"+filepath.Join(x.dir, db+".sqlite")+"?mode=rw&_pragma=busy_timeout(10000)&_pragma=synchronous(off)"); err != nil {
			return err
		}
		x.dbs[db] = file
	}
	var table string
	err := file.QueryRow("SELECT table_name FROM _ferretdb_collections WHERE name = ?", collection).Scan(&table)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // the collection does not exist
	}
	if err == nil {
		_, err = file.Exec(fmt.Sprintf(`CREATE INDEX IF NOT EXISTS %q ON %q (_ferretdb_sjson->'$._id')`, table+"_by_id", table))
	}
	for _, field := range fields[collection] {
		if e, _ := expression(collection, field); err == nil {
			_, err = file.Exec(fmt.Sprintf(`CREATE INDEX IF NOT EXISTS %q ON %q (%s) WHERE %[3]s IS NOT NULL`, table+"_by_"+field, table, e))
		}
	}
	if err != nil {
		return fmt.Errorf("index %s: %w", name, err)
	}
	x.done[name] = table
	return nil
}

// operators of a range of _id.
var operators = map[string]string{"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}

// table returns the table of a collection, or a nil file if it does not exist.
func (x *indexer) table(db, collection string) (file *sql.DB, table string) {
	if x.index(db, collection) != nil {
		return nil, ""
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if table = x.done[db+"."+collection]; table == "" {
		return nil, ""
	}
	return x.dbs[db], table
}

// where returns the condition of a range. ok is false if the range is not supported. Quoted
// JSON without escapes sorts like the text.
func where(collection, field string, bounds map[string]any) (q string, args []any, ok bool) {
	e, ok := expression(collection, field)
	if !ok || len(bounds) == 0 {
		return "", nil, false
	}
	for op, v := range bounds {
		text, isText := v.(string)
		if operators[op] == "" || field == "_id" && !(isText && plain.MatchString(text)) {
			return "", nil, false
		}
		if field == "_id" {
			v = `"` + text + `"`
		}
		if q != "" {
			q += " AND "
		}
		q += e + " " + operators[op] + " ?"
		args = append(args, v)
	}
	return q, args, true
}

// ids returns the _ids of a collection whose field is between bounds, sorted by that field. ok
// is false if that is not supported.
func (x *indexer) ids(db, collection, field string, bounds map[string]any, down bool, limit int64) (ids []string, ok bool) {
	file, table := x.table(db, collection)
	cond, args, ok := where(collection, field, bounds)
	if file == nil || !ok {
		return nil, false
	}
	e, _ := expression(collection, field)
	q := fmt.Sprintf("SELECT _ferretdb_sjson->>'$._id' FROM %q WHERE %s ORDER BY %s", table, cond, e)
	if down {
		q += " DESC"
	}
	rows, err := file.Query(q+" LIMIT ?", append(args, limit)...)
	if err != nil {
		return nil, false
	}
	defer rows.Close()
	for rows.Next() {
		var v string
		if rows.Scan(&v) != nil {
			return nil, false
		}
		ids = append(ids, v)
	}
	return ids, rows.Err() == nil
}

// count counts the documents of a collection whose field is between bounds, up to limit, unless
// that is negative. ok is false if that is not supported.
func (x *indexer) count(db, collection, field string, bounds map[string]any, limit int64) (n int64, ok bool) {
	file, table := x.table(db, collection)
	cond, args, ok := where(collection, field, bounds)
	if file == nil || !ok {
		return 0, false
	}
	err := file.QueryRow(fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM %q WHERE %s LIMIT ?)", table, cond), append(args, limit)...).Scan(&n)
	return n, err == nil
}

// existing returns the ids that a collection has, or all ids if that is unknown.
func (x *indexer) existing(db, collection string, ids []string) []string {
	file, table := x.table(db, collection)
	if file == nil || slices.ContainsFunc(ids, func(id string) bool { return !plain.MatchString(id) }) {
		return ids
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return ids
	}
	rows, err := file.Query(fmt.Sprintf("SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM %q WHERE _ferretdb_sjson->'$._id' = '\"' || value || '\"')", table), string(list))
	if err != nil {
		return ids
	}
	defer rows.Close()
	var there []string
	for rows.Next() {
		var id string
		if rows.Scan(&id) != nil {
			return ids
		}
		there = append(there, id)
	}
	if rows.Err() != nil {
		return ids
	}
	return there
}

var plain = regexp.MustCompile(`^[0-9A-Za-z:;]*$`)

// forget discards the cache after a database was dropped.
func (x *indexer) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, db := range x.dbs {
		db.Close()
	}
	x.dbs, x.done = nil, nil
}
