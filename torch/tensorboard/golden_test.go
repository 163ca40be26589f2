package tensorboard_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/tensorboard"
	"github.com/gotorch/gotorch/torchtest"
)

// records returns the records of an event file.
func records(t *testing.T, file []byte) (all [][]byte) {
	t.Helper()
	for len(file) > 0 {
		require.GreaterOrEqual(t, len(file), 16)
		n := binary.LittleEndian.Uint64(file)
		require.GreaterOrEqual(t, uint64(len(file)), n+16)
		all = append(all, file[:n+16])
		file = file[n+16:]
	}
	return all
}

// events returns the only event file in a directory.
func events(t *testing.T, folder string) []byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "events.out.tfevents.*"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	text, err := os.ReadFile(names[0])
	require.NoError(t, err)
	return text
}

// same compares the events in folder with a file written by Python. It skips images.
func same(t *testing.T, golden, folder string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", golden))
	require.NoError(t, err)
	want, got := records(t, text), records(t, events(t, folder))
	require.Len(t, got, len(want))
	for i := range want {
		if bytes.Contains(got[i], []byte("\x89PNG")) {
			continue
		}
		assert.Equal(t, hex.Dump(want[i]), hex.Dump(got[i]), "record %d of %s", i, golden)
	}
}

// writeGolden makes the calls of make_golden.py.
func writeGolden(t *testing.T, folder string) {
	w, err := tensorboard.NewSummaryWriter(filepath.Join(folder, "a"), tensorboard.PurgeStep(7),
		tensorboard.FlushSecs(0))
	require.NoError(t, err)
	do := func(err error) {
		t.Helper()
		require.NoError(t, err)
	}
	do(w.AddScalar("loss/train", 0.1, 1))
	do(w.AddScalar("loss/train", math.Inf(1), -2))
	do(w.AddScalar("zero", 0, 0))
	do(w.AddScalar("new", 0.1, 3, tensorboard.NewStyle(true)))
	do(w.AddScalar("double", 0.1, 4, tensorboard.NewStyle(true), tensorboard.DoublePrecision(true)))
	do(w.AddScalar("then", 2.5, 5, tensorboard.WallTime(12345.5)))
	do(w.AddText("note", "**wörds**", 6))

	torch.Scope(func() {
		float := func(v ...float64) *torch.Tensor { return torch.FromSlice(v, int64(len(v))) }
		bins := func(n int) (b tensorboard.Bins) {
			for i := range n {
				b = append(b, float64(i))
			}
			return b
		}
		do(w.AddHistogram("h/default", float(0, 0.5, -0.5, 3, 1024, 3).To(torch.Float32), 7))
		do(w.AddHistogram("h/positive", float(0.5), 8))
		do(w.AddHistogram("h/edges", torch.Arange(0, 6, 1), 9, tensorboard.Bins{1, 2, 4}))
		do(w.AddHistogram("h/joined", torch.Arange(0, 10, 1), 10, bins(11), tensorboard.MaxBins(4)))
		do(w.AddHistogram("h/joined evenly", torch.Arange(0, 12, 1), 10, bins(13), tensorboard.MaxBins(4)))
		do(w.AddHistogram("h/first", float(0, 0), 11, bins(3)))
		do(w.AddHistogram("h/outside", float(-5, 0.5, 9), 11, bins(3)))
		do(w.AddHistogram("h/nan", float(0.5, math.NaN()), 11, bins(3)))
		do(w.AddHistogram("h/bool", torch.FromSlice([]bool{true, false, true}, 3), 12))
		do(w.AddHistogramRaw("h/raw", 1, 2, 3, 4, 5, []float64{1.5, 2.5}, []float64{1, 2}, 13))

		img := torch.Arange(0, 24, 1).Reshape(3, 2, 4).MulScalar(10)
		asBytes := img.To(torch.Uint8)
		do(w.AddImage("i/bytes", asBytes, 14))
		do(w.AddImage("i/floats", img.To(torch.Float32).DivScalar(200).SubScalar(0.1), 15))
		do(w.AddImage("i/grey", asBytes.Narrow(0, 0, 1), 16))
		do(w.AddImage("i/hwc", asBytes, 17, tensorboard.DataFormats("CWH")))
		do(w.AddImage("i/hw", asBytes.Select(0, 0), 18, tensorboard.DataFormats("HW")))
		do(w.AddImage("i/four", torch.Arange(0, 16, 1).Reshape(2, 2, 4).MulScalar(16).To(torch.Uint8), 19,
			tensorboard.DataFormats("hwc")))
		do(w.AddImages("i/many", torch.Arange(0, 108, 1).Reshape(9, 1, 3, 4).MulScalar(2).To(torch.Uint8), 20))
		do(w.AddImages("i/few", torch.Arange(0, 36, 1).Reshape(3, 2, 2, 3).MulScalar(2).To(torch.Uint8), 21,
			tensorboard.DataFormats("NHWC")))
	})
	do(w.Close())

	w, err = tensorboard.NewSummaryWriter(filepath.Join(folder, "b"))
	require.NoError(t, err)
	do(w.AddScalars("curves/of", map[string]float64{"sin": 0.5}, 3))
	do(w.AddHParams(map[string]any{"lr": 0.5, "none": nil}, map[string]float64{"hparam/accuracy": 0.25},
		tensorboard.HParamDomainDiscrete{"lr": {0.5, 0.1}}, tensorboard.RunName("run"), tensorboard.GlobalStep(4)))
	do(w.AddHParams(map[string]any{"name": "adam"}, nil, tensorboard.RunName("words")))
	do(w.Close())
}

// All bytes equal Python's, except those of compressed images.
func TestFilesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) { writeGolden(t, folder) }) // with a fake clock
	for golden, dir := range map[string]string{
		"main.tfevents": "a", "empty.tfevents": "b", "scalars.tfevents": "b/curves_of_sin",
		"hparams.tfevents": "b/run", "words.tfevents": "b/words",
	} {
		same(t, golden, filepath.Join(folder, filepath.FromSlash(dir)))
	}
}

// TestImagesArePythons compares the pixels of images with Python's.
func TestImagesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	text, err := os.ReadFile(filepath.Join("testdata", "golden.json"))
	require.NoError(t, err)
	var golden struct {
		Pixels map[string]struct {
			Width, Height int
			RGBA          []int
		}
	}
	require.NoError(t, json.Unmarshal(text, &golden))
	folder, found := t.TempDir(), 0
	writeGolden(t, folder)
	for _, r := range records(t, events(t, filepath.Join(folder, "a"))) {
		start := bytes.Index(r, []byte("\x89PNG"))
		if start < 0 {
			continue
		}
		img, err := png.Decode(bytes.NewReader(r[start:]))
		require.NoError(t, err)
		for tag, want := range golden.Pixels {
			if !bytes.Contains(r, []byte(tag+`"`)) { // the tag and the key of the next field
				continue
			}
			found++
			assert.Equal(t, image.Rect(0, 0, want.Width, want.Height), img.Bounds(), tag)
			var got []int
			for y := range want.Height {
				for x := range want.Width {
					c, ok := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
					require.True(t, ok)
					got = append(got, int(c.R), int(c.G), int(c.B), int(c.A))
				}
			}
			assert.Equal(t, want.RGBA, got, tag)
		}
	}
	assert.Len(t, golden.Pixels, found)
}
