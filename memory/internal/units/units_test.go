package units_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory/internal/units"
)

func TestSizes(t *testing.T) {
	for n, text := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", -2048: "-2.0 KiB",
		1 << 62: "4.0 EiB",
	} {
		assert.Equal(t, text, units.Size(n))
	}
	assert.Equal(t, "+1.0 KiB", units.Signed(1024))
	assert.Equal(t, "0 B", units.Signed(0))
	assert.Equal(t, "-1.0 KiB", units.Signed(-1024))
}

// All numbers of a column have the unit that suits the column's total, and are rounded
// down, as in PyTorch.
func TestColumns(t *testing.T) {
	assert.Equal(t, "  1536 B  ", units.InScale(1536, 1536))
	assert.Equal(t, "     1 KiB", units.InScale(1536, 768*1024))
	assert.Equal(t, "    900   ", units.CountInScale(900, 900))
	assert.Equal(t, "      0 K ", units.CountInScale(900, 1_000_000))
}
