package claims_test

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/bench/internal/claims"
	"github.com/gotorch/gotorch/torchtest"
)

// measure runs the claim with this name in quick mode.
func measure(t *testing.T, name string) claims.Result {
	t.Helper()
	defer torchtest.CheckLeaks(t)()
	all := claims.Run(claims.Options{
		Run: regexp.MustCompile("^" + regexp.QuoteMeta(name) + "$"), Quick: true,
		Log: io.Discard,
	})
	require.Len(t, all, 1)
	return all[0]
}

// value returns the value of the point with the given description. The point must exist.
func value(t *testing.T, r claims.Result, what string) float64 {
	t.Helper()
	v, ok := r.Value(what)
	require.True(t, ok, "no point %q in %+v", what, r.Points)
	return v
}

// The names must not change, because other tools look them up in build/claims.json.
func TestNames(t *testing.T) {
	names := map[string]bool{}
	for _, c := range claims.All() {
		assert.Regexp(t, `^claim\.[a-z_]+$`, c.Name)
		assert.False(t, names[c.Name], "%s occurs twice", c.Name)
		names[c.Name] = true
		assert.NotEmpty(t, c.Says, c.Name)
		assert.NotEmpty(t, c.Measured, c.Name)
		assert.LessOrEqual(t, c.Range.Low, c.Range.High, c.Name)
	}
}

func TestVerdict(t *testing.T) {
	r := &claims.Range{Low: 10, High: 50}
	point := func(v float64) claims.Point { return claims.Point{Value: v, Range: r} }
	note := claims.Point{Value: 1e9}
	for want, points := range map[claims.Verdict][]claims.Point{
		claims.Holds:       {point(10), point(50), note},
		claims.HoldsInPart: {point(9.9), note, point(20)},
		claims.Fails:       {point(0), point(51)},
	} {
		assert.Equal(t, want, claims.Result{Points: points}.Verdict())
	}
	assert.True(t, claims.Range{Low: 5, High: math.Inf(1)}.Contains(1e9))
}

// All claims run, every headline is a judged point, and the file contains the results.
func TestRunAndReport(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	all := claims.Run(claims.Options{Rounds: 1, Quick: true, Log: io.Discard})
	require.Len(t, all, len(claims.All()))
	for _, r := range all {
		require.GreaterOrEqual(t, r.Headline, 0, r.Claim.Name)
		assert.NotNil(t, r.Points[r.Headline].Range, r.Claim.Name)
		seen := map[string]bool{}
		for _, p := range r.Points {
			assert.False(t, seen[p.What], "%s: %s occurs twice", r.Claim.Name, p.What)
			seen[p.What] = true
			assert.False(t, math.IsNaN(p.Value) || math.IsInf(p.Value, 0), "%s: %s", r.Claim.Name, p.What)
		}
	}

	path := filepath.Join(t.TempDir(), "deep", "claims.json")
	require.NoError(t, claims.WriteJSON(path, all))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var back []map[string]any
	require.NoError(t, json.Unmarshal(text, &back))
	require.Len(t, back, len(all))
	for i, row := range back {
		for _, key := range []string{"name", "claim", "measured", "unit", "low", "high", "verdict", "detail"} {
			assert.Contains(t, row, key)
		}
		assert.Equal(t, all[i].Claim.Name, row["name"])
		assert.Equal(t, all[i].Points[all[i].Headline].Value, row["measured"])
		assert.Len(t, row["detail"], len(all[i].Points))
	}

	var table strings.Builder
	require.NoError(t, claims.WriteTable(&table, all))
	for _, r := range all {
		assert.Contains(t, table.String(), r.Claim.Name)
	}
}

// Freeing the graph frees exactly the tensors that the operators saved for their
// gradients.
func TestDetachFrees(t *testing.T) {
	r := measure(t, "claim.detach_frees")
	// Each Sin saves its input. The input of the first Sin exists anyway.
	assert.Equal(t, 1.0, value(t, r, "chain of 2 operators"))
	assert.Equal(t, 2.0, value(t, r, "chain of 3 operators"))
	assert.Equal(t, 8.0, value(t, r, "chain of 9 operators"))
	assert.Equal(t, claims.HoldsInPart, r.Verdict())

	// With a batch of 16, the gradient of the second layer needs the first layer's 128
	// activations. There are four outputs.
	freed := value(t, r, "MLP of layers: kept with the graph") - value(t, r, "MLP of layers: kept detached")
	assert.Equal(t, 4.0*16*128*4, freed)
	assert.Equal(t, 4.0*16*10*4, value(t, r, "MLP of layers: kept detached"), "the outputs themselves")
	assert.Equal(t, 12.8, value(t, r, "MLP of layers"))
	assert.Greater(t, value(t, r, "CNN of layers"), 100.0)
}

func TestInPlaceMemory(t *testing.T) {
	r := measure(t, "claim.inplace_memory")
	assert.Equal(t, 0.5, value(t, r, "no gradients, each temporary closed"), "one tensor instead of two")
	assert.Equal(t, 0.125, value(t, r, "no gradients, temporaries left to the scope"), "one instead of eight")
	assert.GreaterOrEqual(t, value(t, r, "with gradients, Sin (saves its argument)"), 1.0,
		"autograd copies what is overwritten")
	assert.Equal(t, 1.0, value(t, r, "backward refused after Exp then AddScalar_"))
	assert.Equal(t, claims.HoldsInPart, r.Verdict())
}

func TestOutBuffer(t *testing.T) {
	r := measure(t, "claim.out_buffer")
	for _, size := range []string{"4 KiB", "1 MiB", "64 MiB"} {
		assert.Equal(t, 1.0, value(t, r, size+": peak"), "a result at a time either way")
		assert.Equal(t, 0.5, value(t, r, size+": peak, running sum"), "the sum alone instead of old and new")
	}
}

func TestDeleteOutputs(t *testing.T) {
	r := measure(t, "claim.delete_outputs_before_backward")
	for what, grads := range map[string]float64{
		"CNN of layers, output closed":                           6,
		"CNN of layers, output and input closed":                 6,
		"MLP of operators, each temporary and the output closed": 6,
	} {
		assert.Equal(t, 0.0, value(t, r, what))
		assert.Equal(t, grads, value(t, r, what+": gradients equal"))
	}
	what := "MLP of operators, each temporary and the output closed"
	assert.Less(t, value(t, r, what+": held at backward"), value(t, r, what+": held at backward, nothing closed"))
	assert.Equal(t, 1.0, value(t, r, "closed loss: Backward refused"))
	assert.Equal(t, claims.Fails, r.Verdict())
}

// A scope per step must not raise the peak.
func TestPeakReduction(t *testing.T) {
	r := measure(t, "claim.peak_reduction_percent")
	for _, p := range r.Points {
		if p.Range != nil {
			assert.GreaterOrEqual(t, p.Value, 0.0, p.What)
		}
	}
}
