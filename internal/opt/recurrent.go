package opt

// The families of recurrent layers.
type (
	RNNLayer     interface{ RNNLayer() }
	LSTMLayer    interface{ LSTMLayer() }
	GRULayer     interface{ GRULayer() }
	RNNCellLayer interface{ RNNCellLayer() }
	CellLayer    interface{ CellLayer() } // LSTMCell and GRUCell
)

func (AnyLayer) RNNLayer()     {}
func (AnyLayer) LSTMLayer()    {}
func (AnyLayer) GRULayer()     {}
func (AnyLayer) RNNCellLayer() {}
func (AnyLayer) CellLayer()    {}

func (Bias) RNNLayer()     {}
func (Bias) LSTMLayer()    {}
func (Bias) GRULayer()     {}
func (Bias) RNNCellLayer() {}
func (Bias) CellLayer()    {}

func (Device) RNNLayer()     {}
func (Device) LSTMLayer()    {}
func (Device) GRULayer()     {}
func (Device) RNNCellLayer() {}
func (Device) CellLayer()    {}

func (DType) RNNLayer()     {}
func (DType) LSTMLayer()    {}
func (DType) GRULayer()     {}
func (DType) RNNCellLayer() {}
func (DType) CellLayer()    {}
