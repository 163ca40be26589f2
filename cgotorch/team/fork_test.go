//go:build linux

package team

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A process that has used the team forks, and so does its child. Each has a team of its own.
const forks = `
import ctypes, os, sys
lib = ctypes.CDLL(sys.argv[1])
lib.shared_sum.restype = ctypes.c_long
lib.shared_sum.argtypes = [ctypes.c_long, ctypes.c_int]
lib.SharedActive.restype = ctypes.c_bool
assert lib.SharedActive()
def sums():
    for threads in 1, 2, 4, 9:
        for n in 0, 7, 1000:
            assert lib.shared_sum(n, threads) == n * (n - 1) // 2 + 1
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

func TestForkInALibraryOfPythons(t *testing.T) {
	if testing.Short() {
		t.Skip("building a C library is left out of short runs")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 to load the library")
	}
	library := filepath.Join(t.TempDir(), "shared.so")
	out, err := exec.Command("go", "build", "-buildmode=c-shared", "-o", library, "./shared").CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command(python, "-c", forks, library).CombinedOutput() //nolint:gosec // the library was built above
	assert.NoError(t, err, "%s", out)
}
