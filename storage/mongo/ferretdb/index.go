package main

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"sync"

	_ "modernc.org/sqlite" // the driver "sqlite", which FerretDB uses too
)

// FerretDB 1.24 queries SQLite by _sjson->'$._id' but indexes _sjson->"_id", so
// SQLite scans the table for every document, even for writes. An indexer creates the
// missing index.
type indexer struct {
	dir string

	mu   sync.Mutex
	dbs  map[string]*sql.DB
	done map[string]string // the table of "database.collection"
}

// index creates the index of a collection, if the collection exists.
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
		if file, err = sql.Open("sqlite", "file:"+filepath.Join(x.dir, db+".sqlite")+"?mode=rw&_pragma=busy_timeout(10000)"); err != nil {
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
	if err != nil {
		return fmt.Errorf("index %s: %w", name, err)
	}
	x.done[name] = table
	return nil
}

// operators of a range of _id.
var operators = map[string]string{"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}

// ids returns the _id of a collection between bounds, sorted; ok is false if it
// cannot. FerretDB stores an _id as quoted JSON; ids without escapes sort equally.
func (x *indexer) ids(db, collection string, bounds map[string]string, down bool, limit int64) (ids []string, ok bool) {
	if len(bounds) == 0 || x.index(db, collection) != nil {
		return nil, false
	}
	x.mu.Lock()
	table, file := x.done[db+"."+collection], x.dbs[db]
	x.mu.Unlock()
	if table == "" {
		return nil, false
	}
	const id = `_ferretdb_sjson->'$._id'`
	q, args := fmt.Sprintf("SELECT %s FROM %q WHERE true", id, table), []any{}
	for op, v := range bounds {
		if operators[op] == "" || !plain.MatchString(v) {
			return nil, false
		}
		q += " AND " + id + " " + operators[op] + " ?"
		args = append(args, `"`+v+`"`)
	}
	q += " ORDER BY " + id
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
		if rows.Scan(&v) != nil || len(v) < 2 || !plain.MatchString(v[1:len(v)-1]) {
			return nil, false
		}
		ids = append(ids, v[1:len(v)-1])
	}
	return ids, rows.Err() == nil
}

var plain = regexp.MustCompile(`^[0-9A-Za-z:;]*$`)

// forget is called when a database was dropped.
func (x *indexer) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, db := range x.dbs {
		db.Close()
	}
	x.dbs, x.done = nil, nil
}
