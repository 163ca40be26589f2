package data_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

var errUnread = errors.New("the disk is gone")

// failing is a dataset of n examples. Example bad cannot be read.
type failing struct{ n, bad int }

func (f failing) Len() int { return f.n }

func (f failing) Get(i int) data.Example {
	e, err := f.TryGet(i)
	if err != nil {
		panic(torch.WrapError("failing.Get", err))
	}
	return e
}

func (f failing) TryGet(i int) (data.Example, error) {
	if i == f.bad {
		return data.Example{}, errUnread
	}
	return data.Example{Input: torch.Full(torch.Shape{}, i)}, nil
}

// whole is like failing, but makes whole batches: it is a TryBatchDataset.
type whole struct{ failing }

func (w whole) TryBatch(indices []int64) (data.Example, error) {
	for _, i := range indices {
		if i == int64(w.bad) {
			return data.Example{}, errUnread
		}
	}
	return data.Example{Input: torch.FromSlice(indices).MulScalar(10)}, nil
}

func TestExamplesThatCannotBeRead(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := failing{n: 6, bad: 4}
	ok := counting(6)
	defer func() { _ = ok.Close() }()
	for name, d := range map[string]data.Dataset{
		"itself": set,
		"subset": data.NewSubset(set, []int64{0, 1, 2, 3, 4}),
		"concat": data.NewConcatDataset(set, ok),
		"stack":  data.NewStackDataset(ok, set),
	} {
		var seen int
		err := torch.Try(func() {
			for range data.NewLoader(d, data.BatchSize(2)).All() {
				seen++
			}
		})
		assert.Equal(t, 2, seen, name)
		require.ErrorIs(t, err, errUnread, name)
		require.ErrorIs(t, err, torch.ErrRuntime, name)
		var e *data.ExampleError
		require.ErrorAs(t, err, &e, name)
		assert.EqualValues(t, 4, e.Index, name)
		assert.ErrorContains(t, err, "data: example 4: the disk is gone", name)
		require.ErrorIs(t, torch.Try(func() { d.Get(4) }), errUnread, name)
	}
}

func TestDatasetsOfBatches(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	d := whole{failing{n: 5, bad: -1}}
	for _, set := range []data.Dataset{d, data.NewSubset(d, []int64{0, 1, 2, 3, 4})} {
		var got [][]int64
		for b := range data.NewLoader(set, data.BatchSize(3)).All() {
			got = append(got, b.Input.Int64s())
		}
		assert.Equal(t, [][]int64{{0, 10, 20}, {30, 40}}, got)
	}
	d.bad = 3
	err := torch.Try(func() { data.NewLoader(d, data.BatchSize(3)).Each(func(data.Batch) bool { return true }) })
	require.ErrorIs(t, err, errUnread)
}

func TestWorkerInfo(t *testing.T) {
	w := data.WorkerInfo{ID: 1, NumWorkers: 3, Seed: 7}
	assert.Equal(t, "WorkerInfo(id=1, num_workers=3, seed=7)", w.String())
	assert.True(t, w.Has(4))
	assert.False(t, w.Has(5))
	assert.True(t, data.WorkerInfo{}.Has(5))
	assert.Equal(t, "data: example 3 (worker 1): the disk is gone",
		(&data.ExampleError{Index: 3, Worker: 1, Err: errUnread}).Error())
}

// The following types embed a dataset and declare one of its methods again.
type (
	tensorsOfTens struct{ *data.TensorDataset }
	subsetOfTens  struct{ *data.Subset }
	tensorsOf100s struct{ tensorsOfTens }
	triedTens     struct{ data.TensorDataset }
	batchesOfTens struct{ *data.TensorDataset }
	plainTensors  struct{ *data.TensorDataset }
)

func tenfold(e data.Example) data.Example {
	e.Input = e.Input.MulScalar(10)
	return e
}

func (d tensorsOfTens) Get(i int) data.Example          { return tenfold(d.TensorDataset.Get(i)) }
func (d *subsetOfTens) Get(i int) data.Example          { return tenfold(d.Subset.Get(i)) }
func (d *tensorsOf100s) Get(i int) data.Example         { return tenfold(d.tensorsOfTens.Get(i)) }
func (d *triedTens) TryGet(i int) (data.Example, error) { return tenfold(d.TensorDataset.Get(i)), nil }

func (d batchesOfTens) Batch(indices []int64) data.Example {
	return tenfold(d.TensorDataset.Batch(indices))
}

// If a struct embeds a dataset and declares a method again, a loader calls this method, also
// through other datasets, and not one that the struct inherits.
func TestMethodsDeclaredAgain(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := counting(3)
	defer func() { _ = set.Close() }()
	some := data.NewSubset(set, []int64{0, 1, 2})
	for name, c := range map[string]struct {
		set  data.Dataset
		want []int64
	}{
		"Get, not Batch":             {tensorsOfTens{set}, []int64{0, 10, 20}},
		"Get, a pointer":             {&tensorsOfTens{set}, []int64{0, 10, 20}},
		"Get, not TryGet":            {&subsetOfTens{some}, []int64{0, 10, 20}},
		"Get of the outer struct":    {&tensorsOf100s{tensorsOfTens{set}}, []int64{0, 100, 200}},
		"Get of an inner struct":     {struct{ tensorsOfTens }{tensorsOfTens{set}}, []int64{0, 10, 20}},
		"TryGet, not Batch":          {&triedTens{*set}, []int64{0, 10, 20}},
		"Batch":                      {batchesOfTens{set}, []int64{0, 10, 20}},
		"no method":                  {plainTensors{set}, []int64{0, 1, 2}},
		"an interface, which has no": {struct{ data.Dataset }{set}, []int64{0, 1, 2}},
	} {
		for _, d := range []data.Dataset{c.set, data.NewSubset(c.set, []int64{0, 1, 2})} {
			for b := range data.NewLoader(d, data.BatchSize(3)).All() {
				assert.Equal(t, c.want, b.Input.Flatten().To(torch.Int64).Int64s(), "%s, %T", name, d)
			}
		}
		if name == "Batch" {
			continue
		}
		for b := range data.NewLoader(data.NewConcatDataset(c.set), data.BatchSize(3), data.NumWorkers(1)).All() {
			assert.Equal(t, c.want, b.Input.Flatten().To(torch.Int64).Int64s(), name)
		}
	}
}
