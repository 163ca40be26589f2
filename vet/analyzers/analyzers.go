// Package analyzers finds mistakes in programs that use gotorch. Each analyzer
// prefers silence to a wrong alarm: what is handed to unknown code, stored or
// returned is no longer followed.
package analyzers

import "golang.org/x/tools/go/analysis"

// All returns every analyzer, for a driver such as unitchecker.
func All() []*analysis.Analyzer {
	return []*analysis.Analyzer{EmptyCache, LoopTensor, Retained, ScopeEscape, UseAfterClose, ZeroGrad}
}
