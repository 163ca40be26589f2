// Command claims measures rules of thumb about memory, prints a table with a verdict for
// each, and writes build/claims.json.
//
//	go run ./bench/cmd/claims [-run REGEXP] [-rounds N] [-quick] [-out FILE]
//
// docs/claims.md describes the claims. The exit status reports measurement errors, not
// whether a claim holds.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/gotorch/gotorch/bench/internal/claims"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "claims:", err)
		os.Exit(1)
	}
}

func run() error {
	pattern := flag.String("run", "", "measure the claims whose name matches this regular `expression`")
	rounds := flag.Int("rounds", 7, "number of turns of each variant")
	quick := flag.Bool("quick", false, "run short loops with small tensors, to check that everything works")
	list := flag.Bool("list", false, "print the names of the claims and stop")
	out := flag.String("out", filepath.Join("build", "claims.json"), "the `file` to write")
	flag.Parse()

	if *list {
		for _, c := range claims.All() {
			fmt.Println(c.Name)
		}
		return nil
	}
	selected, err := regexp.Compile(*pattern)
	if err != nil {
		return err
	}
	var all []claims.Result
	// Try returns an operator's panic as an error.
	err = torch.Try(func() {
		// With several threads, an operator waits for the slowest one, so other programs
		// on the machine would slow every operator.
		torch.SetNumThreads(1)
		all = claims.Run(claims.Options{Run: selected, Rounds: *rounds, Quick: *quick, Log: os.Stderr})
	})
	if err != nil {
		return err
	}
	if err := claims.WriteJSON(*out, all); err != nil {
		return err
	}
	return claims.WriteTable(os.Stdout, all)
}
