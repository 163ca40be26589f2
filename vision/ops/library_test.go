package ops_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	torchops "github.com/gotorch/gotorch/torch/ops"
	"github.com/gotorch/gotorch/vision/ops"
)

const library = "GOTORCH_TEST_VISION_LIBRARY" // the library that the child process loads

// A library that registers the same operators can be loaded, and its operators are used from
// then on. This happens in a child process, because it cannot be undone.
func TestLoadLibrary(t *testing.T) {
	path := os.Getenv(library)
	if path == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLoadLibrary$", "-test.v")
		cmd.Env = append(os.Environ(), library+"="+build(t))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	torch.Scope(func() {
		boxes, scores := torch.Zeros(torch.Shape{2, 4}), torch.Zeros(torch.Shape{2})
		rois := torch.Zeros(torch.Shape{1, 5})
		image := torch.Ones(torch.Shape{1, 1, 2, 2}).RequiresGrad_()
		pooled := func() {
			y := ops.ApplyRoIAlign(image, rois, 1)
			y.Sum().Backward()
			assert.InDelta(t, 1, y.Item(), 0)
		}
		assert.Equal(t, []int64{0, 1}, ops.NMS(boxes, scores, 0.5).Int64s())
		require.Error(t, torchops.LoadLibrary(os.Args[0]+".none"))
		require.Error(t, torchops.LoadLibrary("library.go"))
		assert.Equal(t, []int64{0, 1}, ops.NMS(boxes, scores, 0.5).Int64s())
		pooled()
		require.NoError(t, torchops.LoadLibrary(path))
		assert.Equal(t, []int64{7}, ops.NMS(boxes, scores, 0.5).Int64s())
		assert.Len(t, torchops.Schemas("torchvision::nms"), 1)
		pooled()
	})
}

// build compiles testdata/library.cpp, with the flags with which cgo compiles the kernels.
func build(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("there is no g++")
	}
	flags, err := exec.Command("go", "list", "-f", `{{join .CgoCXXFLAGS "\n"}}`,
		"github.com/gotorch/gotorch/cgotorch/vision").Output()
	require.NoError(t, err)
	pkg, err := exec.Command("pkg-config", "--cflags", "libtorch").CombinedOutput()
	if err != nil {
		t.Skipf("pkg-config does not know libtorch: %s", pkg)
	}
	path := filepath.Join(t.TempDir(), "library.so")
	args := append(strings.Fields(string(flags)), strings.Fields(string(pkg))...)
	args = append(args, "-O0", "-shared", "-fPIC", "-o", path, filepath.Join("testdata", "library.cpp"))
	out, err := exec.Command("g++", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}
