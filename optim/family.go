package optim

// An ASGDOption is an option of [NewASGD]: [LR], [Lambd], [Alpha], [T0],
// [WeightDecay], [Maximize], [Foreach].
//
//gotorch:options LR Lambd Alpha T0 WeightDecay Maximize Foreach
type ASGDOption interface {
	Option
	asgdOption()
}

// An AdadeltaOption is an option of [NewAdadelta]: [LR], [Rho], [Eps],
// [WeightDecay], [Maximize], [Foreach].
//
//gotorch:options LR Rho Eps WeightDecay Maximize Foreach
type AdadeltaOption interface {
	Option
	adadeltaOption()
}

// An AdafactorOption is an option of [NewAdafactor]: [LR], [Beta2Decay],
// [EpsPair], [D], [WeightDecay], [Maximize], [Foreach].
//
//gotorch:options LR Beta2Decay EpsTuple D WeightDecay Maximize Foreach
type AdafactorOption interface {
	Option
	adafactorOption()
}

// An AdagradOption is an option of [NewAdagrad]: [LR], [LRDecay],
// [WeightDecay], [InitialAccumulatorValue], [Eps], [Maximize], [Foreach],
// [Fused].
//
//gotorch:options LR LRDecay WeightDecay InitialAccumulatorValue Eps Maximize Foreach Fused
type AdagradOption interface {
	Option
	adagradOption()
}

// An AdamaxOption is an option of [NewAdamax]: [LR], [Betas], [Eps],
// [WeightDecay], [Maximize], [Foreach].
//
//gotorch:options LR BetaPair Eps WeightDecay Maximize Foreach
type AdamaxOption interface {
	Option
	adamaxOption()
}

// An LBFGSOption is an option of [NewLBFGS]: [LR], [MaxIter], [MaxEval],
// [ToleranceGrad], [ToleranceChange], [HistorySize], [LineSearchFn].
//
//gotorch:options LR MaxIter MaxEval ToleranceGrad ToleranceChange HistorySize LineSearchFn
type LBFGSOption interface {
	Option
	lbfgsOption()
}

// An NAdamOption is an option of [NewNAdam]: [LR], [Betas], [Eps],
// [WeightDecay], [MomentumDecay], [DecoupledWeightDecay], [Maximize],
// [Foreach].
//
//gotorch:options LR BetaPair Eps WeightDecay MomentumDecay DecoupledWeightDecay Maximize Foreach
type NAdamOption interface {
	Option
	nadamOption()
}

// An RAdamOption is an option of [NewRAdam]: [LR], [Betas], [Eps],
// [WeightDecay], [DecoupledWeightDecay], [Maximize], [Foreach].
//
//gotorch:options LR BetaPair Eps WeightDecay DecoupledWeightDecay Maximize Foreach
type RAdamOption interface {
	Option
	radamOption()
}

// An RMSpropOption is an option of [NewRMSprop]: [LR], [Alpha], [Eps],
// [WeightDecay], [Momentum], [Centered], [Maximize], [Foreach].
//
//gotorch:options LR Alpha Eps WeightDecay Momentum Centered Maximize Foreach
type RMSpropOption interface {
	Option
	rmspropOption()
}

// An RpropOption is an option of [NewRprop]: [LR], [Etas], [StepSizes],
// [Maximize], [Foreach].
//
//gotorch:options LR EtaPair StepSizePair Maximize Foreach
type RpropOption interface {
	Option
	rpropOption()
}

// A SparseAdamOption is an option of [NewSparseAdam]: [LR], [Betas], [Eps],
// [Maximize].
//
//gotorch:options LR BetaPair Eps Maximize
type SparseAdamOption interface {
	Option
	sparseAdamOption()
}
