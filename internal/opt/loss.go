package opt

// Losses.

// Reduction is what a loss does with its elements.
type Reduction string

func (Reduction) LossFunc()           {}
func (Reduction) CrossEntropyFunc()   {}
func (Reduction) NLLLossFunc()        {}
func (Reduction) SmoothL1LossFunc()   {}
func (Reduction) HuberLossFunc()      {}
func (Reduction) BCEFunc()            {}
func (Reduction) BCEWithLogitsFunc()  {}
func (Reduction) KLDivFunc()          {}
func (Reduction) LossLayer()          {}
func (Reduction) CrossEntropyLayer()  {}
func (Reduction) NLLLossLayer()       {}
func (Reduction) SmoothL1LossLayer()  {}
func (Reduction) HuberLossLayer()     {}
func (Reduction) BCELayer()           {}
func (Reduction) BCEWithLogitsLayer() {}
func (Reduction) KLDivLayer()         {}

// IgnoreIndex is the class that does not count.
type IgnoreIndex int64

func (IgnoreIndex) CrossEntropyFunc()  {}
func (IgnoreIndex) NLLLossFunc()       {}
func (IgnoreIndex) CrossEntropyLayer() {}
func (IgnoreIndex) NLLLossLayer()      {}

// LabelSmoothing is how much of a target is spread over all classes.
type LabelSmoothing float64

func (LabelSmoothing) CrossEntropyFunc()  {}
func (LabelSmoothing) CrossEntropyLayer() {}

// Delta is where the parabola of HuberLoss ends.
type Delta float64

func (Delta) HuberLossFunc()  {}
func (Delta) HuberLossLayer() {}

// LogTarget says that targets are logarithms.
type LogTarget bool

func (LogTarget) KLDivFunc()  {}
func (LogTarget) KLDivLayer() {}
