package aoti_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aoti"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// models are the names of the models in testdata/compile.py.
var models = []string{"mlp", "conv", "parts", "empty"}

// compiled holds the result of compile, which runs only once: the directory with the
// compiled models, or the error.
var compiled struct {
	once sync.Once
	dir  string
	err  error
}

// compile runs Python to compile the models. The result is cached in a directory. The
// cache key consists of the script's contents, the processor, and ATEN_CPU_CAPABILITY,
// which selects vector extensions.
func compile(python string) (string, error) {
	script, err := os.ReadFile(filepath.Join("testdata", "compile.py"))
	if err != nil {
		return "", err
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "", err
	}
	key := bytes.Join([][]byte{
		script, regexp.MustCompile(`(?m)^flags.*$`).Find(info),
		[]byte(os.Getenv("ATEN_CPU_CAPABILITY")),
	}, nil)
	sum := sha256.Sum256(key)
	dir, err := filepath.Abs(filepath.Join("..", "..", "build", "aoti", hex.EncodeToString(sum[:8])))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", err
	}
	lock, err := os.Create(dir + ".lock")
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }() // closing the file releases the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	// a new directory each time, because the compiler of a killed test may still write to
	// the old one
	work, err := os.MkdirTemp(filepath.Dir(dir), "")
	if err != nil {
		return "", err
	}
	args := append([]string{filepath.Join("testdata", "compile.py"), work}, models...)
	cmd := exec.Command(python, args...) //nolint:gosec // the Python of the tests
	cache := filepath.Join(work, "cache")
	cmd.Env = append(os.Environ(), "TORCHINDUCTOR_CACHE_DIR="+cache, "TORCHINDUCTOR_COMPILE_THREADS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", &failed{string(out), err}
	}
	if err := os.RemoveAll(cache); err != nil {
		return "", err
	}
	return dir, os.Rename(work, dir)
}

type failed struct {
	output string
	err    error
}

func (f *failed) Error() string { return f.err.Error() + ": " + f.output }

// packages returns the directory with the compiled models. It compiles them on the first
// call.
func packages(t testing.TB) string {
	if os.Getenv(again.Emulator) != "" {
		t.Skip("the compiler's models are for this machine, the test program for another")
	}
	if os.Getenv("ATEN_CPU_CAPABILITY") == "avx2" && !thorough.Asked() {
		t.Skip("compiled models are tested with this processor's vectors and with none: for avx2 set " +
			thorough.Variable + "=1")
	}
	python := pythontest.Interpreter(t, "torch", "safetensors")
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("the compiler that PyTorch calls is not there")
	}
	compiled.once.Do(func() { compiled.dir, compiled.err = compile(python) })
	require.NoError(t, compiled.err)
	return compiled.dir
}

// load loads a compiled model.
func load(t testing.TB, name string, opts ...aoti.LoadOption) *aoti.Model {
	m, err := aoti.Load(filepath.Join(packages(t), name+".pt2"), opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// recorded returns the tensors that Python wrote for a model. They are closed at the end of
// the test.
func recorded(t testing.TB, name string) map[string]*torch.Tensor {
	all, err := safetensors.LoadFile(filepath.Join(packages(t), name+".safetensors"))
	require.NoError(t, err)
	t.Cleanup(func() {
		for _, x := range all {
			require.NoError(t, x.Close())
		}
	})
	return all
}
