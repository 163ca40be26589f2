package opt

// The families of recurrent layers.
type (
	//gotorch:options AnyLayer Bias Device DType NumLayers Nonlinearity BatchFirst DropoutP
	//gotorch:options Bidirectional
	RNNLayer interface{ rnnLayer() }
	//gotorch:options AnyLayer Bias Device DType NumLayers BatchFirst DropoutP Bidirectional ProjSize
	LSTMLayer interface{ lstmLayer() }
	//gotorch:options AnyLayer Bias Device DType NumLayers BatchFirst DropoutP Bidirectional
	GRULayer interface{ gruLayer() }
	//gotorch:options AnyLayer Bias Device DType Nonlinearity
	RNNCellLayer interface{ rnnCellLayer() }
	//gotorch:options AnyLayer Bias Device DType
	CellLayer interface{ cellLayer() } // LSTMCell and GRUCell
)

// Options that package nn documents.
type (
	NumLayers     int64
	Nonlinearity  string
	Bidirectional bool
	ProjSize      int64
)
