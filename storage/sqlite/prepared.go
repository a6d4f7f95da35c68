package sqlite

import (
	"context"
	"database/sql"
	"sync"
)

// A querier runs read queries.
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

// A txn is a write transaction that prepares each statement once, because many run
// for every block.
type txn struct {
	tx    *sql.Tx
	stmts map[string]*sql.Stmt
	hosts map[string]int64      // ids
	jobs  map[int64]*hostChange // by id; see writeHosts
}

func (t *txn) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if st := t.stmts[query]; st != nil {
		return st, nil
	}
	st, err := t.tx.PrepareContext(ctx, query)
	if err == nil {
		t.stmts[query] = st
	}
	return st, err
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
