// Command consumer lists the checks of torchvet, as a custom driver would.
package main

import (
	"fmt"
	"log"

	"golang.org/x/tools/go/analysis"

	"github.com/gotorch/gotorch/vet/analyzers"
)

func main() {
	all := analyzers.All()
	if err := analysis.Validate(all); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(all), "checks, the first is", all[0].Name)
}
