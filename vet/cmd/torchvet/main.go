// Command torchvet finds mistakes in programs that use gotorch: native memory
// that piles up, and tensors used after their end.
//
//	go install github.com/gotorch/gotorch/vet/cmd/torchvet@latest
//	go vet -vettool=$(which torchvet) ./...
//
// Each check has a flag of its name, as the checks of go vet have. A line that
// means what a check reports says so in a comment, at its end or above it:
//
//	//torchvet:ignore emptycache what it costs is measured here
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/gotorch/gotorch/vet/analyzers"
)

func main() { unitchecker.Main(analyzers.All()...) }
