package main

import (
	"bytes"
	"os"
	"regexp"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	torchmetrics "github.com/gotorch/gotorch/memory/metrics"
	"github.com/gotorch/gotorch/torch"

	"github.com/gotorch/gotorch/memory"
)

// Prometheus' own linter finds nothing wrong with the library's metrics.
func TestLibraryKeepsPrometheusConventions(t *testing.T) {
	defer memory.TrackTensors(memory.TrackTensors(1))
	x := torch.Ones(torch.Shape{2})
	defer x.Close()
	require.NoError(t, memory.SetLimit(torch.CPU, 1<<30))
	defer func() { require.NoError(t, memory.SetLimit(torch.CPU, 0)) }()
	var b bytes.Buffer
	require.NoError(t, torchmetrics.Write(&b, torchmetrics.Read()))
	problems, err := promlint.New(&b).Lint()
	require.NoError(t, err)
	assert.Empty(t, problems)
}

// The alerts and panels of docs/deploy.md use metrics that exist.
func TestAlertsKnowTheMetrics(t *testing.T) {
	defer memory.TrackTensors(memory.TrackTensors(1))
	x := torch.Ones(torch.Shape{2})
	defer x.Close()
	require.NoError(t, memory.SetLimit(torch.CPU, 1<<30))
	defer func() { require.NoError(t, memory.SetLimit(torch.CPU, 0)) }()
	there := map[string]bool{}
	for _, m := range torchmetrics.Read() {
		there[m.Name] = true
	}
	for _, file := range []string{"alerts.yaml", "../../docs/deploy.md"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		names := regexp.MustCompile(`gotorch_[a-z_]+[a-z]`).FindAllString(string(text), -1)
		assert.NotEmpty(t, names, file)
		for _, name := range names {
			assert.True(t, there[name], "%s: %s", file, name)
		}
	}
}
