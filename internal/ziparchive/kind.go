package ziparchive

import (
	"archive/zip"
	"strings"
)

// The archives that [Kind] knows.
const (
	TorchScript = "a TorchScript archive: package torch/jit runs it"
	NumPy       = "an archive of NumPy's: package torch/numpy reads it"
	Compiled    = "a package of AOTInductor: package torch/aoti runs it"
	Exported    = "an exported program: package torch/export runs it"
)

// Names returns the names of the entries of an archive.
func Names(files []*zip.File) []string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	return names
}

// Kind describes a zip archive with these entries and names the package that reads such
// archives, for errors of other packages. It returns "" for an unknown archive.
func Kind(names []string) string {
	var program, data, compiled, exported bool
	arrays := len(names) > 0
	for _, name := range names {
		_, inner, _ := strings.Cut(name, "/") // all formats but NumPy's have a folder around all entries
		program = program || inner == "constants.pkl"
		data = data || inner == "data.pkl"
		compiled = compiled || strings.HasPrefix(name, "data/aotinductor/") || strings.HasPrefix(inner,
			"data/aotinductor/")
		exported = exported || name == "serialized_exported_program.json" || strings.HasPrefix(inner,
			"models/") && strings.HasSuffix(inner, ".json")
		arrays = arrays && strings.HasSuffix(name, ".npy")
	}
	switch {
	case arrays:
		return NumPy
	case compiled:
		return Compiled
	case exported:
		return Exported
	case program && data:
		return TorchScript
	case data:
		return "a file of torch.save: package torch/serialization reads it"
	}
	return ""
}
