package serialization_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// With Key, entries other than the requested one may contain classes that are not
// allowed.
func TestOtherEntriesMayBeOfAnyClass(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const path = "testdata/other_entries.pt"
	torch.Scope(func() {
		sd, err := serialization.LoadStateDict(path, serialization.Key("state_dict"))
		require.NoError(t, err)
		assert.Equal(t, []string{"weight", "bias"}, sd.Names())
		f, err := serialization.OpenStateDict(path, serialization.Key("state_dict"))
		require.NoError(t, err)
		w, err := f.Tensor("weight")
		require.NoError(t, err)
		torchtest.AllClose(t, sd.Get("weight"), w)
		version, ok := f.LayerVersion("")
		assert.True(t, ok)
		assert.Equal(t, int64(1), version)
		require.NoError(t, f.Close())
		d, err := serialization.LoadDict(path, serialization.Key("nested.state"))
		require.NoError(t, err)
		assert.Equal(t, []string{"w"}, d.Names())

		for key, what := range map[string]string{
			"": "", "args": "argparse.Namespace", "started": "datetime.datetime", "counts": "collections.defaultdict",
			"deque": "collections.deque", "custom": "Custom", "matrix": "numpy.matrix", "nested": "pathlib",
		} {
			_, err := serialization.LoadDict(path, serialization.Key(key))
			require.ErrorIs(t, err, serialization.ErrUnsafe, key)
			assert.ErrorContains(t, err, what)
			refused := new(serialization.RefusedError)
			require.ErrorAs(t, err, &refused, key)
		}
		arrays, err := serialization.LoadDict(path, serialization.Key("arrays"))
		require.NoError(t, err)
		assert.Equal(t, []string{"history", "none"}, arrays.Names())
		history, _ := arrays.Tensor("history")
		assert.Equal(t, []int64{0, 1, 2}, history.Int64s())
		none, _ := arrays.Tensor("none")
		assert.Equal(t, torch.Shape{0, 2}, none.Shape())
		lazy, err := serialization.OpenStateDict(path, serialization.Key("arrays"))
		require.NoError(t, err)
		meta, err := lazy.Meta("history")
		require.NoError(t, err)
		assert.Equal(t, torch.Shape{3}, meta.Shape())
		require.NoError(t, lazy.Close())
		_, err = serialization.LoadDict(path, serialization.Key("quantized"))
		require.ErrorIs(t, err, torch.ErrUnsupported)
		_, err = serialization.LoadDict(path, serialization.Key("loss"))
		require.ErrorIs(t, err, torch.ErrFormat)
		assert.ErrorContains(t, err, "float")
	})
}

// A file in which many NumPy arrays use the same bytes is refused.
func TestArraysThatTheFileDoesNotExplain(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const dtype = "cnumpy\ndtype\nX\x02\x00\x00\x00u1\x85Rq\x01"
	const shape = "J\x00\x00\x10\x00\x85q\x02"
	data := "B\x00\x00\x10\x00" + string(make([]byte, 1<<20)) + "q\x03"
	array := "cnumpy._core.multiarray\n_reconstruct\nq\x04"
	one := "h\x04cnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01h\x02h\x01\x89h\x03tb"
	file := "(" + dtype + "0" + shape + "0" + data + "0" + array + "0" + one
	v, err := serialization.Load(pickled(t, file+"t."))
	require.NoError(t, err)
	assert.Equal(t, int64(1<<20), v.(serialization.Tuple)[0].(*torch.Tensor).Numel())
	serialization.Close(v)
	for range 3 {
		file += one
	}
	_, err = serialization.Load(pickled(t, file+"t."))
	require.ErrorIs(t, err, torch.ErrFormat)
	assert.ErrorContains(t, err, "more values than the file has bytes")
}
