// Package analyzers finds mistakes in programs that use gotorch. To avoid false alarms,
// the analyzers stop following a tensor once it is passed to unknown code, stored or
// returned.
package analyzers

import (
	"slices"

	"golang.org/x/tools/go/analysis"
)

// checks are the analyzers that check programs. Directives suppress their reports.
var checks = []*analysis.Analyzer{
	Carried, Cyclic, DeferLoop, EmptyCache, Growing, LoopTensor, LostClose, ModuleCall,
	Retained, ScopeEscape, Swapped, UseAfterClose, ZeroGrad,
}

// All returns every analyzer, for a driver such as unitchecker.
func All() []*analysis.Analyzer { return append(slices.Clone(checks), Directive) }
