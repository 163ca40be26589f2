package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// libSystem is macOS's C library. zig has its own stub for it.
const libSystem = "/usr/lib/libSystem.B.dylib"

var imported = regexp.MustCompile(`(?m)^//go:cgo_import_dynamic \S+ (\w+) "(/(?:usr/lib|System)/[^"]+)"`)

// imports returns the symbols that Go's standard library imports from macOS's libraries,
// by the path of the library. It finds them in the source in goroot.
func imports(goroot string) (map[string][]string, error) {
	found := map[string]map[string]bool{}
	err := filepath.WalkDir(filepath.Join(goroot, "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range imported.FindAllStringSubmatch(string(text), -1) {
			if found[m[2]] == nil {
				found[m[2]] = map[string]bool{}
			}
			found[m[2]]["_"+m[1]] = true
		}
		return err
	})
	libraries := map[string][]string{}
	for path, symbols := range found {
		libraries[path] = slices.Sorted(maps.Keys(symbols))
	}
	delete(libraries, libSystem)
	return libraries, err
}

// stub returns the path of a library's stub, relative to the stub directory, and the text
// of the stub.
func stub(path string, symbols []string) (name, text string) {
	base := filepath.Base(path)
	if strings.Contains(path, ".framework/") {
		name = filepath.Join(base+".framework", base+".tbd")
	} else {
		name, _, _ = strings.Cut(base, ".") // The linker's -lresolv stands for libresolv.9.dylib.
		name += ".tbd"
	}
	return name, fmt.Sprintf(`--- !tapi-tbd
tbd-version: 4
targets: [ arm64-macos ]
install-name: '%s'
exports:
  - targets: [ arm64-macos ]
    symbols: [ %s ]
...
`, path, strings.Join(symbols, ", "))
}

func writeStubs(goroot, dir string) error {
	libraries, err := imports(goroot)
	if err != nil {
		return err
	}
	if len(libraries) == 0 {
		return fmt.Errorf("found no macOS imports in the Go source tree %s: is it a complete GOROOT?", goroot)
	}
	for path, symbols := range libraries {
		name, text := stub(path, symbols)
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
