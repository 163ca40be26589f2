package tensorboard

import "github.com/gotorch/gotorch/internal/wire"

// Fields of Summary.Value.
const (
	valueTag      = 1
	valueSimple   = 2
	valueImage    = 4
	valueHisto    = 5
	valueTensor   = 8
	valueMetadata = 9
)

// These are field numbers of the protocol buffer TensorProto, and its numbers for
// dtypes.
const (
	tensorDType  = 1
	tensorShape  = 2
	tensorFloat  = 5
	tensorDouble = 6
	tensorString = 8

	dtypeFloat  = 1
	dtypeDouble = 2
	dtypeString = 7
)

func summaryOf(value []byte) []byte { return wire.AppendBytes(nil, 1, value) }

// metadata encodes the name of the TensorBoard plugin that shows a value, and the
// plugin's data.
func metadata(plugin string, content []byte) []byte {
	m := wire.AppendString(nil, 1, plugin)
	if len(content) > 0 {
		m = wire.AppendBytes(m, 2, content)
	}
	return wire.AppendBytes(nil, 1, m)
}

func scalar(tag string, value float64) []byte {
	v := wire.AppendString(nil, valueTag, tag)
	return summaryOf(wire.AppendFloat(v, valueSimple, float32(value)))
}

func tensorScalar(tag string, value float64, double bool) []byte {
	t := wire.AppendInt(nil, tensorDType, dtypeFloat)
	if double {
		t = wire.AppendInt(nil, tensorDType, dtypeDouble)
		t = wire.AppendDoubles(t, tensorDouble, []float64{value})
	} else {
		t = wire.AppendFloats(t, tensorFloat, []float32{float32(value)})
	}
	v := wire.AppendString(nil, valueTag, tag)
	v = wire.AppendBytes(v, valueTensor, t)
	return summaryOf(wire.AppendBytes(v, valueMetadata, metadata("scalars", nil)))
}

func textOf(tag, text string) []byte {
	dim := wire.AppendBytes(nil, 2, wire.AppendInt(nil, 1, 1))
	t := wire.AppendInt(nil, tensorDType, dtypeString)
	t = wire.AppendBytes(t, tensorShape, dim)
	t = wire.AppendString(t, tensorString, text)
	v := wire.AppendString(nil, valueTag, tag+"/text_summary")
	v = wire.AppendBytes(v, valueTensor, t)
	return summaryOf(wire.AppendBytes(v, valueMetadata, metadata("text", nil)))
}

func imageOf(tag string, height, width, channels int, png []byte) []byte {
	m := wire.AppendInt(nil, 1, int64(height))
	m = wire.AppendInt(m, 2, int64(width))
	m = wire.AppendInt(m, 3, int64(channels))
	m = wire.AppendBytes(m, 4, png)
	v := wire.AppendString(nil, valueTag, tag)
	return summaryOf(wire.AppendBytes(v, valueImage, m))
}
