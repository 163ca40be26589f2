package dlpack_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/dlpack"
	"github.com/gotorch/gotorch/torchtest"
)

func TestTensorsWithoutStruct(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		closed := torch.Ones(nil)
		require.NoError(t, closed.Close())
		complexes := torch.Ones(torch.Shape{2}, torch.Complex64)
		for name, c := range map[string]struct {
			x    *torch.Tensor
			kind error
		}{
			"nil":           {nil, torch.ErrNil},
			"closed":        {closed, torch.ErrClosed},
			"requires grad": {torch.Ones(torch.Shape{2}, torch.RequiresGrad(true)), torch.ErrAutograd},
			"has a graph":   {torch.Ones(torch.Shape{2}, torch.RequiresGrad(true)).MulScalar(2), torch.ErrAutograd},
			"conjugate":     {complexes.Conj(), torch.ErrValue},
			"negative":      {complexes.Conj().Imag(), torch.ErrValue},
			"sparse":        {torch.Ones(torch.Shape{2}).ToSparse(), torch.ErrNotImplemented},
			"meta":          {torch.Empty(torch.Shape{2}, torch.Meta), torch.ErrDevice},
			"bits":          {torch.Empty(torch.Shape{2}, torch.Bits8), torch.ErrDType},
			"without memory": {
				aten.UnderEfficientzerotensor([]int64{2}, torch.Float32, torch.Strided, nil, nil),
				torch.ErrValue,
			},
		} {
			for _, opts := range [][]dlpack.ExportOption{nil, {dlpack.MaxVersion(1, 0)}, {dlpack.Copy(true)}} {
				var e *torch.Error
				require.ErrorAs(t, torch.Try(func() { dlpack.ToDLPack(c.x, opts...) }), &e, name)
				require.ErrorIs(t, e, c.kind, name)
				assert.Equal(t, "dlpack.ToDLPack", e.Op, name)
			}
		}
	})
}

func TestExportOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	x := torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
	defer func() { assert.NoError(t, x.Close()) }()
	info := func(opts ...dlpack.ExportOption) (dlpack.Info, bool) {
		c := dlpack.ToDLPack(x, opts...)
		i, err := c.Info()
		require.NoError(t, err)
		y, err := dlpack.FromDLPack(c, dlpack.AllowReadOnly(true))
		require.NoError(t, err)
		defer func() { assert.NoError(t, y.Close()) }()
		assert.True(t, x.Equal(y))
		return i, x.DataPtr() == y.DataPtr()
	}
	one := dlpack.MaxVersion(1, 0)
	for name, c := range map[string]struct {
		opts             []dlpack.ExportOption
		major            int
		shared           bool
		readOnly, copied bool
	}{
		"none":        {nil, 0, true, false, false},
		"version 0.8": {[]dlpack.ExportOption{dlpack.MaxVersion(0, 8)}, 0, true, false, false},
		"version 0.0": {[]dlpack.ExportOption{one, dlpack.MaxVersion(0, 0)}, 0, true, false, false},
		"version 1.0": {[]dlpack.ExportOption{one}, 1, true, false, false},
		"version 2.7": {[]dlpack.ExportOption{dlpack.MaxVersion(2, 7)}, 1, true, false, false},
		"copy": {
			[]dlpack.ExportOption{one, dlpack.Copy(false), dlpack.Copy(true)},
			1, false, false,
			true,
		},
		"no copy": {
			[]dlpack.ExportOption{one, dlpack.Copy(true), dlpack.Copy(false)},
			1, true, false,
			false,
		},
		"copy without version": {[]dlpack.ExportOption{dlpack.Copy(true)}, 0, false, false, false},
		"device": {
			[]dlpack.ExportOption{one, dlpack.DLDevice{Type: dlpack.DLCPU}},
			1, true, false,
			false,
		},
		"device taken back": {
			[]dlpack.ExportOption{one, dlpack.DLDevice{Type: dlpack.DLCUDA}, dlpack.DLDevice{}},
			1,
			true, false, false,
		},
		"read-only":     {[]dlpack.ExportOption{one, dlpack.ReadOnly(true)}, 1, true, true, false},
		"not read-only": {[]dlpack.ExportOption{dlpack.ReadOnly(true), dlpack.ReadOnly(false)}, 0, true, false, false},
		"no stream":     {[]dlpack.ExportOption{dlpack.Stream(7), dlpack.Stream(-1)}, 0, true, false, false},
	} {
		i, shared := info(c.opts...)
		assert.Equal(t, c.major, i.Major, name)
		assert.Equal(t, c.shared, shared, name)
		assert.Equal(t, c.readOnly, i.ReadOnly, name)
		assert.Equal(t, c.copied, i.Copied, name)
	}
	for name, c := range map[string]struct {
		opt  dlpack.ExportOption
		kind error
	}{
		"nil":                         {nil, torch.ErrNil},
		"read-only without version":   {dlpack.ReadOnly(true), torch.ErrValue},
		"negative version":            {dlpack.MaxVersion(-1, 0), torch.ErrValue},
		"negative minor":              {dlpack.MaxVersion(1, -1), torch.ErrValue},
		"stream of the CPU":           {dlpack.Stream(1), torch.ErrValue},
		"device that is none":         {dlpack.DLDevice{Type: dlpack.DLMetal}, torch.ErrDevice},
		"CUDA device that is none":    {dlpack.DLDevice{Type: dlpack.DLCUDA, ID: 128}, torch.ErrDevice},
		"CUDA device that is missing": {dlpack.DLDevice{Type: dlpack.DLCUDA, ID: 127}, torch.ErrDevice},
		"embedded":                    {struct{ dlpack.Copy }{true}, torch.ErrValue},
	} {
		require.ErrorIs(t, torch.Try(func() { dlpack.ToDLPack(x, c.opt) }), c.kind, name)
	}
	require.ErrorIs(t, torch.Try(func() {
		dlpack.ToDLPack(x, dlpack.Copy(false), dlpack.DLDevice{Type: dlpack.DLCUDA})
	}), torch.ErrValue)
}

func TestImportOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, c := range map[string]struct {
		flags  uint64
		opts   []dlpack.ImportOption
		shared bool
		kind   error
	}{
		"none":          {0, nil, true, nil},
		"unknown flags": {1 << 40, nil, true, nil},
		"copied":        {2, nil, true, nil},
		"copy":          {0, []dlpack.ImportOption{dlpack.Copy(false), dlpack.Copy(true)}, false, nil},
		"no copy":       {0, []dlpack.ImportOption{dlpack.Copy(true), dlpack.Copy(false)}, true, nil},
		"device": {
			0,
			[]dlpack.ImportOption{dlpack.Device(torch.Meta), dlpack.Device(torch.CPU)},
			true,
			nil,
		},
		"device taken back": {0, []dlpack.ImportOption{dlpack.Device(torch.Meta), dlpack.Device(0)}, true, nil},
		"device and no copy": {
			0,
			[]dlpack.ImportOption{dlpack.Device(torch.CUDA.At(0)), dlpack.Copy(false)},
			false,
			torch.ErrValue,
		},
		"missing device": {0, []dlpack.ImportOption{dlpack.Device(torch.CUDA.At(127))}, false, torch.ErrDevice},
		"no device":      {0, []dlpack.ImportOption{dlpack.Device(torch.Device(3))}, false, torch.ErrDevice},
		"read-only":      {1, nil, false, torch.ErrValue},
		"read-only, not so": {
			1,
			[]dlpack.ImportOption{dlpack.AllowReadOnly(true), dlpack.AllowReadOnly(false)},
			false, torch.ErrValue,
		},
		"read-only, allowed":  {1, []dlpack.ImportOption{dlpack.AllowReadOnly(true)}, true, nil},
		"read-only, a copy":   {1, []dlpack.ImportOption{dlpack.Copy(true)}, false, nil},
		"read-only, no copy":  {1, []dlpack.ImportOption{dlpack.Copy(false)}, false, torch.ErrValue},
		"nothing but a shape": {0, []dlpack.ImportOption{dlpack.Device(torch.Meta)}, false, nil},
	} {
		a, capsule := array(t, dlpack.KindVersioned, false, 2)
		a.Head.Flags = c.flags
		at := uintptr(a.Tensor.Data)
		x, err := dlpack.FromDLPack(capsule, c.opts...)
		if c.kind != nil {
			require.ErrorIs(t, err, c.kind, name)
			assert.Zero(t, a.Deleted(), name)
			require.NoError(t, capsule.Close())
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, c.shared, x.DataPtr() == at, name)
		if !c.shared {
			flush(t)
			assert.Equal(t, 1, a.Deleted(), "%s: a copy needs it no more", name)
		}
		require.NoError(t, x.Close())
	}
	_, c := array(t, dlpack.KindLegacy, false, 2)
	require.ErrorIs(t, torch.Try(func() { _, _ = dlpack.FromDLPack(c, nil) }), torch.ErrNil)
	require.ErrorIs(t, torch.Try(func() { _, _ = dlpack.FromDLPack(c, struct{ dlpack.Copy }{true}) }), torch.ErrValue)
	require.NoError(t, c.Close())
}

func TestDevices(t *testing.T) {
	x := torch.Ones(nil)
	assert.Equal(t, "kDLCPU:0", dlpack.DeviceOf(x).String())
	require.NoError(t, x.Close())
	require.ErrorIs(t, torch.Try(func() { dlpack.DeviceOf(x) }), torch.ErrClosed)
	require.ErrorIs(t, torch.Try(func() { dlpack.DeviceOf(nil) }), torch.ErrNil)
	m := torch.Empty(nil, torch.Meta)
	require.ErrorIs(t, torch.Try(func() { dlpack.DeviceOf(m) }), torch.ErrDevice)
	require.NoError(t, m.Close())
	seen := map[string]bool{}
	for d := range dlpack.DeviceType(19) {
		seen[d.String()] = true
	}
	assert.Len(t, seen, 19)
}
