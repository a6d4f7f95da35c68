package sqlite

import (
	"context"
	"database/sql"
	"sync"
)

// querier runs read queries.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// prepared caches prepared statements: parsing the query for a chain takes longer
// than running it. Queries are constants, so the cache is small; dynamic queries
// bypass it.
type prepared struct {
	*sql.DB
	mu    sync.Mutex
	stmts map[string]*sql.Stmt // guarded by mu
}

func (p *prepared) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if st := p.stmts[query]; st != nil {
		return st, nil
	}
	st, err := p.DB.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if p.stmts == nil {
		p.stmts = map[string]*sql.Stmt{}
	}
	p.stmts[query] = st
	return st, nil
}

func (p *prepared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := p.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

func (p *prepared) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	st, err := p.stmt(ctx, query)
	if err != nil {
		return p.DB.QueryRowContext(ctx, query, args...) // it returns the error
	}
	return st.QueryRowContext(ctx, args...)
}

// connection is the connection for writing. It runs one transaction at a time and keeps their
// statements prepared, because preparing those of a visit takes longer than running them.
type connection struct {
	*sql.DB // a pool of one connection
	path    string
	busy    patience
	turn    chan struct{} // holds a token while a transaction runs

	stmts  map[string]*sql.Stmt // guarded by turn
	wanted []string             // guarded by turn: queries that a transaction has prepared itself
}

func newConnection(db *sql.DB, path string, busy patience) *connection {
	db.SetMaxOpenConns(1)
	return &connection{DB: db, path: path, busy: busy, turn: make(chan struct{}, 1), stmts: map[string]*sql.Stmt{}}
}

// begin begins a transaction when the running ones have ended. end must be called after it.
func (w *connection) begin(ctx context.Context) (*txn, error) {
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// Now, because a transaction takes the only connection.
	for _, query := range w.wanted {
		if w.stmts[query] != nil {
			continue
		}
		st, err := w.PrepareContext(ctx, query)
		if err != nil {
			break // the transaction prepares it itself, and returns the error
		}
		w.stmts[query] = st
	}
	w.wanted = w.wanted[:0]
	var tx *sql.Tx
	err := w.busy.wait(ctx, w.path, func() (err error) { tx, err = w.BeginTx(ctx, nil); return err })
	if err != nil {
		w.end()
		return nil, err
	}
	return &txn{tx: tx, w: w, stmts: map[string]*sql.Stmt{}, hosts: map[string]int64{}, jobs: map[int64]*hostChange{}}, nil
}

func (w *connection) end() { <-w.turn }

// txn is a write transaction that prepares each statement once, because many run for every
// block.
type txn struct {
	tx    *sql.Tx
	w     *connection // if nil, statements are not kept
	stmts map[string]*sql.Stmt
	hosts map[string]int64      // ids
	jobs  map[int64]*hostChange // by id; see writeHosts
}

func (t *txn) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if st := t.stmts[query]; st != nil {
		return st, nil
	}
	if t.w != nil {
		if kept := t.w.stmts[query]; kept != nil {
			st := t.tx.StmtContext(ctx, kept)
			t.stmts[query] = st
			return st, nil
		}
	}
	st, err := t.tx.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	t.stmts[query] = st
	if t.w != nil {
		t.w.wanted = append(t.w.wanted, query)
	}
	return st, nil
}

func (t *txn) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	st, err := t.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return st.ExecContext(ctx, args...)
}

func (t *txn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := t.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

func (t *txn) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	st, err := t.stmt(ctx, query)
	if err != nil {
		return t.tx.QueryRowContext(ctx, query, args...) // it returns the error
	}
	return st.QueryRowContext(ctx, args...)
}
