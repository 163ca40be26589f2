package analyzers

import (
	"go/ast"
	"go/types"
)

// answers holds what an analyzer has found out about variables and expressions. Without it, a
// search through the callers of a function would take very long in a program with many calls, and
// would not end in a program whose functions call each other.
type answers struct {
	owned, counters memo[*types.Var, bool]
	held            memo[question, held]
	unbounded       memo[question, bool]
	lists           memo[question, bool] // lists of parameters
	joined          memo[*types.Var, ast.Expr]
}

func newAnswers() *answers {
	return &answers{
		owned: memo[*types.Var, bool]{}, counters: memo[*types.Var, bool]{}, held: memo[question, held]{},
		unbounded: memo[question, bool]{}, lists: memo[question, bool]{}, joined: memo[*types.Var, ast.Expr]{},
	}
}

// memo holds answers to questions.
type memo[Q comparable, A any] map[Q]A

// once returns the answer to q, which find finds the first time. While find runs, the answer is the
// zero value.
func (k memo[Q, A]) once(q Q, find func() A) A {
	a, ok := k[q]
	if !ok {
		k[q] = a
		a = find()
		k[q] = a
	}
	return a
}

// question identifies an expression at a site. depth is the number of steps that led to it.
type question struct {
	e     ast.Expr
	f     *function
	v     *types.Var
	ps    *place
	depth int
}

func questionAbout(e ast.Expr, s site, depth int) question {
	q := question{e: e, f: s.f, v: s.v, depth: depth}
	if len(s.ps) > 0 {
		q.ps = &s.ps[0]
	}
	return q
}
