package opt

// AnyLayer is an option of every family of layers; what every layer takes embeds
// it.
type AnyLayer struct{}

func (AnyLayer) LinearLayer()        {}
func (AnyLayer) ConvLayer()          {}
func (AnyLayer) MaxPoolLayer()       {}
func (AnyLayer) AvgPoolLayer()       {}
func (AnyLayer) LeakyReLULayer()     {}
func (AnyLayer) GELULayer()          {}
func (AnyLayer) DropoutLayer()       {}
func (AnyLayer) FlattenLayer()       {}
func (AnyLayer) BatchNormLayer()     {}
func (AnyLayer) LayerNormLayer()     {}
func (AnyLayer) RMSNormLayer()       {}
func (AnyLayer) GroupNormLayer()     {}
func (AnyLayer) EmbeddingLayer()     {}
func (AnyLayer) LossLayer()          {}
func (AnyLayer) CrossEntropyLayer()  {}
func (AnyLayer) NLLLossLayer()       {}
func (AnyLayer) SmoothL1LossLayer()  {}
func (AnyLayer) HuberLossLayer()     {}
func (AnyLayer) BCELayer()           {}
func (AnyLayer) BCEWithLogitsLayer() {}
func (AnyLayer) KLDivLayer()         {}
