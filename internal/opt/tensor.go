package opt

import "github.com/gotorch/gotorch/torch"

// Options that are tensors. A pointer type has no methods, so each is a struct
// that a function of the package makes: F.Weight(w). A nil tensor is Python's None.

// Weight holds factors of classes or elements.
type Weight struct{ T *torch.Tensor }

func (Weight) CrossEntropyFunc()   {}
func (Weight) NLLLossFunc()        {}
func (Weight) BCEFunc()            {}
func (Weight) BCEWithLogitsFunc()  {}
func (Weight) CrossEntropyLayer()  {}
func (Weight) NLLLossLayer()       {}
func (Weight) BCELayer()           {}
func (Weight) BCEWithLogitsLayer() {}

// PosWeight holds factors of positive targets.
type PosWeight struct{ T *torch.Tensor }

func (PosWeight) BCEWithLogitsFunc()  {}
func (PosWeight) BCEWithLogitsLayer() {}

// AttnMask holds a mask of attention.
type AttnMask struct{ T *torch.Tensor }

func (AttnMask) AttentionFunc() {}
func (AttnMask) AttentionCall() {}
