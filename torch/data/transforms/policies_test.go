package transforms_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch/data/transforms"
)

// All policies equal torchvision's. The other tests draw only a few of the 75
// augmentation pairs.
func TestPoliciesAreTorchvisions(t *testing.T) {
	text, err := os.ReadFile("testdata/policies.json")
	require.NoError(t, err)
	var want map[string][]string
	require.NoError(t, json.Unmarshal(text, &want))
	lines, pairs := transforms.PolicyLines()
	assert.Equal(t, want, lines)
	assert.Equal(t, map[string]int{"imagenet": 25, "cifar10": 25, "svhn": 25}, pairs)
}
