//go:build linux

package team

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
)

// load loads the library and runs a region with constructs that need several threads.
const load = `
import ctypes, os, sys
lib = ctypes.CDLL(sys.argv[1])
lib.shared_sum.restype = ctypes.c_long
lib.shared_sum.argtypes = [ctypes.c_long, ctypes.c_int]
lib.SharedActive.restype = ctypes.c_bool
def sums():
    for threads in 1, 2, 4, 9:
        for n in 0, 7, 1000:
            assert lib.shared_sum(n, threads) == n * (n - 1) // 2 + 1
`

// In forks, a process that has used the team forks, and its child forks again. Each
// process must have its own team.
const forks = load + `
assert lib.SharedActive()
def fork(then):
    pid = os.fork()
    if pid == 0:
        try:
            then()
        except BaseException as e:
            print(e, file=sys.stderr)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
def child():
    sums()
    fork(sums)
    sums()
sums()
for i in range(20):
    fork(child)
sums()
`

// In besidePyTorch, PyTorch is loaded before the library. PyTorch's libgomp then runs all
// regions, as it does in a process without the library.
const besidePyTorch = `
import torch
torch.set_num_threads(3)
x = torch.arange(1 << 20, dtype=torch.float32)
def sweep():
    return [float(x.sum()), float(x.sin().sum()), float(torch.fft.rfft(x.view(64, -1)).abs().sum())]
want = sweep()
` + load + `
for i in range(20):
    sums()
    assert sweep() == want
assert not lib.SharedActive()
assert torch.get_num_threads() == 3
`

// shared builds command shared as a library and returns the library's path.
func shared(t *testing.T) string {
	t.Helper()
	library := filepath.Join(t.TempDir(), "shared.so")
	out, err := exec.Command("go", "build", "-buildmode=c-shared", "-o", library, "./shared").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return library
}

func TestForkInALibraryOfPythons(t *testing.T) {
	if testing.Short() {
		t.Skip("building a C library is left out of short runs")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 to load the library")
	}
	pythontest.Script(t, python, "", forks, shared(t))
}

func TestInPythonBesidePyTorch(t *testing.T) {
	python := pythontest.Interpreter(t, "torch")
	pythontest.Script(t, python, "", besidePyTorch, shared(t))
}
