// Command genaten writes the operator packages cgotorch/aten and torch/aten
// from the operator schemas of one or more libtorch versions.
//
//	genaten -root ../../.. -torch 2.11.0=DIR -torch 2.15.0=DIR
//	genaten -root ../../..
//	genaten -root ../../.. -check
//
// With -torch it reads the schemas from installed trees (include/ATen/ops and
// native_functions.yaml), records them in operators.txt and generates. Without,
// it generates from operators.txt alone, so that the generated code can be
// checked where no libtorch is installed. With -check it writes nothing and
// fails if a generated file differs from what it would write.
//
// The output covers the union of the versions: an operator that one of them
// lacks fails there with an error that says so.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// output maps paths below the repository root to generated contents.
type output map[string][]byte

type pairs map[string]string

func (p pairs) String() string { return fmt.Sprint(map[string]string(p)) }
func (p pairs) Set(s string) error {
	version, dir, ok := strings.Cut(s, "=")
	if !ok {
		return errors.New("want VERSION=DIR")
	}
	p[version] = dir
	return nil
}

func main() {
	trees, yamls := pairs{}, pairs{}
	root := flag.String("root", ".", "the repository root")
	check := flag.Bool("check", false, "compare with the files on disk instead of writing")
	flag.Var(trees, "torch", "VERSION=DIR of an installed libtorch; repeatable")
	flag.Var(yamls, "yaml", "VERSION=DIR with native_functions.yaml and tags.yaml, where they are not beside libtorch; repeatable")
	flag.Parse()
	if err := run(*root, trees, yamls, *check); err != nil {
		fmt.Fprintln(os.Stderr, "genaten:", err)
		os.Exit(1)
	}
}

func run(root string, trees, yamls pairs, check bool) error {
	listing := filepath.Join(root, "internal/cmd/genaten/operators.txt")
	out := output{}
	var inv *inventory
	var err error
	if len(trees) > 0 {
		if inv, err = readTrees(trees, yamls); err != nil {
			return err
		}
		out["internal/cmd/genaten/operators.txt"] = inv.text()
	} else if inv, err = readListing(listing); err != nil {
		return err
	}
	ops, err := buildModel(inv)
	if err != nil {
		return err
	}
	g := &generator{inv: inv, ops: ops, out: out}
	for _, step := range []func() error{
		func() error { return g.hashHeaders(root) },
		g.native, g.tensor, g.table, g.coverage,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return out.settle(root, check)
}

// settle writes the files that differ and removes generated ones that are no
// longer produced, or with check only reports both.
func (out output) settle(root string, check bool) error {
	var drift []string
	for path, text := range out {
		full := filepath.Join(root, path)
		if old, err := os.ReadFile(full); err == nil && bytes.Equal(old, text) {
			continue
		}
		drift = append(drift, path)
		if check {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, text, 0o644); err != nil {
			return err
		}
	}
	for _, pattern := range []string{"cgotorch/aten/ops*", "torch/aten/ops_*"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return err
		}
		for _, full := range found {
			rel, err := filepath.Rel(root, full)
			if err != nil {
				return err
			}
			if _, ok := out[filepath.ToSlash(rel)]; ok {
				continue
			}
			drift = append(drift, rel)
			if !check {
				if err := os.Remove(full); err != nil {
					return err
				}
			}
		}
	}
	if check && len(drift) > 0 {
		return fmt.Errorf("generated files differ, run make generate: %s", strings.Join(drift, " "))
	}
	return nil
}
