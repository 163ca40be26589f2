package lint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// behind lists, with their files, the C++ functions that access a tensor's memory by its
// address and not through the dispatcher. docs/architecture.md describes these functions.
var behind = map[string]string{
	"gt_from_data":       "cgotorch/tensor.cpp",
	"gt_from_shared":     "cgotorch/tensor.cpp",
	"gt_tensor_copy_in":  "cgotorch/tensor.cpp",
	"gt_tensor_copy_out": "cgotorch/tensor.cpp",
	"gt_tensor_storage":  "cgotorch/tensor.cpp", // only returns the address, for Tensor.DataPtr
	"exported":           "cgotorch/dlpack/dlpack.cpp",
	"refusal":            "cgotorch/dlpack/dlpack.cpp", // only checks whether the tensor has an address
	"gt_dlpack_import":   "cgotorch/dlpack/dlpack.cpp",
	"count":              "cgotorch/optim/step.cpp",
	"wrapped":            "cgotorch/optim/step.cpp",
	"each_of":            "cgotorch/aten/guard_basics.hpp",
	"check_segments":     "cgotorch/aten/guard_families.hpp",
	"nested_shape":       "cgotorch/aten/guard_raw.hpp",
	"ctc":                "cgotorch/aten/guard_training.hpp",
	"nested_view":        "cgotorch/aten/guard_training.hpp",
	"pool":               "cgotorch/pool.cpp",
	"gt_aoti_update":     "cgotorch/aoti/aoti.cpp",
	"own":                "cgotorch/aoti/aoti.cpp",
	"stack":              "cgotorch/stack.cpp",
	"start":              "cgotorch/stack.cpp",
	"describe":           "cgotorch/capture/describe.cpp",
	"same_results":       "cgotorch/capture/overload.cpp",
	"same_bits":          "cgotorch/capture/copies.cpp",
	"multiply":           "cgotorch/capture/own_product.cpp",
	"own_product":        "cgotorch/capture/own_product.cpp",
	"apply":              "cgotorch/capture/own_elements.cpp",
	"move_to_arena":      "cgotorch/capture/place.cpp",
	"gt_reducer_places":  "cgotorch/c10d/reducer.cpp",           // only the address
	"require":            "cgotorch/capture/require.cpp",        // a kernel, which the dispatcher calls
	"add_in_place":       "cgotorch/capture/one_dnn.cpp",        // adds in the kernels of optimized graphs
	"floats":             "cgotorch/capture/fused.cpp",          // reads in the kernels of optimized graphs
	"writable":           "cgotorch/capture/fused.cpp",          // writes in the kernels of optimized graphs
	"allocated":          "cgotorch/capture/rewrite_values.cpp", // only whose memory it is
	"gt_capture_packed":  "cgotorch/capture/capture.cpp",        // only the address
}

var (
	address = regexp.MustCompile(
		`\b(?:(?:mutable_|const_)?data_ptr(?:<\w+>)?\(|(?:packed_)?accessor(?:32|64)?<|` +
			`(?:unsafe_)?storage\(\)\.(?:unsafe_|mutable_)?data|(?:from|for)_blob\(|unsafeGetStorageImpl\(\)->)`)
	function = regexp.MustCompile(`^[\w:].*?\b(\w+)\([^;]*(?:\{|,|\{.*\})$`)
)

// addresses returns the names of the functions in a C++ source file that take the address
// of a tensor's memory.
func addresses(text string) (in []string) {
	at := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := function.FindStringSubmatch(line); m != nil {
			at = m[1]
		}
		code, _, _ := strings.Cut(line, "//")
		// The method recordStream takes the address of a memory block, but does not
		// access the memory.
		if address.MatchString(code) && !strings.Contains(code, "recordStream") {
			in = append(in, at)
		}
	}
	return in
}

func TestFindsAddresses(t *testing.T) {
	assert.Equal(t, []string{"f", "g", "g", "h", "h"}, addresses(`
int f(at::Tensor t) {
  *t.mutable_data_ptr<float>() = 1;
}
void g(int a,
       int b) {
  at::from_blob(p);
  // t.data_ptr() in words
}
float* g(at::Tensor t) { return t.mutable_data_ptr<float>(); }
void h(at::Tensor t) {
  t.accessor<float, 1>()[0] = 1;
  t.storage().mutable_data();
}
`))
}

// A captured step records only calls that go through the dispatcher. Only the functions
// in behind access tensor memory in other ways.
func TestMemoryBehindTheDispatcher(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	require.NoError(t, err)
	root, found := filepath.Join("..", "..", "cgotorch"), map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		// The allocator has no tensors. The dispatcher calls the kernels of vision and blocks.
		if d.IsDir() && (d.Name() == "mem" || d.Name() == "vision" || d.Name() == "blocks") {
			return filepath.SkipDir
		}
		if ext := filepath.Ext(path); ext != ".cpp" && ext != ".hpp" {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, name := range addresses(string(text)) {
			rel, _ := filepath.Rel(filepath.Join("..", ".."), path)
			if file := filepath.ToSlash(rel); !strings.Contains(found[name], file) {
				// functions in different files may have the same name
				found[name] = strings.TrimSpace(found[name] + " " + file)
			}
		}
		return err
	}))
	assert.Equal(t, behind, found)
	for name := range behind {
		assert.Contains(t, string(page), "`"+name+"`")
	}
}
