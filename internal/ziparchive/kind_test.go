package ziparchive_test

import (
	"archive/zip"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/ziparchive"
)

func TestKindNamesThePackage(t *testing.T) {
	for _, c := range []struct {
		names []string
		says  string
	}{
		{nil, ""},
		{[]string{"readme"}, ""},
		{[]string{"data.pkl"}, ""},
		{[]string{"m/version", "m/data.pkl"}, "torch/serialization"},
		{[]string{"m/data.pkl", "m/code/__torch__.py", "m/constants.pkl"}, "torch/jit"},
		{[]string{"m/constants.pkl"}, ""},
		{[]string{"archive_format", "data/aotinductor/model/a.so"}, "torch/aoti"},
		{[]string{"model/archive_format", "model/data/aotinductor/model/a.so"}, "torch/aoti"},
		{[]string{"serialized_exported_program.json"}, "torch/export"},
		{[]string{"model/models/model.json"}, "torch/export"},
		{[]string{"a.npy", "b/c.npy"}, "torch/numpy"},
		{[]string{"data/aotinductor/a.npy"}, "torch/numpy"},
		{[]string{"a.npy", "m/data.pkl"}, "torch/serialization"},
	} {
		files := make([]*zip.File, len(c.names))
		for i, name := range c.names {
			files[i] = &zip.File{FileHeader: zip.FileHeader{Name: name}}
		}
		got := ziparchive.Kind(ziparchive.Names(files))
		assert.Contains(t, got, c.says, "%q", c.names)
		assert.Equal(t, c.says == "", got == "", "%q: %s", c.names, got)
	}
}
