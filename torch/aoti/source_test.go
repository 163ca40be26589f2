package aoti_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aoti"
	"github.com/gotorch/gotorch/torchtest"
)

var symbol = regexp.MustCompile(`s\d+\[`)

// The test packages contain a description of their inputs.
func TestInputs(t *testing.T) {
	for name, want := range map[string][]string{
		"mlp":   {"float32 (s77[0,64], 4) cpu"},
		"conv":  {"float32 (2, 3, 8, 8) cpu"},
		"parts": {"float32 (s77[2,64], 2) cpu", "float32 (s77[2,64], 2) cpu", "float32 (2) cpu"},
	} {
		var got []string
		for _, in := range load(t, name).Inputs() {
			_, text, _ := strings.Cut(in.String(), ": ")
			// Replace the symbol's number, because the compiler chooses it.
			got = append(got, symbol.ReplaceAllString(text, "s77["))
		}
		assert.Equal(t, want, got, name)
	}
}

// source returns the source code that the compiler writes for inputs with the given names.
func source(names []string, checks map[int]string, rest ...string) string {
	var b strings.Builder
	for i, n := range names {
		b.WriteString("    inputs_info_[" + string(rune('0'+i)) + "].name = \"" + n + "\";\n")
	}
	for i := range names {
		if c, ok := checks[i]; ok {
			b.WriteString("AOTI_NOINLINE static void check_input_" + string(rune('0'+i)) +
				"(\n    AtenTensorHandle* input_handles\n) {\n" + c + "}\n")
		}
	}
	b.WriteString("AOTI_NOINLINE static void __check_inputs_outputs(\nvoid AOTInductorModel::run_impl(\n" +
		strings.Join(rest, "\n"))
	return b.String()
}

func TestSource(t *testing.T) {
	varies := func(name, dim, least, most string) string {
		return "    if (" + name + "_size[" + dim + "] < " + least + ") {\n    if (" + name + "_size[" + dim + "] > " +
			most + ") {\n"
	}
	fixed := func(name, what, dim, n string) string {
		return "    if (" + n + " != " + name + "_" + what + "[" + dim + "]) {\n"
	}
	x := "    int32_t x_expected_dtype = aoti_torch_dtype_bfloat16();\n" + varies("x", "0", "2", "64") + varies("x",
		"1", "2", "64") + fixed("x", "size", "2", "3") +
		fixed("x", "stride", "1", "3") + fixed("x", "stride", "2", "1") + "    int32_t x_expected_device_type = 1;\n"
	y := varies("y", "0", "2", "64") + varies("y", "1", "4", "128") + fixed("y", "stride", "1", "1")
	text := source([]string{"x", "y"}, map[int]string{0: x, 1: y}, "    int64_t s1 = x_size[0];",
		"    int64_t s2 = x_size[1];")
	got, known := aoti.ReadSource(text)
	require.True(t, known)
	require.Len(t, got, 2)
	assert.Equal(t, "x: bfloat16 (s1[2,64], s2[2,64], 3) cuda", got[0].String())
	assert.Equal(t, torch.BFloat16, got[0].DType)
	assert.Nil(t, got[0].Strides, "a contiguous tensor's")
	assert.Equal(t, "y: (s1|s2[2,64], [4,128])", got[1].String())

	// This size must equal one of two symbols.
	torch.Scope(func() {
		got[0].DType, got[0].Type = 0, ""
		x := torch.Ones(torch.Shape{5, 6, 3})
		for n, want := range map[int64]error{4: torch.ErrShape, 5: nil, 6: nil, 7: torch.ErrShape} {
			err := torch.Try(func() { aoti.Check("op", got, []*torch.Tensor{x, torch.Ones(torch.Shape{n, 5})}) })
			if want == nil {
				assert.NoError(t, err)
			} else {
				assert.ErrorIs(t, err, want)
			}
		}
	})

	// An incomplete description is treated like a missing one.
	for name, text := range map[string]string{
		"nothing":   "",
		"no checks": source([]string{"x"}, nil),
		"a part":    source([]string{"x", "y"}, map[int]string{0: x}),
		"numbers":   strings.ReplaceAll(text, "inputs_info_[0]", "inputs_info_[99999999999999999999]"),
	} {
		_, known := aoti.ReadSource(text)
		assert.False(t, known, name)
	}
	large, _ := aoti.ReadSource(source([]string{"x"},
		map[int]string{0: fixed("x", "size", "0", "99999999999999999999") + fixed("x", "size", "99999999999", "1")}))
	assert.Equal(t, []aoti.Dim{aoti.Size(math.MaxInt64)}, large[0].Shape)
}

// If images have varying sizes, their memory format must be the exported example's.
func TestSourceOfImages(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	text := source([]string{"x"}, map[int]string{0: `
    if (x_size[0] < 2) {
    if (3 != x_size[1]) {
    if (x_size[2] < 2) {
    if (x_size[3] < 2) {
    if (1 != x_stride[1]) {
    if (3 != x_stride[3]) {
`})
	in, known := aoti.ReadSource(text)
	require.True(t, known)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2, 3, 4, 5})
		assert.ErrorIs(t, torch.Try(func() { aoti.Check("op", in, []*torch.Tensor{x}) }), torch.ErrValue)
		assert.NoError(t, torch.Try(func() { aoti.Check("op", in, []*torch.Tensor{x.To(torch.ChannelsLast)}) }))
		odd := x.AsStrided([]int64{2, 3, 4, 5}, []int64{60, 1, 12, 3}, 0)
		assert.ErrorIs(t, torch.Try(func() { aoti.Check("op", in, []*torch.Tensor{odd}) }), torch.ErrValue)
	})
}

// A dimension of size 1 may have any stride.
func TestStridesThatNobodyTakes(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	torch.Scope(func() {
		wide := torch.Zeros(torch.Shape{2, 9}).Narrow(1, 0, 4)
		in := func(rows int64) []aoti.Input {
			return []aoti.Input{{Shape: []aoti.Dim{aoti.Size(rows), aoti.Size(4)}, Strides: []int64{4, 1}}}
		}
		require.NoError(t, torch.Try(func() { aoti.Check("Run", in(1), []*torch.Tensor{wide.Narrow(0, 0, 1)}) }))
		err := torch.Try(func() { aoti.Check("Run", in(2), []*torch.Tensor{wide}) })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "expected stride 4 in dimension 0, got strides [9 1]")
	})
}

func FuzzSource(f *testing.F) {
	f.Add(source([]string{"x"}, map[int]string{0: "    if (3 != x_size[1]) {\n    if (x_size[0] < 2) {\n    if (1 " +
		"!= x_stride[1]) {\n"}, "    int64_t s1 = x_size[0];"))
	f.Fuzz(func(t *testing.T, text string) {
		in, _ := aoti.ReadSource(text)
		for _, x := range in {
			_ = x.String()
			assert.LessOrEqual(t, len(x.Shape), 64)
		}
	})
}

// Many dimensions without a symbol share the list of the symbols that they may have, and a list of too
// many symbols is left out.
func TestManySymbols(t *testing.T) {
	const inputs, dims = 200, 64
	var b strings.Builder
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
	filetest.Costs(t, 64<<20, func() {
		got, known := aoti.ReadSource(b.String())
		require.True(t, known)
		require.Len(t, got, inputs)
		assert.Equal(t, "s0_1", got[0].Shape[1].Symbol)
		assert.Empty(t, got[inputs-1].Shape[1].Symbol)
	})
}
