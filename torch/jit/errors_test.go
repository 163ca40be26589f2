package jit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torchtest"
)

func TestMistakesOfCalls(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m, mlp := load(t, "values"), load(t, "mlp_scripted")
		defer func() { assert.NoError(t, m.Close()) }()
		defer func() { assert.NoError(t, mlp.Close()) }()
		training, objects := load(t, "mlp_training"), load(t, "objects")
		lstm := load(t, "lstm")
		defer func() { assert.NoError(t, lstm.Close()) }()
		defer func() { assert.NoError(t, training.Close()) }()
		defer func() { assert.NoError(t, objects.Close()) }()
		x := torch.Ones(torch.Shape{2})
		closed := torch.Ones(torch.Shape{2})
		require.NoError(t, closed.Close())
		self := []any{nil}
		self[0] = self
		gone := load(t, "values")
		require.NoError(t, gone.Close())
		require.NoError(t, gone.Close())
		for name, c := range map[string]struct {
			call func()
			kind error
			says string
		}{
			"wrong shape": {
				func() { mlp.Forward(torch.Ones(torch.Shape{2, 5})) }, torch.ErrShape,
				"mat1 and mat2 shapes cannot be multiplied (2x5 and 4x8)",
			},
			"wrong dtype": {
				func() { mlp.Run(torch.Ones(torch.Shape{2, 4}, torch.Int64)) }, torch.ErrDType,
				"dtype",
			},
			"raise ValueError":   {func() { m.RunMethod("fail", 0) }, torch.ErrValue, "no good value"},
			"raise IndexError":   {func() { m.RunMethod("fail", 1) }, torch.ErrIndex, "no such index"},
			"raise RuntimeError": {func() { m.RunMethod("fail", 2) }, torch.ErrRuntime, "it went wrong"},
			"list index":         {func() { m.RunMethod("fail", 3) }, torch.ErrIndex, "out of range"},
			"dict key":           {func() { m.RunMethod("fail", 4) }, torch.ErrRuntime, "b"},
			"assert":             {func() { m.RunMethod("fail", 5) }, torch.ErrRuntime, "kind is odd"},
			"too few":            {func() { m.Run() }, torch.ErrRuntime, "missing value for argument 'x'"},
			"too many":           {func() { m.RunMethod("same_int", 1, 2) }, torch.ErrRuntime, "at most 2 argument"},
			"unknown keyword":    {func() { m.Run(x, jit.Kwargs{"speed": 1}) }, torch.ErrRuntime, "speed"},
			"given twice":        {func() { m.Run(x, 2, jit.Kwargs{"times": 1}) }, torch.ErrRuntime, "argument"},
			"wrong type": {
				func() { m.RunMethod("same_int", "a") }, torch.ErrRuntime,
				"Expected a value of type 'int' for argument 'v' but instead found type 'str'",
			},
			"wrong element": {
				func() { m.RunMethod("same_ints", []any{1, "a"}) }, torch.ErrType,
				"element 1 of a list: expected int, got str",
			},
			"wrong value": {
				func() { m.RunMethod("same_dict", jit.NewDict("a", 1)) }, torch.ErrType,
				"value of a dict: expected Tensor, got int",
			},
			"wrong key": {
				func() { m.RunMethod("same_dict", jit.NewDict(1, x)) }, torch.ErrType,
				"key of a dict: expected str, got int",
			},
			"nil for an int": {func() { m.RunMethod("same_int", nil) }, torch.ErrRuntime, "NoneType"},
			"nil in tensors": {
				func() { m.RunMethod("same_tensors", []*torch.Tensor{x, nil}) }, torch.ErrType,
				"element 1 of a list",
			},
			"no such member": {
				func() { m.RunMethod("same_color", jit.Enum{Name: "GREEN"}) }, torch.ErrValue,
				"GREEN",
			},
			"enum for an int":  {func() { m.RunMethod("same_int", jit.Enum{Name: "RED"}) }, torch.ErrType, "enum"},
			"closed tensor":    {func() { m.Run(closed) }, torch.ErrClosed, ""},
			"closed in a list": {func() { m.RunMethod("same_tensors", []any{x, closed}) }, torch.ErrClosed, ""},
			"list in itself":   {func() { m.RunMethod("same_any", self) }, torch.ErrValue, "contains itself"},
			"a function": {
				func() { m.RunMethod("same_any", func() {}) }, torch.ErrType,
				"TorchScript does not support a func()",
			},
			"a channel within": {
				func() { m.RunMethod("same_any", []any{jit.Tuple{make(chan int)}}) }, torch.ErrType,
				"args[0][0][0]: TorchScript does not support a chan int",
			},
			"a large uint":   {func() { m.RunMethod("same_int", ^uint64(0)) }, torch.ErrValue, "does not fit"},
			"keywords first": {func() { m.Run(jit.Kwargs{}, x) }, torch.ErrType, "last argument"},
			"no CUDA": {
				func() { m.RunMethod("same_device", torch.DeviceOf(1<<8|100)) }, torch.ErrDevice,
				"",
			},
			"no such method": {
				func() { m.RunMethod("fly") }, torch.ErrValue,
				`there is no method "fly"; the methods are `,
			},
			"no such code":      {func() { m.Code("fly") }, torch.ErrValue, `no method "fly"`},
			"without a storage": {func() { objects.Forward(x) }, torch.ErrRuntime, "for argument 'a'"},
			"returns no tensor": {
				func() { lstm.Forward(torch.Ones(torch.Shape{1, 2, 3})) }, torch.ErrType,
				"forward returns a tuple, not a tensor; use Run",
			},
			"no such attribute": {func() { m.Attr("fly") }, torch.ErrValue, `no attribute "fly"`},
			"set no attribute":  {func() { m.SetAttr("fly", 1) }, torch.ErrValue, `no attribute "fly"`},
			"set a string": {
				func() { m.SetAttr("scale", "a") }, torch.ErrType,
				"Expected a value of type 'float'",
			},
			"set a parameter": {func() { m.SetAttr("w", 1) }, torch.ErrType, `"w" is a tensor`},
			"set computed": {
				func() { m.SetAttr("w", m.GetParameter("w").MulScalar(2)) }, torch.ErrAutograd,
				"computed",
			},
			"set a module":       {func() { mlp.SetAttr("fc1", 1) }, torch.ErrValue, "is a module"},
			"freeze in training": {func() { training.Freeze() }, torch.ErrValue, "call Eval first"},
			"freeze a name":      {func() { mlp.Freeze(jit.PreservedAttrs{"fly"}) }, torch.ErrRuntime, "fly"},
			"nil module":         {func() { (*jit.Module)(nil).Run(x) }, torch.ErrNil, "*jit.Module"},
			"nil, Forward":       {func() { (*jit.Module)(nil).Forward(x) }, torch.ErrNil, "*jit.Module"},
			"zero module":        {func() { new(jit.Module).Run(x) }, torch.ErrNil, "not made by Load"},
			"closed module":      {func() { gone.Forward(x) }, torch.ErrClosed, "a closed *jit.Module"},
			"closed, Attr":       {func() { gone.Attr("scale") }, torch.ErrClosed, ""},
			"closed, Freeze":     {func() { gone.Freeze() }, torch.ErrClosed, ""},
			"closed, Methods":    {func() { gone.Methods() }, torch.ErrClosed, ""},
			"closed, Train":      {func() { gone.Train() }, torch.ErrClosed, ""},
		} {
			err := torch.Try(c.call)
			require.ErrorIs(t, err, c.kind, "%s: %v", name, err)
			assert.ErrorContains(t, err, c.says, name)
			assert.NotContains(t, err.Error(), "\n", name)
		}
	})
}

// If a script fails, the error names the operator that failed and contains the script's
// stack.
func TestErrorsHaveTheStack(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := load(t, "mlp_scripted")
		defer func() { assert.NoError(t, m.Close()) }()
		err := torch.Try(func() { m.Forward(torch.Ones(torch.Shape{2, 5})) })
		var e *torch.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, "jit.Module.Forward", e.Op)
		assert.Equal(t, []string{"input: float32 (2, 5) cpu"}, e.Args)
		assert.Contains(t, e.Layer, "RecursiveScriptModule")
		assert.Contains(t, e.Trace(), "Traceback of TorchScript")
		assert.Contains(t, e.Trace(), "torch.linear(")
	})
}

// If an exception ends a with block, libtorch does not restore the modes that the block
// changed. Here they are restored.
func TestModesAfterAnException(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := load(t, "values")
		defer func() { assert.NoError(t, m.Close()) }()
		w := torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))
		for range 20 {
			require.ErrorIs(t, torch.Try(func() { m.RunMethod("quietly_fail", w) }), torch.ErrValue)
			assert.True(t, w.MulScalar(2).RequiresGrad())
		}
		quiet := m.RunMethod("quietly_fail", torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))).(*torch.Tensor)
		assert.False(t, quiet.RequiresGrad())
	})
}
