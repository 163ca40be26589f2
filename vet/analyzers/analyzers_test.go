package analyzers_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gotorch/gotorch/vet/analyzers"
)

// testdata/src has a package for each analyzer, with the analyzer's name. Each line that
// the analyzer must report has a want comment. The other lines must not be reported; some
// of them have a directive.
func TestAnalyzers(t *testing.T) {
	for _, a := range analyzers.All() {
		t.Run(a.Name, func(t *testing.T) {
			analysistest.Run(t, analysistest.TestData(), a, a.Name)
		})
	}
}

// In testdata/src/recursive functions call themselves and each other. Each analyzer ends, whatever
// it reports.
func TestRecursivePrograms(t *testing.T) {
	for _, a := range analyzers.All() {
		t.Run(a.Name, func(t *testing.T) {
			for _, r := range analysistest.Run(quiet{}, analysistest.TestData(), a, "recursive") {
				if r.Err != nil || r.Pass == nil {
					t.Error(r.Err)
				}
			}
		})
	}
}

func TestValid(t *testing.T) {
	if err := analysis.Validate(analyzers.All()); err != nil {
		t.Fatal(err)
	}
}
