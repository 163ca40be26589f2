package docblocks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Run compiles and runs the blocks that use packages of a module. module is the module's
// directory, or "" for the root module. Run logs how many blocks ran, and how many were
// only compiled and why.
func Run(t *testing.T, root, module string) {
	t.Helper()
	blocks, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	RunBlocks(t, root, module, "given.go", blocks)
}

// RunBlocks is like [Run], for the given blocks. given is the file in testdata/ with the
// declarations that they may use.
func RunBlocks(t *testing.T, root, module, given string, blocks []Block) {
	t.Helper()
	p, err := newProgram(root, module, given)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.run(t.Context(), blocks, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.failures {
		t.Error(f)
	}
	t.Logf("%d ran", r.ran)
	for _, reason := range slices.Sorted(maps.Keys(r.compiled)) {
		t.Logf("%d are only compiled: %s", r.compiled[reason], reason)
	}
}

func newProgram(root, module, given string) (*program, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	p := &program{root: root, module: module, files: map[string]string{}}
	if p.given, err = readGiven(root, given); err != nil {
		return nil, err
	}
	p.packages, err = packageNames(root)
	return p, err
}

// result is the result of all blocks.
type result struct {
	ran      int
	compiled map[string]int // number of blocks that were only compiled, by reason
	failures []string
}

// run creates a program from the blocks and runs it. It returns an error for blocks that
// are not valid Go.
func (p *program) run(ctx context.Context, blocks []Block, dir string) (*result, error) {
	pages, following := byPage(blocks)
	var wrong error
	for _, page := range pages {
		units, err := unitsOf(page)
		if err == nil {
			units, err = p.ofModule(units)
		}
		if err == nil && len(units) > 0 {
			err = p.add(page[0].Page, units)
		}
		wrong = errors.Join(wrong, err)
	}
	if wrong != nil {
		return nil, wrong
	}
	binary, err := p.build(dir)
	if err != nil {
		return nil, err
	}
	r := &result{compiled: map[string]int{}}
	var runs []*pageRun
	at := map[string]*pageRun{}
	for _, k := range p.pages {
		for _, u := range k.units {
			if reason, ok := u.mark("compiled only"); ok {
				r.compiled[reason]++
				continue
			}
			r.ran++
			page := u.blocks[0].Page
			if at[page] == nil {
				at[page] = &pageRun{
					root: p.root, binary: binary,
					dir: filepath.Join(dir, fmt.Sprintf("run%d", len(runs))), following: following,
				}
				runs = append(runs, at[page])
			}
			at[page].units = append(at[page].units, u)
		}
	}
	var wg sync.WaitGroup
	places := make(chan struct{}, 2)
	for _, run := range runs {
		// The units of a page come from several packages, so sort them by line.
		slices.SortFunc(run.units, func(a, b *unit) int { return a.blocks[0].Line - b.blocks[0].Line })
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			run.run(ctx)
		})
	}
	wg.Wait()
	for _, run := range runs {
		r.failures = append(r.failures, run.failures...)
	}
	return r, nil
}

// byPage groups the Go blocks by page. following maps the place of each Go block to the
// block after it.
func byPage(blocks []Block) (pages [][]Block, following map[string]Block) {
	following = map[string]Block{}
	for i, b := range blocks {
		if b.Lang != "go" {
			continue
		}
		if i+1 < len(blocks) && blocks[i+1].Page == b.Page {
			following[b.Place()] = blocks[i+1]
		}
		if last := len(pages) - 1; last >= 0 && pages[last][0].Page == b.Page {
			pages[last] = append(pages[last], b)
		} else {
			pages = append(pages, []Block{b})
		}
	}
	return pages, following
}

// ofModule returns the units that use packages of the program's module. A unit that uses
// no packages of other modules belongs to the root module.
func (p *program) ofModule(units []*unit) ([]*unit, error) {
	var own []*unit
	for _, u := range units {
		module := ""
		for _, path := range u.imports(p.packages) {
			if m := moduleOf(path); m != "" {
				if module != "" && module != m {
					return nil, fmt.Errorf("%s: packages of two modules, %s and %s", u.place(), module, m)
				}
				module = m
			}
		}
		if module == p.module {
			own = append(own, u)
		}
	}
	return own, nil
}

// imports returns the import paths that a unit uses.
func (u *unit) imports(packages map[string]string) []string {
	var paths []string
	if u.whole {
		for _, m := range quoted.FindAllStringSubmatch(u.decls, -1) {
			paths = append(paths, m[1])
		}
		return paths
	}
	for _, n := range u.free {
		if path := packages[n]; path != "" && !strings.Contains(path, "docblocks") {
			paths = append(paths, path)
		}
	}
	return paths
}
