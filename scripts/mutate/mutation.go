package main

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Kinds of mutation, as reports name them.
const (
	comparison = "comparison" // < and <=, > and >=, == and !=
	condition  = "condition"  // inverted
	arithmetic = "arithmetic" // + and -, * and /, and the like, of numbers
	constant   = "constant"   // an integer, one more or one less
	logic      = "logic"      // && and ||
	boolean    = "boolean"    // true and false
	result     = "result"     // an error that is not returned, a return that is removed
	bound      = "bound"      // of a slice, one more or one less
	jump       = "jump"       // break and continue
	statement  = "statement"  // a call or an assignment removed
)

// turned maps operators to those that take their place.
var turned = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL,
	token.SHL: token.SHR, token.SHR: token.SHL, token.AND: token.OR, token.OR: token.AND,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN,
	token.SHL_ASSIGN: token.SHR_ASSIGN, token.SHR_ASSIGN: token.SHL_ASSIGN, token.AND_ASSIGN: token.OR_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
	token.BREAK: token.CONTINUE, token.CONTINUE: token.BREAK,
}

// A tableSize is the number of integers from which a composite literal of a package counts as data, whose numbers
// are not mutated: fitted weights, code pages.
const tableSize = 16

// A site is a place of a file that can be mutated in one or more ways.
type site struct {
	file  *source
	fn    string // the function or method around it, or the variable
	local bool   // within a function
	pos   token.Pos
	edits []edit
}

// An edit replaces the bytes from start to end of a file.
type edit struct {
	kind       string
	start, end int
	text       string
}

// A source is a file of a package under test.
type source struct {
	name string // relative to the module
	data []byte
	ast  *ast.File
	set  *token.FileSet
}

// offset returns the byte offset of p.
func (s *source) offset(p token.Pos) int { return s.set.Position(p).Offset }

// text returns the source of n.
func (s *source) text(n ast.Node) string { return string(s.data[s.offset(n.Pos()):s.offset(n.End())]) }

// around returns the range of the function around p.
func (s *source) around(p token.Pos) block {
	for _, d := range s.ast.Decls {
		if d.Pos() <= p && p < d.End() {
			from, to := s.set.Position(d.Pos()), s.set.Position(d.End())
			return block{from.Line, from.Column, to.Line, to.Column}
		}
	}
	return block{}
}

// apply returns the file with e made. Its lines keep their numbers.
func (s *source) apply(e edit) []byte {
	lost := bytes.Count(s.data[e.start:e.end], []byte("\n")) - strings.Count(e.text, "\n")
	return slices.Concat(s.data[:e.start], []byte(e.text), bytes.Repeat([]byte("\n"), max(0, lost)), s.data[e.end:])
}

// change returns the lines that e touches, before and after, without indentation. A line that is empty afterwards is left out.
func (s *source) change(e edit) (before, after []string) {
	from := bytes.LastIndexByte(s.data[:e.start], '\n') + 1
	to := len(s.data)
	if i := bytes.IndexByte(s.data[e.end:], '\n'); i >= 0 {
		to = e.end + i
	}
	return trimmed(string(s.data[from:to])), trimmed(string(s.data[from:e.start]) + e.text + string(s.data[e.end:to]))
}

// trimmed returns the lines of text that are not empty, without space around them.
func trimmed(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// A finder collects the sites of a file.
type finder struct {
	*source
	info  *types.Info
	stack []ast.Node // from the file to the node that is visited
	skip  map[ast.Node]bool
	found []site
}

// sitesOf returns the places of s that can be mutated, in their order. Generated files have none.
func sitesOf(s *source, info *types.Info) []site {
	if ast.IsGenerated(s.ast) {
		return nil
	}
	f := &finder{source: s, info: info, skip: map[ast.Node]bool{}}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if n == nil {
			f.stack = f.stack[:len(f.stack)-1]
			return true
		}
		if f.skip[n] {
			return false
		}
		f.visit(n)
		f.stack = append(f.stack, n)
		return true
	})
	slices.SortStableFunc(f.found, func(a, b site) int { return int(a.pos) - int(b.pos) })
	return f.found
}

// parent returns the n-th node around the one that is visited, from 0.
func (f *finder) parent(n int) ast.Node {
	if n >= len(f.stack) {
		return nil
	}
	return f.stack[len(f.stack)-1-n]
}

// add adds a site at p. Edits that change nothing are left out.
func (f *finder) add(p token.Pos, edits ...edit) {
	edits = slices.DeleteFunc(edits, func(e edit) bool { return e.text == string(f.data[e.start:e.end]) })
	if len(edits) == 0 {
		return
	}
	fn, local := f.function()
	f.found = append(f.found, site{file: f.source, fn: fn, local: local, pos: p, edits: edits})
}

// node returns an edit that puts text in place of n.
func (f *finder) node(kind string, n ast.Node, text string) edit {
	return edit{kind, f.offset(n.Pos()), f.offset(n.End()), text}
}

// operator adds the edit that turns the operator at p.
func (f *finder) operator(kind string, p token.Pos, op token.Token) {
	if to, ok := turned[op]; ok {
		at := f.offset(p)
		f.add(p, edit{kind, at, at + len(op.String()), to.String()})
	}
}

// function returns the name of the function around the visited node, or of the variable outside of functions.
func (f *finder) function() (name string, local bool) {
	for _, n := range f.stack {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil || len(n.Recv.List) == 0 {
				return n.Name.Name, true
			}
			t := n.Recv.List[0].Type
			if star, ok := t.(*ast.StarExpr); ok {
				t = star.X
			}
			if index, ok := t.(*ast.IndexExpr); ok {
				t = index.X
			}
			return f.text(t) + "." + n.Name.Name, true
		case *ast.ValueSpec:
			name = n.Names[0].Name
		case *ast.FuncLit:
			return name, true
		}
	}
	return name, false
}

// visit adds the sites of n itself.
func (f *finder) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		switch {
		case n.Op == token.LAND || n.Op == token.LOR:
			f.operator(logic, n.OpPos, n.Op)
		case isComparison(n.Op):
			f.operator(comparison, n.OpPos, n.Op)
		case f.isNumber(n.X):
			f.operator(arithmetic, n.OpPos, n.Op)
		}
	case *ast.IfStmt:
		f.invert(n.Cond)
	case *ast.ForStmt:
		f.invert(n.Cond)
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, c := range n.Body.List {
				for _, cond := range c.(*ast.CaseClause).List {
					f.invert(cond)
				}
			}
		}
	case *ast.BasicLit:
		f.literal(n)
	case *ast.Ident:
		if f.info.Uses[n] == types.Universe.Lookup("true") {
			f.add(n.Pos(), f.node(boolean, n, "false"))
		} else if f.info.Uses[n] == types.Universe.Lookup("false") {
			f.add(n.Pos(), f.node(boolean, n, "true"))
		}
	case *ast.SliceExpr:
		f.bounds(n)
	case *ast.BranchStmt:
		f.operator(jump, n.Pos(), n.Tok)
	case *ast.ReturnStmt:
		f.returned(n)
	case *ast.IncDecStmt:
		f.operator(arithmetic, n.TokPos, n.Tok)
		f.remove(n)
	case *ast.AssignStmt:
		if f.isNumber(n.Lhs[0]) {
			f.operator(arithmetic, n.TokPos, n.Tok)
		}
		if n.Tok != token.DEFINE {
			f.remove(n)
		}
	case *ast.ExprStmt:
		f.remove(n)
	case *ast.CallExpr:
		f.hints(n)
	case *ast.ValueSpec:
		f.tables(n)
	case *ast.ArrayType:
		if n.Len != nil { // another length hardly ever compiles
			f.skip[n.Len] = true
		}
	}
}

// invert adds the inversion of a condition. That of a single == or != is the turned operator.
func (f *finder) invert(cond ast.Expr) {
	if cond == nil {
		return
	}
	if b, ok := cond.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return
	}
	if id, ok := cond.(*ast.Ident); ok && (id.Name == "true" || id.Name == "false") {
		return
	}
	f.add(cond.Pos(), f.node(condition, cond, "!("+f.text(cond)+")"))
}

// literal adds an integer that is one more, or one less.
func (f *finder) literal(n *ast.BasicLit) {
	v, err := strconv.ParseInt(n.Value, 0, 63)
	if n.Kind != token.INT || err != nil {
		return
	}
	f.add(n.Pos(), f.node(constant, n, strconv.FormatInt(v+1, 10)), f.node(constant, n, strconv.FormatInt(v-1, 10)))
}

// bounds adds bounds of a slice that are one more, or one less.
func (f *finder) bounds(n *ast.SliceExpr) {
	for _, e := range []ast.Expr{n.Low, n.High} {
		if e == nil {
			continue
		}
		if lit, ok := e.(*ast.BasicLit); ok {
			f.skip[lit] = true
			if v, err := strconv.ParseInt(lit.Value, 0, 63); err == nil {
				f.add(lit.Pos(), f.node(bound, lit, strconv.FormatInt(v+1, 10)), f.node(bound, lit, strconv.FormatInt(v-1, 10)))
			}
			continue
		}
		f.add(e.Pos(), f.node(bound, e, "("+f.text(e)+")+1"), f.node(bound, e, "("+f.text(e)+")-1"))
	}
}

// returned adds a return without its error, and an early one that is removed.
func (f *finder) returned(n *ast.ReturnStmt) {
	var edits []edit
	if len(n.Results) > 0 {
		last := n.Results[len(n.Results)-1]
		id, isIdent := last.(*ast.Ident)
		if f.returnsError() && len(n.Results) == f.results() && !(isIdent && id.Name == "nil") {
			edits = append(edits, f.node(result, last, "nil"))
		}
	}
	switch f.parent(0).(type) {
	case *ast.BlockStmt:
		if _, ok := f.parent(1).(*ast.IfStmt); ok {
			edits = append(edits, f.node(result, n, ""))
		}
	case *ast.CaseClause, *ast.CommClause:
		edits = append(edits, f.node(result, n, ""))
	}
	f.add(n.Pos(), edits...)
}

// signature returns the type of the function around the visited node.
func (f *finder) signature() *ast.FuncType {
	for _, n := range slices.Backward(f.stack) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Type
		case *ast.FuncLit:
			return n.Type
		}
	}
	return &ast.FuncType{}
}

// results returns the number of results of the function around the visited node.
func (f *finder) results() int { return f.signature().Results.NumFields() }

// returnsError reports whether the last result of the function around the visited node is an error.
func (f *finder) returnsError() bool {
	if f.results() == 0 {
		return false
	}
	list := f.signature().Results.List
	t := f.info.TypeOf(list[len(list)-1].Type)
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// remove adds the removal of a statement of a block.
func (f *finder) remove(n ast.Stmt) {
	switch f.parent(0).(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default: // of an if, a for or a switch
		return
	}
	edits := []edit{f.node(statement, n, "")}
	switch n := n.(type) {
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); !ok || f.isHint(call) || isLock(call) {
			return
		}
	case *ast.AssignStmt:
		if len(n.Lhs) == 1 && f.text(n.Lhs[0]) == "_" {
			return
		}
		if n.Tok == token.ASSIGN && len(n.Lhs) == 1 && len(n.Rhs) == 1 { // where the value would be unused
			edits = append(edits, edit{statement, f.offset(n.Pos()), f.offset(n.Rhs[0].Pos()), "_ = "})
		}
	}
	f.add(n.Pos(), edits...)
}

// hints skips arguments that are merely how much memory is to be kept ready.
func (f *finder) hints(n *ast.CallExpr) {
	if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "make" && len(n.Args) > 1 {
		if _, isMap := f.info.TypeOf(n.Args[0]).Underlying().(*types.Map); isMap || len(n.Args) > 2 {
			f.skip[n.Args[len(n.Args)-1]] = true
		}
	}
	if f.isHint(n) {
		f.skip[n.Args[len(n.Args)-1]] = true
	}
}

// isHint reports whether n only keeps memory ready: Grow of a builder, a buffer or a slice.
func (f *finder) isHint(n *ast.CallExpr) bool {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Grow" && len(n.Args) > 0
}

// isLock reports whether n locks or unlocks. Tests of values do not see that it is missing.
func isLock(n *ast.CallExpr) bool {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"Lock", "Unlock", "RLock", "RUnlock"}, sel.Sel.Name)
}

// tables skips the integers of package variables that are data.
func (f *finder) tables(n *ast.ValueSpec) {
	if _, local := f.function(); local {
		return
	}
	for _, v := range n.Values {
		lit, ok := v.(*ast.CompositeLit)
		if !ok {
			continue
		}
		var numbers []ast.Node
		ast.Inspect(lit, func(n ast.Node) bool {
			if b, ok := n.(*ast.BasicLit); ok && b.Kind == token.INT {
				numbers = append(numbers, b)
			}
			_, isFunc := n.(*ast.FuncLit)
			return !isFunc
		})
		if len(numbers) >= tableSize {
			for _, n := range numbers {
				f.skip[n] = true
			}
		}
	}
}

// isNumber reports whether e is an integer or a float.
func (f *finder) isNumber(e ast.Expr) bool {
	t := f.info.TypeOf(e)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// isComparison reports whether op compares.
func isComparison(op token.Token) bool {
	switch op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
		return true
	}
	return false
}
