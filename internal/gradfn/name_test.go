package gradfn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/gradfn"
)

func TestName(t *testing.T) {
	for native, python := range map[string]string{
		"MulBackward0": "MulBackward0", "MulBackward1": "MulBackward0", "DivBackward3": "DivBackward2",
		"torch::autograd::AccumulateGrad": "AccumulateGrad", "": "",
	} {
		assert.Equal(t, python, gradfn.Name(native))
	}
}
