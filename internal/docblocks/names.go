package docblocks

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// standard are packages of Go's standard library. Blocks may use them by the last part of
// their paths.
var standard = strings.Fields(`bytes context encoding/json errors flag fmt image image/png io io/fs iter
	log log/slog maps math net/http net/http/httptest os os/exec os/signal path/filepath runtime slices sort
	strconv strings sync sync/atomic syscall testing time bufio runtime/pprof encoding/gob
	math/rand unsafe`)

// modules are the modules of the repository, by their directories.
var modules = []string{
	"memory/otel", "memory/plot", "torch/gonum", "torch/data/codecs", "torch/data/arrow", "examples", "vision",
	"transformers",
}

// packageNames returns the import paths of the packages that blocks may use, by name.
func packageNames(root string) (map[string]string, error) {
	names := map[string]string{
		"F":        modulePath + "/nn/functional",
		"dcp":      modulePath + "/torch/distributed/dcp",
		"blockrun": modulePath + "/internal/docblocks/blockrun",
		"mat":      "gonum.org/v1/gonum/mat",
		"models":   modulePath + "/vision/models", // transformers has a package of this name, too
		"tv":       modulePath + "/vision/transforms",
		"mAP":      modulePath + "/vision/metrics",
	}
	for _, path := range standard {
		names[path[strings.LastIndex(path, "/")+1:]] = path
	}
	return names, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == root {
			return err
		}
		name := d.Name()
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case strings.HasPrefix(name,
			"."), name == "internal", name == "testdata", name == "cmd", name == "tools", name == "cgotorch",
			rel == "build", rel == "bench", rel == "notebooks", rel == "vet", rel == "docs", rel == "scripts":
			return filepath.SkipDir
		}
		if name == "functional" || names[name] != "" {
			return nil
		}
		if _, err := os.Stat(filepath.Join(path, "main.go")); err == nil {
			return nil // A program cannot be imported.
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
				names[name] = modulePath + "/" + filepath.ToSlash(rel)
				break
			}
		}
		return nil
	})
}

// moduleOf returns the directory of the module that contains a package. It returns "" for
// the root module and for Go's own packages.
func moduleOf(path string) string {
	if strings.HasPrefix(path, "gonum.org/") {
		return "torch/gonum"
	}
	for _, m := range modules {
		if p := modulePath + "/" + m; path == p || strings.HasPrefix(path, p+"/") {
			return m
		}
	}
	return ""
}
