package wire_test

import (
	"encoding/hex"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/wire"
)

// The bytes equal the output of Python's protobuf for the same fields. The first row is
// the example in the documentation of the wire format.
func TestFields(t *testing.T) {
	for want, got := range map[string][]byte{
		"089601":                               wire.AppendInt(nil, 1, 150),
		"08ffffffffffffffffff01":               wire.AppendInt(nil, 1, -1),
		"0800":                                 wire.AppendInt(nil, 1, 0),
		"120774657374696e67":                   wire.AppendString(nil, 2, "testing"),
		"1a03089601":                           wire.AppendBytes(nil, 3, wire.AppendInt(nil, 1, 150)),
		"250000c03f":                           wire.AppendFloat(nil, 4, 1.5),
		"29000000000000f8bf":                   wire.AppendDouble(nil, 5, -1.5),
		"3210000000000000f03f0000000000000040": wire.AppendDoubles(nil, 6, []float64{1, 2}),
		"42080000803f00000040":                 wire.AppendFloats(nil, 8, []float32{1, 2}),
		"8001" + "01":                          wire.AppendInt(nil, 16, 1),
		"ac02":                                 wire.AppendVarint(nil, 300),
		"ffffffffffffffffff01":                 wire.AppendVarint(nil, 1<<64-1),
		"3a00":                                 wire.AppendDoubles(nil, 7, nil),
		"0a026869" + "1001":                    wire.AppendInt(wire.AppendString(nil, 1, "hi"), 2, 1),
		"2d0000807f" + "31000000000000f0ff": wire.AppendDouble(wire.AppendFloat(nil, 5, float32(math.Inf(1))), 6,
			math.Inf(-1)),
	} {
		assert.Equal(t, want, hex.EncodeToString(got))
	}
}
