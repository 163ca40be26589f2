package main

import (
	"bytes"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	torchmetrics "github.com/gotorch/gotorch/memory/metrics"
	"github.com/gotorch/gotorch/torch"

	"github.com/gotorch/gotorch/memory"
)

// Prometheus' own linter reads what the library writes, and has nothing to say.
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
