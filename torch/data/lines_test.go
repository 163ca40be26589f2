package data_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// lineSets maps each dataset constructor to its result: a Dataset or an IterableDataset.
func lineSets(t *testing.T) map[string]any {
	x := torch.Arange(0, 24, 1, torch.Float32).View(12, 2)
	tensors := data.NewTensorDataset(x, x.Clone())
	csv, err := data.NewCSVDataset(writeCSV(t, "a,y\n1,0\n2,1\n3,0\n"), data.Targets{"y"})
	require.NoError(t, err)
	images := writeFiles(t, "cat/1.png", "dog/2.png")
	folder, err := data.NewImageFolder(images)
	require.NoError(t, err)
	own, err := data.NewDatasetFolder(images, func(string) (*torch.Tensor, error) {
		return torch.Ones(torch.Shape{2}), nil
	}, data.Extensions{".png"})
	require.NoError(t, err)
	stream := data.IterableFunc(func(_ data.WorkerInfo, yield func(data.Example) bool) error {
		for i := range 4 {
			if !yield(number(i)) {
				break
			}
		}
		return nil
	})
	return map[string]any{
		"NewTensorDataset":    tensors,
		"NewTable":            data.NewTable([]string{"a"}, []*torch.Tensor{x.Clone()}).Dataset(),
		"NewCSVDataset":       csv,
		"NewConcatDataset":    data.NewConcatDataset(tensors, tensors),
		"NewStackDataset":     data.NewStackDataset(tensors, tensors),
		"NewCacheDataset":     data.NewCacheDataset(tensors),
		"NewSubset":           data.NewSubset(tensors, []int64{3, 1, 2}),
		"NewTransformDataset": data.NewTransformDataset(tensors, nn.NewReLU()),
		"NewFakeData":         data.NewFakeData(5, torch.Shape{3, 4, 4}, 2),
		"NewImageFolder":      folder,
		"NewDatasetFolder":    own,
		"NewFuncDataset":      data.NewFuncDataset(4, func(i int) (data.Example, error) { return number(i), nil }),
		"IterableFunc":        stream,
		"NewChainDataset":     data.NewChainDataset(stream, stream),
		"NewWebDataset":       newWeb(t, []string{testShards[1], testShards[1]}, data.Fields{"jpg;png", "cls"}),
	}
}

// Every tensor that a loader makes is attributed to a line of the program: a line of the
// dataset, the line that makes the loader, or the line of the loop.
func TestLinesOfLoaders(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		for name, set := range lineSets(t) {
			for _, workers := range []int{0, 2} {
				for form, loop := range forms {
					opts := []data.LoaderOption{data.NumWorkers(workers), data.BatchSize(2)}
					var l *data.Loader
					_, _, line, _ := runtime.Caller(0)
					switch set := set.(type) {
					case data.Dataset:
						l = data.NewLoader(set, opts...) // 3 lines below
					case data.IterableDataset:
						l = data.NewIterableLoader(set, opts...) // 5 lines below
					}
					made := []string{fmt.Sprintf("lines_test.go:%d ", line+3), fmt.Sprintf("lines_test.go:%d ", line+5)}
					before := memory.TrackTensors(1)
					old := memory.LiveTensors()
					batches := 0
					require.NoError(t, loop(l, func(b data.Batch) bool {
						batches++
						byLoader := false
						for _, x := range memory.LiveTensors()[len(old):] {
							assert.Contains(t, x.Line(), "_test.go:", "%s %s %d", name, form, workers)
							byLoader = byLoader || strings.HasPrefix(x.Line(), made[0]) || strings.HasPrefix(x.Line(),
								made[1])
						}
						// for these two, a function of the program calls the code that joins the batch
						if workers > 0 && name != "IterableFunc" && name != "NewChainDataset" {
							assert.True(t, byLoader, "the batch of %s was joined on a worker, %s", name, form)
						}
						return batches < 2
					}), name)
					assert.NotZero(t, batches, name)
					memory.TrackTensors(before)
				}
			}
			if c, ok := set.(io.Closer); ok && name != "NewTensorDataset" { // other datasets read from it
				require.NoError(t, c.Close())
			}
		}
	})
}

// Every dataset constructor is in the table of TestLinesOfLoaders.
func TestLinesOfEveryDataset(t *testing.T) {
	torch.Scope(func() {
		sets := lineSets(t)
		for _, name := range optiontest.Constructors(t, ".") {
			if !strings.HasSuffix(name, "Sampler") && !strings.HasSuffix(name, "Loader") {
				assert.Contains(t, sets, name)
			}
		}
	})
}
