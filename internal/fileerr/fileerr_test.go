package fileerr_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/fileerr"
)

func TestErrorSaysWhere(t *testing.T) {
	e := &fileerr.Error{
		Format: "safetensors", Path: "/a", Tensor: "w", Offset: 0, Kind: fileerr.ErrFormat,
		Detail: "why",
	}
	assert.EqualError(t, e, `safetensors: /a: tensor "w": byte 0: why`)
	assert.ErrorIs(t, e, fileerr.ErrFormat)
	assert.NotErrorIs(t, e, fileerr.ErrTruncated)
	assert.NoError(t, e.Unwrap())

	e = &fileerr.Error{
		Format: "pt", Offset: fileerr.NoOffset,
		Err: &fs.PathError{Op: "open", Path: "/a", Err: os.ErrNotExist},
	}
	assert.EqualError(t, e, "pt: file does not exist", "the path is said once")
	assert.ErrorIs(t, e, fs.ErrNotExist)
	assert.False(t, errors.Is(e, nil))
}

func TestLongNamesAreCut(t *testing.T) {
	e := &fileerr.Error{Format: "pt", Tensor: strings.Repeat("n", 10_000), Offset: fileerr.NoOffset}
	assert.Less(t, len(e.Error()), 300)
}
