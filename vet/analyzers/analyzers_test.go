package analyzers_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gotorch/gotorch/vet/analyzers"
)

// Each analyzer has a package with its name under testdata/src. It contains lines that
// the analyzer must report (with a want comment) and lines that it must not report,
// including lines with a directive.
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
