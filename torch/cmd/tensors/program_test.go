package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/torchtest"
)

// A TorchScript archive has the same state dict as in Python, in every format.
func TestStateDictsOfTorchScript(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	python := pythontest.Interpreter(t, "torch")
	dir := t.TempDir()
	names := []string{"mlp_scripted", "mlp_traced", "conv", "lstm", "tied"}
	const script = `
import sys, torch
for name in sys.argv[3:]:
    torch.save(torch.jit.load(f"{sys.argv[1]}/{name}.pt").state_dict(), f"{sys.argv[2]}/{name}.pt")
`
	folder := golden("jit/testdata/goldens")
	pythontest.Script(t, python, "", script, append([]string{folder, dir}, names...)...)
	for _, name := range names {
		in, want := filepath.Join(folder, name+".pt"), filepath.Join(dir, name+".pt")
		status, stdout, stderr := tensors(t, "diff", in, want)
		assert.Zero(t, status, "%s: %s%s", name, stdout, stderr)
		_, stdout, _ = tensors(t, "ls", "-json", in)
		var l listing
		require.NoError(t, json.Unmarshal([]byte(stdout), &l))
		assert.Equal(t, "torchscript", l.Format)
		assert.NotEmpty(t, l.Tensors)
		for _, out := range []string{"x.safetensors", "x.pt", "x.npz"} {
			out = filepath.Join(dir, out)
			args := []string{"convert", "-o", out, in}
			if filepath.Ext(out) != ".pt" { // only .pt preserves shared memory
				args = append([]string{"convert", "-shared", "copy"}, args[1:]...)
			}
			status, _, stderr = tensors(t, args...)
			require.Zero(t, status, stderr)
			assert.Contains(t, stderr, in+": not converted: the program and ")
			status, stdout, stderr = tensors(t, "diff", out, want)
			assert.Zero(t, status, "%s: %s%s", name, stdout, stderr)
		}
	}
}

// Damaged archives give an error in one line.
func TestDamagedTorchScript(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	good, err := os.ReadFile(golden("jit/testdata/goldens/values.pt"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "x.pt")
	try := func(data []byte) (failed bool) {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		for _, command := range []string{"ls", "stats", "verify"} {
			status, _, stderr := tensors(t, command, path)
			assert.LessOrEqual(t, status, 1)
			assert.Equal(t, status, strings.Count(stderr, "\n"), "%s: %s", command, stderr)
			failed = failed || status != 0
		}
		return failed
	}
	require.False(t, try(good))
	for n := len(good) - 1; n >= 0; n -= 1 + len(good)/40 {
		assert.True(t, try(good[:n]), "%d bytes", n)
	}
	for at := 0; at < len(good); at += 1 + len(good)/200 {
		bad := bytes.Clone(good)
		bad[at] ^= 0x55
		try(bad) // padding may be anything
	}
}

const source = `
    inputs_info_[0].name = "x";
    constants_info_[0].name = "a_weight";
    constants_info_[0].dtype = cached_torch_dtype_float32;
    constants_info_[0].data_size = 64;
    constants_info_[0].from_folded = false;
    constants_info_[0].type = static_cast<int32_t>(torch::aot_inductor::ConstantType::Parameter);
    constants_info_[0].shape = {4, 3};
    constants_info_[0].stride = {3, 1};
    constants_info_[0].layout = static_cast<int32_t>(cached_torch_layout_strided);
    constants_info_[0].original_fqn = "a.weight";
    constants_info_[1].name = "_frozen_param1";
    constants_info_[1].dtype = cached_torch_dtype_bfloat16;
    constants_info_[1].data_size = 4096;
    constants_info_[1].from_folded = false;
    constants_info_[1].shape = {4, 3};
    constants_info_[1].stride = {1, 0};
    constants_info_[1].layout = static_cast<int32_t>(cached_torch_layout__mkldnn);
    constants_info_[1].original_fqn = "";
    constants_info_[2].name = "folded";
    constants_info_[2].dtype = cached_torch_dtype_float32;
    constants_info_[2].data_size = 4;
    constants_info_[2].from_folded = true;
    constants_info_[2].shape = {};
    constants_info_[2].stride = {};
`

// packaged writes a package whose libraries are empty, so that no machine can load it.
func packaged(t *testing.T, source string, models ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.pt2")
	f, err := os.Create(path)
	require.NoError(t, err)
	w := zip.NewWriter(f)
	for _, m := range models {
		for _, part := range [][2]string{
			{"w.so", ""},
			{"w_metadata.json", `{"AOTI_DEVICE_KEY": "cpu", "AOTI_MACHINE": "vax"}`},
			{"w.cpp", source},
		} {
			to, err := w.CreateHeader(&zip.FileHeader{Name: "p/data/aotinductor/" + m + "/" + part[0]})
			require.NoError(t, err)
			_, err = to.Write([]byte(part[1]))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
	return path
}

// A package is listed from its source, for any machine, and only -load loads it.
func TestPackages(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := packaged(t, source, "model")
	status, stdout, stderr := tensors(t, path)
	assert.Zero(t, status, stderr)
	assert.Equal(t, path+`: pt2, 2 tensors, 24 elements, 4144 bytes
  a.weight        float32          (4, 3)  48
  _frozen_param1  bfloat16 mkldnn  (4, 3)  4096
  AOTI_DEVICE_KEY = cpu
  AOTI_MACHINE = vax
`, stdout)
	_, stdout, _ = tensors(t, "-key", "two", packaged(t, source, "two", "one"))
	assert.Contains(t, stdout, "\n  a.weight ")
	assert.Contains(t, stdout, "AOTI_MACHINE = vax\n")
	assert.Equal(t, 1, strings.Count(stdout, "AOTI_DEVICE_KEY"), stdout)
	status, stdout, _ = tensors(t, "verify", path)
	assert.Zero(t, status)
	assert.Contains(t, stdout, "checksums of 3 entries compared")
	status, stdout, _ = tensors(t, "inspect", path)
	assert.Equal(t, 1, status)
	assert.Contains(t, stdout, "NOT SAFE: it is a program")
	for _, args := range [][]string{{"stats"}, {"convert", "-o", filepath.Join(t.TempDir(), "x.pt")}, {"diff", path}} {
		status, stdout, stderr = tensors(t, append(args, path)...)
		assert.Equal(t, 1, status)
		assert.Empty(t, stdout)
		assert.Equal(t, "tensors: pt2: "+path+": its elements are in a shared library, and loading the "+
			"library runs the package's code; use -load if you trust the package\n", stderr)
	}
	status, _, stderr = tensors(t, "stats", "-load", path)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, `compiled for machines of type "vax"`)
}

func TestDamagedPackages(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, row := range map[string]struct{ old, text, says string }{
		"negative":     {"{4, 3}", "{4, -3}", "constant 0 of model"},
		"too large":    {"{4, 3}", "{4000000000, 4000000000}", "constant 0 of model"},
		"no strides":   {"{3, 1}", "{3}", "constant 0 of model"},
		"bytes":        {"= 64;", "= 99999999999999999999;", "constant 0 of model"},
		"no name":      {`"a.weight"`, `"a.wei`, ""},
		"none at all":  {`"_frozen_param1"`, `frozen`, "constant 1 of model"},
		"other number": {"[1]", "[7]", ""},
		"no source":    {source, "", "source of model model, which describes its constants, was removed"},
	} {
		path := packaged(t, strings.ReplaceAll(source, row.old, row.text), "model")
		status, _, stderr := tensors(t, path)
		assert.Equal(t, row.says != "", status == 1, "%s: %s", name, stderr)
		assert.Contains(t, stderr, row.says, name)
		assert.Equal(t, status, strings.Count(stderr, "\n"), stderr)
	}
	good, err := os.ReadFile(packaged(t, source, "model"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "x.pt2")
	for n := len(good) - 1; n >= 0; n -= 1 + len(good)/40 {
		require.NoError(t, os.WriteFile(path, good[:n], 0o600))
		status, _, stderr := tensors(t, path)
		assert.Equal(t, 1, status)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

// With -load, the elements are those of the module that Python compiled.
func TestLoadedPackage(t *testing.T) {
	if !thorough.Asked() {
		t.Skip("it calls a compiler: set " + thorough.Variable + "=1")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("the compiler that PyTorch calls is not there")
	}
	defer torchtest.CheckLeaks(t)()
	python := pythontest.Interpreter(t, "torch")
	dir := t.TempDir()
	t.Setenv("TORCHINDUCTOR_CACHE_DIR", filepath.Join(dir, "cache"))
	pythontest.Script(t, python, "", `
import sys, torch
m = torch.nn.Sequential(torch.nn.Linear(3, 40), torch.nn.BatchNorm1d(40)).eval()
e = torch.export.export(m, (torch.ones(2, 3),))
torch._inductor.aoti_compile_and_package(e, package_path=sys.argv[1] + "/m.pt2",
                                         inductor_configs={"aot_inductor.precompile_headers": False})
d = m.state_dict()
d.pop("1.num_batches_tracked")
torch.save(d, sys.argv[1] + "/want.pt")
`, dir)
	in, out := filepath.Join(dir, "m.pt2"), filepath.Join(dir, "x.safetensors")
	status, stdout, stderr := tensors(t, "diff", "-load", in, filepath.Join(dir, "want.pt"))
	assert.Zero(t, status, stdout+stderr)
	status, _, stderr = tensors(t, "convert", "-load", "-o", out, in)
	assert.Zero(t, status, stderr)
	status, stdout, stderr = tensors(t, "diff", out, filepath.Join(dir, "want.pt"))
	assert.Zero(t, status, stdout+stderr)
	status, stdout, stderr = tensors(t, "stats", "-load", in)
	assert.Zero(t, status, stderr)
	assert.Contains(t, stdout, "1.running_var   float32  (40,)    160  min 1 ")
}

// Listing a package takes little memory, however many symbols its source names.
func TestPackageOfManySymbols(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const inputs, dims = 200, 64
	var b strings.Builder
	b.WriteString(source)
	for i := range inputs {
		fmt.Fprintf(&b, "inputs_info_[%d].name = \"a%d\";\n", i, i)
	}
	for i := range inputs {
		fmt.Fprintf(&b, "static void check_input_%d(\nif (a%d_size[%d] < 0) {\n", i, i, dims-1)
	}
	b.WriteString("void AOTInductorModel::run_impl(\n")
	for i := range inputs / 2 {
		for d := range dims {
			fmt.Fprintf(&b, "int64_t s%d_%d = a%d_size[%d];\n", i, d, i, d)
		}
	}
	path := packaged(t, b.String(), "model")
	filetest.Costs(t, 128<<20, func() {
		status, stdout, stderr := tensors(t, path)
		assert.Zero(t, status, stderr)
		assert.Less(t, len(stdout), 1<<16)
	})
}
