package analyzers_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gotorch/gotorch/vet/analyzers"
)

// testdata/src has a package for each analyzer, with the analyzer's name. A want comment
// marks each line that the analyzer must report. The other lines, some of which have a
// directive, must not be reported.
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
