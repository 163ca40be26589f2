package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/cmd/genaten/schema"
)

func TestGoName(t *testing.T) {
	for name, want := range map[string]string{
		"add.Tensor": "AddTensor", "add_.Tensor": "Add_Tensor", "add.out": "AddOut", "add.Scalar_out": "AddScalarOut",
		"_softmax": "UnderSoftmax", "__and__.Scalar": "DunderAndScalar", "__iand__.Tensor": "DunderIandTensor",
		"_foreach_add_.Scalar": "UnderForeachAdd_Scalar", "max_pool2d": "MaxPool2d", "sum.dim_IntList": "SumDimIntList",
		"range.out": "RangeOut", "range.out_": "RangeOut_", "_fft_r2c": "UnderFFTR2c", "lstm.data": "LSTMData",
		"matmul": "MatMul", "isnan": "IsNaN", "nan_to_num_": "NaNToNum_", "atleast_1d.Sequence": "AtLeast1dSequence",
	} {
		f, err := schema.Parse(name + "() -> ()")
		require.NoError(t, err)
		assert.Equal(t, want, goName(f), name)
		assert.Equal(t, strings.ToLower(want), strings.ToLower(nativeName(f)), name)
	}
}

func TestGoParam(t *testing.T) {
	for name, want := range map[string]string{
		"self": "self", "grad_output": "gradOutput", "range": "range_", "type": "type_", "cx": "cx_", "UPLO": "UPLO",
		"C": "C_", "N": "N",
	} {
		assert.Equal(t, want, goParam(name))
	}
}

// model builds operators from schemas. The map schemas contains, for each schema line,
// the libtorch versions that have it.
func model(t *testing.T, schemas map[string]string) (map[string]*operator, *generator) {
	t.Helper()
	inv := &inventory{
		versions: []string{"2.11.0", "2.15.0"}, schemas: map[string][]string{},
		headers: map[string]string{},
	}
	for text, versions := range schemas {
		inv.schemas[text] = strings.Split(versions, ",")
		inv.headers[text] = "h"
	}
	ops, err := buildModel(inv)
	require.NoError(t, err)
	byName := map[string]*operator{}
	for _, op := range ops {
		byName[op.Name()] = op
	}
	return byName, &generator{inv: inv, ops: ops, out: output{}}
}

func TestVersionsOfOneOperator(t *testing.T) {
	const both = "2.11.0,2.15.0"
	ops, g := model(t, map[string]string{
		"same(Tensor self) -> Tensor":                                      both,
		"gone(Tensor self) -> Tensor":                                      "2.11.0",
		"renamed(Tensor grad) -> Tensor":                                   "2.11.0",
		"renamed(Tensor grad_output) -> Tensor":                            "2.15.0",
		"grown(Tensor self) -> Tensor":                                     "2.11.0",
		"grown(Tensor self, *, bool flag=False, Tensor? t=None) -> Tensor": "2.15.0",
		"recast(Tensor self, int a) -> Tensor":                             "2.11.0",
		"recast(Tensor self, float a) -> Tensor":                           "2.15.0",
		"needs(Tensor self) -> Tensor":                                     "2.11.0",
		"needs(Tensor self, int more) -> Tensor":                           "2.15.0",
		"shrunk(Tensor self, bool b=False) -> Tensor":                      "2.11.0",
		"shrunk(Tensor self) -> Tensor":                                    "2.15.0",
		"named(Tensor self, Dimname d) -> Tensor":                          both,
	})
	assert.Empty(t, ops["same"].skip)
	assert.Equal(t, "2.15.0", g.inv.lacking(ops["gone"]))
	assert.Equal(t, "grad_output", ops["renamed"].args[0].Name)
	assert.Zero(t, ops["renamed"].added)
	assert.Equal(t, 2, ops["grown"].added)
	assert.Contains(t, ops["grown"].callExpr(), "if (!((!flag) && (!t))) gt::missing(")
	for _, name := range []string{"recast", "needs", "shrunk"} {
		assert.Contains(t, ops[name].skip, "signature changed", name)
	}
	assert.Contains(t, ops["named"].skip, "named tensors")
}

func TestShapesOfResults(t *testing.T) {
	const both = "2.11.0,2.15.0"
	ops, _ := model(t, map[string]string{
		"one(Tensor self) -> Tensor":                                                       both,
		"inplace_(Tensor(a!) self) -> Tensor(a!)":                                          both,
		"nothing(Tensor self) -> ()":                                                       both,
		"two(Tensor self) -> (Tensor a, Tensor b)":                                         both,
		"list(Tensor[] self) -> Tensor[]":                                                  both,
		"mix(Tensor self) -> (Tensor, SymInt, Tensor[], float)":                            both,
		"batch_norm(Tensor self, Tensor? running_mean) -> Tensor":                          both,
		"outs(Tensor self, *, Tensor(a!) o, Tensor(b!) p) -> (Tensor(a!) x, Tensor(b!) y)": both,
		"flag(Tensor self) -> bool":                                                        both,
	})
	for name, want := range map[string][3]string{
		"one":      {"gt_ret", "abi.Ret", "*torch.Tensor"},
		"inplace_": {"uintptr_t", "abi.Status", "*torch.Tensor"},
		"nothing":  {"uintptr_t", "abi.Status", ""},
		"two":      {"uintptr_t", "(res [2]abi.Tensor, st abi.Status)", "(a, b *torch.Tensor)"},
		"list":     {"gt_list_ret", "([]abi.Tensor, abi.Status)", "[]*torch.Tensor"},
		"mix": {"uintptr_t", "(res [1]abi.Tensor, lists [1][]abi.Tensor, nums [1]int64, reals [1]float64, st " +
			"abi.Status)", "(*torch.Tensor, int64, []*torch.Tensor, float64)"},
		"outs":       {"uintptr_t", "abi.Status", "(x, y *torch.Tensor)"},
		"batch_norm": {"gt_ret", "abi.Ret", "*torch.Tensor"},
		"flag":       {"gt_int_ret", "(bool, abi.Status)", "bool"},
	} {
		op := ops[name]
		assert.Equal(t, want, [3]string{op.cReturn(), op.goResults(), op.tensorResults()}, name)
	}
	assert.Equal(t, []string{"o", "p"}, ops["outs"].returned(nil), "what was written to comes back")
	assert.True(t, ops["one"].functional())
	assert.False(t, ops["inplace_"].functional())
	assert.False(t, ops["batch_norm"].functional(), "it updates running statistics")
}

func TestNameClashIsAnError(t *testing.T) {
	inv := &inventory{versions: []string{"2.11.0"}, headers: map[string]string{}, schemas: map[string][]string{
		"a_b() -> ()": {"2.11.0"}, "aB() -> ()": {"2.11.0"},
	}}
	_, err := buildModel(inv)
	assert.ErrorContains(t, err, "share the name Go AB")
}

func TestParts(t *testing.T) {
	var ops []*operator
	for _, h := range strings.Split("aabbbccccddeeeefff", "") {
		ops = append(ops, &operator{header: h})
	}
	cut, total := parts(ops, 4), 0
	for i, p := range cut {
		total += len(p)
		if i > 0 {
			assert.NotEqual(t, cut[i-1][len(cut[i-1])-1].header, p[0].header, "a header is read once")
		}
	}
	assert.Equal(t, len(ops), total)
}

// The generated files in the repository equal the generator's output. A second run gives
// the same output.
func TestCommittedFilesAreCurrent(t *testing.T) {
	require.NoError(t, run(root, nil, nil, true))
	require.NoError(t, run(root, nil, nil, true))
}

func TestDriftIsFoundAndMended(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		"cgotorch/abi.h": "h", "cgotorch/abi.hpp": "hpp",
		"cgotorch/aten/ops_99.cpp":           "// Code generated by genaten; DO NOT EDIT.\n",
		"torch/aten/ops_test.go":             "package aten\n",
		"internal/cmd/genaten/typed.txt":     "# Names.\ncat\n",
		"internal/cmd/genaten/boxed.txt":     "# Names.\nneg\n",
		"internal/cmd/genaten/guards.txt":    "# Checks.\nsome(tensors): cat\n",
		"internal/cmd/genaten/functions.txt": "package some\nfile ops\n# Of one tensor.\n\nalias minus = neg\n",
		"internal/cmd/genaten/methods.txt":   "file unary\n# Of one tensor.\n\nneg | keep | bool | | -t\n",
		"internal/cmd/genaten/operators.txt": listingTitle +
			"\nversions\t2.11.0,2.15.0\nsum\t2.11.0 native_functions.yaml 0123456789abcdef0123\n" +
			"*\tneg\tneg(Tensor self) -> Tensor\n" +
			"*\tpick\tpick(Tensor self, int[] at, *, ScalarType? dtype=None) -> (Tensor, Tensor)\n" +
			"2.15.0\tcat\tcat(Tensor[] tensors, int dim=0) -> Tensor\n",
	} {
		full := filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o644))
	}
	assert.ErrorContains(t, run(root, nil, nil, true), "ops_99.cpp")
	require.NoError(t, run(root, nil, nil, false))
	require.NoError(t, run(root, nil, nil, true))
	assert.FileExists(t, filepath.Join(root, "torch/aten/ops_test.go"), "not generated")
	assert.NoFileExists(t, filepath.Join(root, "cgotorch/aten/ops_99.cpp"))

	files, err := filepath.Glob(filepath.Join(root, "*/aten/*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		_, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.AllErrors)
		assert.NoError(t, err)
	}
	text, err := os.ReadFile(filepath.Join(root, "torch/some/ops_gen.go"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "func Minus(input *torch.Tensor) *torch.Tensor { return input.Neg() }\n")
	cpp, err := filepath.Glob(filepath.Join(root, "cgotorch/aten/ops_*.cpp"))
	require.NoError(t, err)
	require.Len(t, cpp, 1)
	text, err = os.ReadFile(cpp[0])
	require.NoError(t, err)
	assert.Contains(t, string(text), "gt_cat(")
	assert.NotContains(t, string(text), "gt_neg(")
	text, err = os.ReadFile(filepath.Join(root, "cgotorch/aten/ops_boxed.go"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "func Neg(cx abi.Ctx, self abi.Tensor) abi.Ret {\n"+
		"\tws := [...]uint64{uint64(self)}\n\treturn BoxedTensor(cx, 1, ws[:], true)\n}")
	assert.NotContains(t, string(text), "func Pick(", "nobody calls it by handle")
	text, err = os.ReadFile(filepath.Join(root, "torch/aten/ops_n.go"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "return r.Tensor(native.Neg(r.Ctx, h0))")
	text, err = os.ReadFile(filepath.Join(root, "torch/aten/ops_p.go"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "\tbuf := [11]uint64{uint64(h0)}\n\tws := native.PackInts(buf[:1], at)\n"+
		"\tws = native.Pack(ws, uint64(dtype.Code()))\n\tr := torch.BeginRaw(op, self)\n\tvar res [2]abi.Tensor\n"+
		"\tr.Status(native.BoxedTensors(r.Ctx, 2, ws, res[:], true))\n\treturn r.Wrap(res[0]), r.Wrap(res[1])\n")
	text, err = os.ReadFile(filepath.Join(root, "cgotorch/aten/ops_table.hpp"))
	require.NoError(t, err)
	assert.Contains(t, string(text), `{"aten::cat", "", "li", "t", true, true, 0, "", 1},`)
	text, err = os.ReadFile(filepath.Join(root, "cgotorch/aten/ops_guards.hpp"))
	require.NoError(t, err)
	assert.Contains(t, string(text), `gt::guard::some(w.tensors_("tensors", 0));`)
	text, err = os.ReadFile(filepath.Join(root, "torch/aten/ops_c.go"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "// libtorch 2.11.0 lacks it.")
	assert.True(t, strings.HasPrefix(string(text), "// Code generated by genaten from native_functions.yaml (2.11.0 "+
		"sha256 0123456789abcdef); DO NOT EDIT.\n"))
}
