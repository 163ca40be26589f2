package torch_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
)

func TestWrapError(t *testing.T) {
	returned := func() error { return torch.WrapError("Get", nil) }
	assert.NoError(t, returned(), "nil, not an error that holds a nil *Error")
	cause := errors.New("no such file")
	e := torch.WrapError("Get", cause)
	assert.ErrorIs(t, e, torch.ErrRuntime)
	assert.ErrorIs(t, e, cause)
	assert.Equal(t, "torch: Get: no such file", e.Error())
	e = torch.WrapError("Get",
		fmt.Errorf("row 3: %w", torch.NewError("Stack", torch.ErrShape, "tensors", "they differ")))
	assert.ErrorIs(t, e, torch.ErrShape)
	assert.IsType(t, &torch.Error{}, e)
}
