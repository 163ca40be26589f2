package pyvalue_test

import (
	"math"
	"math/big"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/pyvalue"
)

func TestSetBasic(t *testing.T) {
	type text string
	huge := new(big.Int).SetUint64(math.MaxUint64)
	for _, c := range []struct {
		to   any // the variable's value after the call; its type is that of the variable
		from any
		fit  pyvalue.Fit
	}{
		{true, true, pyvalue.Fits},
		{false, int64(1), pyvalue.Unlike},
		{"a", "a", pyvalue.Fits},
		{text("a"), "a", pyvalue.Fits},
		{"", nil, pyvalue.Unlike},
		{int8(-128), int64(-128), pyvalue.Fits},
		{int8(0), int64(128), pyvalue.TooLarge},
		{int64(0), huge, pyvalue.Unlike},
		{0, 1.0, pyvalue.Unlike},
		{uint8(255), int64(255), pyvalue.Fits},
		{uint8(0), int64(256), pyvalue.TooLarge},
		{uint64(0), int64(-1), pyvalue.TooLarge},
		{uint64(math.MaxUint64), huge, pyvalue.Fits},
		{uint64(0), new(big.Int).Lsh(huge, 1), pyvalue.TooLarge},
		{uint(0), "1", pyvalue.Unlike},
		{float32(3), int64(3), pyvalue.Fits},
		{0.5, 0.5, pyvalue.Fits},
		{0.0, true, pyvalue.Unlike},
		{complex64(2), 2.0, pyvalue.Fits},
		{1i, 1i, pyvalue.Fits},
		{[]int(nil), int64(1), pyvalue.NotBasic},
	} {
		to := reflect.New(reflect.TypeOf(c.to)).Elem()
		assert.Equal(t, c.fit, pyvalue.SetBasic(to, c.from), "%T to %v", c.to, c.from)
		assert.Equal(t, c.to, to.Interface(), "%T to %v", c.to, c.from)
	}
}
