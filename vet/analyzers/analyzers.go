// Package analyzers finds mistakes in programs that use gotorch. Each analyzer
// prefers silence to a wrong alarm: what is handed to unknown code, stored or
// returned is no longer followed.
package analyzers

import (
	"slices"

	"golang.org/x/tools/go/analysis"
)

// checks are the analyzers that look at programs. Each heeds what Directive
// reads.
var checks = []*analysis.Analyzer{Carried, Cyclic, DeferLoop, EmptyCache, Growing, LoopTensor, LostClose, ModuleCall, Retained, ScopeEscape, Swapped, UseAfterClose, ZeroGrad}

// All returns every analyzer, for a driver such as unitchecker.
func All() []*analysis.Analyzer { return append(slices.Clone(checks), Directive) }
