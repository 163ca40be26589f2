package digits_test

import (
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/pytorch/internal/digits"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func TestScore(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	f := digits.Defaults()
	f.Examples = 400
	sets, err := f.Open()
	require.NoError(t, err)
	defer sets.Close()
	assert.Equal(t, 400, sets.Train.Len())
	model := nn.NewSequential(nn.NewFlatten(), nn.NewLinear(28*28, 10), nn.NewLogSoftmax(1))
	defer model.Close()
	score := sets.Score(model, 64)
	assert.Equal(t, int64(100), score.Count)
	assert.InDelta(t, 2.3, score.Loss, 1)
	assert.True(t, model.Training())
	assert.Equal(t, "test loss 0.5000, accuracy 3/4 (75.0%)", digits.Score{Loss: 0.5, Correct: 3, Count: 4}.String())

	path := filepath.Join(t.TempDir(), "samples.png")
	require.NoError(t, sets.Draw(path, func(images *torch.Tensor) *torch.Tensor {
		return model.Forward(images).ArgMax(torch.Dim(1))
	}))
	file, err := os.Open(path)
	require.NoError(t, err)
	_, err = png.Decode(file)
	require.NoError(t, errors.Join(err, file.Close()))
	assert.NoError(t, sets.Draw("", nil))
}

func TestErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, bad := range map[string]struct {
		f    digits.Flags
		want error
	}{
		"device": {digits.Flags{Device: "abacus", Examples: 4}, torch.ErrValue},
		"folder": {digits.Flags{Device: "cpu", Data: t.TempDir()}, os.ErrNotExist},
	} {
		_, err := bad.f.Open()
		assert.ErrorIs(t, err, bad.want, name)
	}
	_, err := digits.Flags{Device: "cpu"}.Open()
	assert.ErrorContains(t, err, "-examples must be at least 4")
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "train-images-idx3-ubyte"), []byte("not images"), 0o600))
	_, err = digits.Flags{Device: "cpu", Data: folder}.Open()
	assert.ErrorIs(t, err, torch.ErrFormat)
}
