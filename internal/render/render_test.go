package render_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/render"
	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// host counts the calls into native code. The call with the number failAt fails.
type host struct {
	t             *testing.T
	calls, failAt int
}

type failure struct{}

func (p *host) Call(f func(cx abi.Ctx) abi.Status) {
	if p.calls++; p.calls == p.failAt {
		panic(failure{})
	}
	require.Zero(p.t, f(abi.CtxNoGrad))
}

func (p *host) Part(h abi.Tensor) string {
	defer cgotorch.Free(h)
	text, err := render.Text(p, h, tensorfmt.Options{})
	require.NoError(p.t, err)
	return text
}

func (*host) Kind(dtype int8) abi.ScalarKind {
	if dtype == abi.DTypeFloat32 {
		return abi.ScalarFloat
	}
	return abi.ScalarInt
}

func (*host) IsQuantized(dtype int8) bool { return dtype == abi.DTypeQInt8 }

func (*host) DTypeName(dtype int8) string {
	return map[int8]string{abi.DTypeFloat32: "float32", abi.DTypeInt64: "int64", abi.DTypeQInt8: "qint8"}[dtype]
}

func (*host) LayoutName(layout int8) string {
	return map[int8]string{1: "sparse_coo", 2: "sparse_csr"}[layout]
}

func (*host) DeviceName(device int32) string { return fmt.Sprint("device", device) }

// text returns the text for t, or "" if a call of the host fails.
func text(h *host, t abi.Tensor) (s string) {
	defer func() {
		if v := recover(); v != nil && v != (failure{}) {
			panic(v)
		}
	}()
	s, err := render.Text(h, t, tensorfmt.Options{})
	require.NoError(h.t, err)
	return s
}

// must returns the tensor of a native call that must not fail.
func must(t *testing.T, r abi.Ret) abi.Tensor {
	t.Helper()
	require.Zero(t, r.Err)
	return r.T
}

// made returns the result of f for an n x n matrix. The first element of the matrix is 1
// and the last is 2.
func made(t *testing.T, n int64, f func(h abi.Tensor) abi.Ret) abi.Tensor {
	t.Helper()
	data := make([]float32, n*n)
	data[0], data[n*n-1] = 1, 2
	h := must(t, cgotorch.FromData(0, unsafe.Pointer(unsafe.SliceData(data)), 4*n*n, []int64{n, n}, abi.DTypeFloat32,
		abi.DeviceCPU<<8))
	defer cgotorch.Free(h)
	return must(t, f(h))
}

var kinds = map[string]func(h abi.Tensor) abi.Ret{
	"strided":    func(h abi.Tensor) abi.Ret { return aten.Clone(0, h, -1) },
	"sparse_coo": func(h abi.Tensor) abi.Ret { return aten.ToSparse(0, h, -1, nil, nil) },
	"sparse_csr": func(h abi.Tensor) abi.Ret { return aten.ToSparseCsr(0, h, nil) },
	"quantized":  func(h abi.Tensor) abi.Ret { return aten.QuantizePerTensor(0, h, 0.5, 3, abi.DTypeQInt8) },
}

func TestTextOfAHandle(t *testing.T) {
	for name, want := range map[string]string{
		"strided": "tensor([[1., 0.],\n        [0., 2.]])",
		"sparse_coo": "tensor(indices=tensor([[0, 1],\n                       [0, 1]]),\n       values=tensor([1., " +
			"2.]),\n       size=(2, 2), nnz=2, layout=torch.sparse_coo)",
		"sparse_csr": "tensor(crow_indices=tensor([0, 1, 2]),\n       col_indices=tensor([0, 1]),\n       " +
			"values=tensor([1., 2.]), size=(2, 2), nnz=2, layout=torch.sparse_csr)",
		"quantized": "tensor([[1., 0.],\n        [0., 2.]], size=(2, 2), dtype=torch.qint8,\n       " +
			"quantization_scheme=torch.per_tensor_affine, scale=0.5, zero_point=3)",
	} {
		h := made(t, 2, kinds[name])
		assert.Equal(t, want, text(&host{t: t}, h), name)
		cgotorch.Free(h)
	}
}

// Whichever native call fails, the temporary tensors made before it are freed.
func TestAFailureLeavesNothing(t *testing.T) {
	for name, f := range kinds {
		for at := 1; ; at++ {
			before := mem.CPU.LiveBytes.Load()
			h := made(t, 100, f)
			p := &host{t: t, failAt: at}
			s := text(p, h)
			cgotorch.Free(h)
			assert.Equal(t, before, mem.CPU.LiveBytes.Load(), "%s, crossing %d", name, at)
			if p.calls < at {
				assert.Greater(t, at, 1)
				break
			}
			assert.Empty(t, s)
		}
	}
}
