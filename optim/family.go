package optim

// An ASGDOption is an option of [NewASGD]: [LR], [Lambd], [Alpha], [T0],
// [WeightDecay], [Maximize], [Foreach], [Capturable], [Differentiable].
type ASGDOption interface {
	Option
	asgdOption()
}

// An AdadeltaOption is an option of [NewAdadelta]: [LR], [Rho], [Eps],
// [WeightDecay], [Maximize], [Foreach], [Capturable], [Differentiable].
type AdadeltaOption interface {
	Option
	adadeltaOption()
}

// An AdafactorOption is an option of [NewAdafactor]: [LR], [Beta2Decay],
// [EpsPair], [D], [WeightDecay], [Maximize], [Foreach].
type AdafactorOption interface {
	Option
	adafactorOption()
}

// An AdagradOption is an option of [NewAdagrad]: [LR], [LRDecay],
// [WeightDecay], [InitialAccumulatorValue], [Eps], [Maximize], [Foreach],
// [Fused], [Differentiable].
type AdagradOption interface {
	Option
	adagradOption()
}

// An AdamaxOption is an option of [NewAdamax]: [LR], [Betas], [Eps],
// [WeightDecay], [Maximize], [Foreach], [Capturable], [Differentiable].
type AdamaxOption interface {
	Option
	adamaxOption()
}

// An LBFGSOption is an option of [NewLBFGS]: [LR], [MaxIter], [MaxEval],
// [ToleranceGrad], [ToleranceChange], [HistorySize], [LineSearchFn].
type LBFGSOption interface {
	Option
	lbfgsOption()
}

// A MuonOption is an option of [NewMuon]: [LR], [WeightDecay], [Momentum],
// [Nesterov], [NSCoefficients], [Eps], [NSSteps], [AdjustLRFn].
type MuonOption interface {
	Option
	muonOption()
}

// An NAdamOption is an option of [NewNAdam]: [LR], [Betas], [Eps],
// [WeightDecay], [MomentumDecay], [DecoupledWeightDecay], [Maximize],
// [Foreach], [Capturable], [Differentiable].
type NAdamOption interface {
	Option
	nadamOption()
}

// An RAdamOption is an option of [NewRAdam]: [LR], [Betas], [Eps],
// [WeightDecay], [DecoupledWeightDecay], [Maximize], [Foreach], [Capturable],
// [Differentiable].
type RAdamOption interface {
	Option
	radamOption()
}

// An RMSpropOption is an option of [NewRMSprop]: [LR], [Alpha], [Eps],
// [WeightDecay], [Momentum], [Centered], [Maximize], [Foreach], [Capturable],
// [Differentiable].
type RMSpropOption interface {
	Option
	rmspropOption()
}

// An RpropOption is an option of [NewRprop]: [LR], [Etas], [StepSizes],
// [Maximize], [Foreach], [Capturable], [Differentiable].
type RpropOption interface {
	Option
	rpropOption()
}

// A SparseAdamOption is an option of [NewSparseAdam]: [LR], [Betas], [Eps],
// [Maximize].
type SparseAdamOption interface {
	Option
	sparseAdamOption()
}

func (LR) asgdOption()             {}
func (Lambd) asgdOption()          {}
func (Alpha) asgdOption()          {}
func (T0) asgdOption()             {}
func (WeightDecay) asgdOption()    {}
func (Maximize) asgdOption()       {}
func (Foreach) asgdOption()        {}
func (Capturable) asgdOption()     {}
func (Differentiable) asgdOption() {}

func (LR) adadeltaOption()             {}
func (Rho) adadeltaOption()            {}
func (Eps) adadeltaOption()            {}
func (WeightDecay) adadeltaOption()    {}
func (Maximize) adadeltaOption()       {}
func (Foreach) adadeltaOption()        {}
func (Capturable) adadeltaOption()     {}
func (Differentiable) adadeltaOption() {}

func (LR) adafactorOption()          {}
func (Beta2Decay) adafactorOption()  {}
func (EpsTuple) adafactorOption()    {}
func (D) adafactorOption()           {}
func (WeightDecay) adafactorOption() {}
func (Maximize) adafactorOption()    {}
func (Foreach) adafactorOption()     {}

func (LR) adagradOption()                      {}
func (LRDecay) adagradOption()                 {}
func (WeightDecay) adagradOption()             {}
func (InitialAccumulatorValue) adagradOption() {}
func (Eps) adagradOption()                     {}
func (Maximize) adagradOption()                {}
func (Foreach) adagradOption()                 {}
func (Fused) adagradOption()                   {}
func (Differentiable) adagradOption()          {}

func (Capturable) adamOption()     {}
func (Differentiable) adamOption() {}

func (LR) adamaxOption()             {}
func (BetaPair) adamaxOption()       {}
func (Eps) adamaxOption()            {}
func (WeightDecay) adamaxOption()    {}
func (Maximize) adamaxOption()       {}
func (Foreach) adamaxOption()        {}
func (Capturable) adamaxOption()     {}
func (Differentiable) adamaxOption() {}

func (LR) lbfgsOption()              {}
func (MaxIter) lbfgsOption()         {}
func (MaxEval) lbfgsOption()         {}
func (ToleranceGrad) lbfgsOption()   {}
func (ToleranceChange) lbfgsOption() {}
func (HistorySize) lbfgsOption()     {}
func (LineSearchFn) lbfgsOption()    {}

func (LR) muonOption()                 {}
func (WeightDecay) muonOption()        {}
func (Momentum) muonOption()           {}
func (Nesterov) muonOption()           {}
func (NSCoefficientTuple) muonOption() {}
func (Eps) muonOption()                {}
func (NSSteps) muonOption()            {}
func (AdjustLRFn) muonOption()         {}

func (LR) nadamOption()                   {}
func (BetaPair) nadamOption()             {}
func (Eps) nadamOption()                  {}
func (WeightDecay) nadamOption()          {}
func (MomentumDecay) nadamOption()        {}
func (DecoupledWeightDecay) nadamOption() {}
func (Maximize) nadamOption()             {}
func (Foreach) nadamOption()              {}
func (Capturable) nadamOption()           {}
func (Differentiable) nadamOption()       {}

func (LR) radamOption()                   {}
func (BetaPair) radamOption()             {}
func (Eps) radamOption()                  {}
func (WeightDecay) radamOption()          {}
func (DecoupledWeightDecay) radamOption() {}
func (Maximize) radamOption()             {}
func (Foreach) radamOption()              {}
func (Capturable) radamOption()           {}
func (Differentiable) radamOption()       {}

func (LR) rmspropOption()             {}
func (Alpha) rmspropOption()          {}
func (Eps) rmspropOption()            {}
func (WeightDecay) rmspropOption()    {}
func (Momentum) rmspropOption()       {}
func (Centered) rmspropOption()       {}
func (Maximize) rmspropOption()       {}
func (Foreach) rmspropOption()        {}
func (Capturable) rmspropOption()     {}
func (Differentiable) rmspropOption() {}

func (LR) rpropOption()             {}
func (EtaPair) rpropOption()        {}
func (StepSizePair) rpropOption()   {}
func (Maximize) rpropOption()       {}
func (Foreach) rpropOption()        {}
func (Capturable) rpropOption()     {}
func (Differentiable) rpropOption() {}

func (Differentiable) sgdOption() {}

func (LR) sparseAdamOption()       {}
func (BetaPair) sparseAdamOption() {}
func (Eps) sparseAdamOption()      {}
func (Maximize) sparseAdamOption() {}
