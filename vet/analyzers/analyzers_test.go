package analyzers_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gotorch/gotorch/vet/analyzers"
)

// Each analyzer has a package of its name under testdata/src, which holds what
// it reports (the lines with a want comment) and what it must leave alone, lines
// with a directive among that.
func TestAnalyzers(t *testing.T) {
	for _, a := range analyzers.All() {
		t.Run(a.Name, func(t *testing.T) {
			analysistest.Run(t, analysistest.TestData(), a, a.Name)
		})
	}
}

func TestValid(t *testing.T) {
	if err := analysis.Validate(analyzers.All()); err != nil {
		t.Fatal(err)
	}
}
