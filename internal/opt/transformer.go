package opt

// The families of transformers.
type (
	TransformerPart  interface{ TransformerPart() } // the layers of encoder and decoder
	TransformerLayer interface{ TransformerLayer() }
	EncoderLayer     interface{ EncoderLayer() }
	DecoderLayer     interface{ DecoderLayer() }
	EncoderPartCall  interface{ EncoderPartCall() } // a layer's Forward
	EncoderCall      interface{ EncoderCall() }
	DecoderCall      interface{ DecoderCall() }
	TransformerCall  interface{ TransformerCall() }
	SquareMask       interface{ SquareMask() }
)

func (AnyLayer) TransformerPart()  {}
func (AnyLayer) TransformerLayer() {}
func (AnyLayer) EncoderLayer()     {}
func (AnyLayer) DecoderLayer()     {}

func (Bias) TransformerPart()    {}
func (Bias) TransformerLayer()   {}
func (Device) TransformerPart()  {}
func (Device) TransformerLayer() {}
func (Device) SquareMask()       {}
func (DType) TransformerPart()   {}
func (DType) TransformerLayer()  {}
func (DType) SquareMask()        {}

func (IsCausal) EncoderPartCall() {}
func (IsCausal) EncoderCall()     {}
